import { isMembers, memberOf, type Value } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'
import {
  type Document,
  type ElementEntry,
  type FilteredDocument,
  filterElements,
  tuplesAt,
} from '../../rules/erase/filter-elements.js'
import { filterWithLoneElements } from '../../rules/erase/lone-elements.js'
import { standsPlain } from '../../rules/erase/member-at.js'
import { isWithin } from '../../rules/plan/part-doubts.js'
import type { Entry, PlannedCollection } from '../../rules/plan/plan.js'
import type { PlannedField } from '../../rules/plan/planned-field.js'
import { isBlank } from '../../rules/value/cast-value.js'
import { asElement } from './elements-holding.js'
import type { EntryState } from './entry-state.js'
import { elementIdentities, identityMatcher, type KnownIdentities } from './identity-matcher.js'
import { keyOf } from './key-of.js'
import { conditionReader, conditionsBeside, conditionsMet } from './key-reader.js'

/** A row with lists, of which the subject's elements are looked for. */
export interface RowWithElements {
  readonly row: Row
  readonly document: Document
  /** The row is somebody else's: only what says whose elements are makes one the subject's. */
  readonly isInside: boolean
}

/** A field by which it is not known whose an element is. */
export interface UnknownElements {
  readonly field: PlannedField
  readonly why: string
  /** Rows elsewhere are found by it. */
  readonly leads?: true
}

/** What of a row with lists is the subject's, and why more of it may be. */
export interface SubjectsElements extends FilteredDocument {
  readonly unknown: readonly UnknownElements[]
  /** The same without elements that are only indirectly the subject's. Absent where there are none. */
  readonly alone?: FilteredDocument
}

export type ElementJudge = (row: RowWithElements) => SubjectsElements

/** Decides whose the elements of rows are, by all keys found so far. */
export function elementJudge(
  collection: PlannedCollection,
  states: readonly EntryState[],
  known: KnownIdentities,
): ElementJudge {
  let isInside = false
  /** Keys of rows that other people may share say nothing for the subject. */
  let alone = false
  let holdsIndirect = false
  const unknown = new Map<string, UnknownElements>()
  const isUnknown = (field: PlannedField, why: string, leads = false) => {
    unknown.set(field.name, { field, why, ...(leads && { leads: true as const }) })
    return 'other' as const
  }
  // A `both` reference says nothing until its person is found, which the field beside it may do (see docs/semantics.md, 'Row by row').
  const naming = new Set(collection.judging.owners.flatMap(({ names, entry }) => (names ? [entry] : [])))
  const identities = elementIdentities(collection, known)
  const match = identityMatcher(collection, collection.judging.identities, known)
  let atHand: Pick<RowWithElements, 'row' | 'document'> = { row: [], document: {} }
  const isBesideIdentity = ({ path }: PlannedField) =>
    path.length > 1 && collection.judging.identities.some(({ field }) => isWithin(field.path, path.slice(0, -1)))
  /** Entries of `both` references of the row at hand that name several people. */
  const severalNamed = new Set<number>()
  const ofEntries = states.flatMap((state, at) => {
    const { fields, when, inside, part, compared } = state.entry
    const placeholders = fields.map((field) => field.placeholders)
    const seeds = collection.identities.filter(({ entry }) => entry === at)
    const findsAlone = () => seeds.some(({ object, property }) => known.findsAlone(object, [property]))
    const says: ElementEntry['says'] = (values, marks) => {
      const key = keyOf(values, fields, placeholders)
      const isOwn = key !== undefined && state.own.keys.find(key) !== -1
      if (key === undefined || (!isOwn && state.indirect.keys.find(key) === -1)) {
        if (!naming.has(at)) return part ? 'nothing' : 'other'
        if (isBesideIdentity(fields[0] as PlannedField)) return 'nothing'
        // the one person whom a row names is the person whose row it is
        if (key !== undefined && !inside && !severalNamed.has(at)) return isInside ? 'nothing' : 'subject'
        return isInside ? 'nothing' : isUnknown(fields[0] as PlannedField, namesSomebody, true)
      }
      // others share the value: what else the element holds decides
      if (seeds.length > 0 && !findsAlone() && match(atHand.row, asElement(atHand.document, marks)).kind !== 'match')
        return isUnknown(fields[0] as PlannedField, `${fields[0]?.name} alone does not say that it is the person's`)
      if (inside && state.ambiguous) return isUnknown(fields[0] as PlannedField, heldByOthers)
      if (isInside && !inside) return 'nothing'
      if (isOwn || part) return 'subject'
      holdsIndirect = true
      return alone ? 'other' : 'subject'
    }
    return compared ? [] : [elementEntry(collection, { fields, when }, says)]
  })
  const ofUnsearched = collection.judging.owners.flatMap(({ fields, when, inside, entry }) => {
    const says = () => isUnknown(fields[0] as PlannedField, 'it leads to a collection that is not searched')
    return inside && entry === undefined ? [elementEntry(collection, { fields, when }, says)] : []
  })
  const ofIdentities = identities.map(({ field, says }) =>
    elementEntry(collection, { fields: [field], when: [] }, ([value]) => {
      const whose = says(value as Value)
      return whose === 'unknown' ? isUnknown(field, namesSomebody) : whose
    }),
  )
  const prepared = [...ofEntries, ...ofUnsearched, ...ofIdentities]
  const { ownedLists = [], unownedLists = [] } = collection
  const inLists = [
    ...states.flatMap(({ entry }) => (entry.compared ? [] : entry.fields)),
    ...collection.judging.owners.flatMap(({ inside, fields }) => (inside ? fields : [])),
    ...identities.map(({ field }) => field),
  ].filter(({ filteredDepth }) => filteredDepth > 0)
  const namingPaths = states.flatMap(({ entry }, at) =>
    naming.has(at) ? [{ at, paths: entry.fields.map(({ path }) => path) }] : [],
  )
  return ({ row, document, isInside: inRowOfOthers }) => {
    isInside = inRowOfOthers
    holdsIndirect = false
    unknown.clear()
    severalNamed.clear()
    for (const { at, paths } of namingPaths) if (tuplesAt(document, paths).length > 1) severalNamed.add(at)
    for (const field of inLists)
      if (holdsPlainElement(document as Value, field, ownedLists)) isUnknown(field, standsPlain)
    const entries = prepared.map((of) => of(row, document))
    const filter = (isAlone: boolean) => {
      alone = isAlone
      return filterWithLoneElements(document, ownedLists, (each) => {
        atHand = { row, document: each }
        return filterElements(each, entries, { isInside, unowned: unownedLists })
      })
    }
    const filtered = filter(false)
    return { ...filtered, unknown: [...unknown.values()], ...((holdsIndirect as boolean) && { alone: filter(true) }) }
  }
}

