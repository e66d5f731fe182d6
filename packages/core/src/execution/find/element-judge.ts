import type { Value } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'
import {
  type Document,
  type ElementEntry,
  type FilteredDocument,
  filterElements,
} from '../../rules/erase/filter-elements.js'
import { filterWithLoneElements } from '../../rules/erase/lone-elements.js'
import type { Entry, PlannedCollection } from '../../rules/plan/plan.js'
import type { PlannedField } from '../../rules/plan/planned-field.js'
import { isBlank } from '../../rules/value/cast-value.js'
import type { EntryState } from './entry-state.js'
import { elementIdentities, type KnownIdentities } from './identity-matcher.js'
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
}

/** What of a row with lists is the subject's, and why more of it may be. */
export interface SubjectsElements extends FilteredDocument {
  readonly unknown: readonly UnknownElements[]
}

/** Decides whose the elements of rows are, by all keys found so far. */
export function elementJudge(collection: PlannedCollection, states: readonly EntryState[], known: KnownIdentities) {
  const searched = states.filter(({ entry }) => !entry.compared)
  const identities = elementIdentities(collection, known)
  const unsearched = collection.judging.owners.filter(({ inside, entry }) => inside && entry === undefined)
  return ({ row, document, isInside }: RowWithElements): SubjectsElements => {
    const unknown = new Map<string, UnknownElements>()
    const isUnknown = (field: PlannedField, why: string) => {
      unknown.set(field.name, { field, why })
      return 'other' as const
    }
    const said = searched.map(({ entry, own, indirect, ambiguous }) => {
      const { fields, when, inside, part } = entry
      return elementEntry(collection, { row, document }, { fields, when }, (values) => {
        const key = keyOf(
          values,
          fields,
          fields.map((field) => field.placeholders),
        )
        if (key === undefined || (own.keys.find(key) === -1 && indirect.keys.find(key) === -1))
          return part ? 'nothing' : 'other'
        if (inside && ambiguous) return isUnknown(fields[0] as PlannedField, heldByOthers)
        return isInside && !inside ? 'nothing' : 'subject'
      })
    })
    const ofUnsearched = unsearched.map(({ fields, when }) =>
      elementEntry(collection, { row, document }, { fields, when }, () =>
        isUnknown(fields[0] as PlannedField, 'it leads to a collection that is not searched'),
      ),
    )
    const ofIdentities = identities.map(({ field, says }) =>
      elementEntry(collection, { row, document }, { fields: [field], when: [] }, ([value]) => {
        const whose = says(value as Value)
        return whose === 'unknown' ? isUnknown(field, 'it names somebody who may or may not be the person') : whose
      }),
    )
    const entries = [...said, ...ofUnsearched, ...ofIdentities]
    const filtered = filterWithLoneElements(document, collection.ownedLists ?? [], (each) =>
      filterElements(each, entries, isInside),
    )
    return { ...filtered, unknown: [...unknown.values()] }
  }
}

const heldByOthers = 'another row holds its value as well, so it is unclear which of them is meant'

/** What fields say of the elements of one row, where they hold something and the conditions beside them are met. */
function elementEntry(
  collection: PlannedCollection,
  { row, document }: Pick<RowWithElements, 'row' | 'document'>,
  { fields, when }: Pick<Entry, 'fields' | 'when'>,
  says: ElementEntry['says'],
): ElementEntry {
  const { joint, apart } = conditionsBeside(fields, when)
  const isMet = conditionsMet(joint)
  const met = conditionReader(collection, apart)(row, document)
  const isNobody = (values: readonly Value[]) => values.some((value, at) => isBlank(value, fields[at]?.placeholders))
  return {
    fields: [...fields, ...joint.map(({ path }) => ({ path, filteredDepth: 0 }))],
    says: (values) => {
      const held = values.slice(0, fields.length)
      return !met || !isMet(values.slice(fields.length)) || isNobody(held) ? 'nothing' : says(held)
    },
  }
}