const namesSomebody = 'it names somebody who may or may not be the person'
const heldByOthers = 'another row holds its value as well, so it is unclear which of them is meant'

/**
 * Whether an element of a list, or something in one, is a plain value where the path to the field goes on. A plain value in the
 * place of such a list is its only element.
 */
function holdsPlainElement(
  document: Value,
  { path, placeholders }: Pick<PlannedField, 'path' | 'placeholders'>,
  lists: NonNullable<PlannedCollection['ownedLists']>,
): boolean {
  const isList = (depth: number) => lists.some((list) => list.length === depth && isWithin(path, list))
  const holds = (value: Value | undefined, depth: number, isInList: boolean): boolean => {
    const name = path[depth]
    if (name === undefined) return false
    if (Array.isArray(value)) return value.some((element: Value) => holds(element, depth, true))
    if (isMembers(value)) return holds(memberOf(value, name), depth + 1, isInList)
    return (isInList || isList(depth)) && !isBlank(value, placeholders)
  }
  return holds(document, 0, false)
}

/** Tells what fields say of the elements of a row, where they hold something and the conditions beside them are met. */
function elementEntry(
  collection: PlannedCollection,
  { fields, when }: Pick<Entry, 'fields' | 'when'>,
  says: ElementEntry['says'],
): (row: Row, document: Document) => ElementEntry {
  const { joint, apart } = conditionsBeside(fields, when)
  const isMet = conditionsMet(joint)
  const meets = conditionReader(collection, apart)
  const isNobody = (values: readonly Value[]) => values.some((value, at) => isBlank(value, fields[at]?.placeholders))
  const compared = [...fields, ...joint.map(({ path }) => ({ path, filteredDepth: 0 }))]
  return (row, document) => {
    const met = meets(row, document)
    return {
      fields: compared,
      says: (values, marks) => {
        const held = values.slice(0, fields.length)
        return !met || !isMet(values.slice(fields.length)) || isNobody(held) ? 'nothing' : says(held, marks)
      },
    }
  }
}
