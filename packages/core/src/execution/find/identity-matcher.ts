import type { Identity } from '../../model/identity.js'
import type { Value } from '../../model/value.js'
import type { KeyGroup, Row } from '../../ports/connector.js'
import { type Document, tuplesAt } from '../../rules/erase/filter-elements.js'
import type { Entry, IdentitySeed, PlannedCollection } from '../../rules/plan/plan.js'
import type { PlannedField } from '../../rules/plan/planned-field.js'
import type { JudgedIdentity } from '../../rules/plan/planned-judging.js'
import { ownColumns } from '../../rules/plan/spelled-column.js'
import { isBlank } from '../../rules/value/cast-value.js'
import { keyGroup } from './entry-state.js'
import { identifyingTexts } from './identifying-texts.js'
import { bindable, eachForm, type Key, keyOf } from './key-of.js'
import { keyReader } from './key-reader.js'
import { type KeySet, keySet } from './key-set.js'

/** The keys of an identity object for a seed, one for each form. None where the field of the seed cannot hold the value. */
export function identityKeysOf(
  { entries }: PlannedCollection,
  { entry, object, property }: IdentitySeed,
  identities: readonly Identity[],
): readonly Key[] {
  return keysOf(identities[object]?.[property], entries[entry]?.fields ?? [])
}

/** The keys of a value that comes from no column. In fields with a type, a text of digits stays a text. */
function keysOf(value: Value | undefined, fields: readonly PlannedField[]): readonly Key[] {
  const placeholders = fields.map((field) => field.placeholders)
  if (isBlank(value, placeholders[0])) return []
  return eachForm([value], fields, asText).flatMap((tuple) => keyOf(tuple, fields, placeholders, noColumn) ?? [])
}

const asText = [{ kind: 'string' }] as const
const noColumn = [{}]

/** The keys with which seeds find rows. A seed whose field cannot hold the value has none. */
export function identityGroups(
  planned: PlannedCollection,
  seeds: readonly IdentitySeed[],
  identities: readonly Identity[],
): readonly KeyGroup[] {
  return seeds.flatMap((seed) => {
    const entry = planned.entries[seed.entry] as Entry
    const keys = keySet(entry.fields)
    for (const key of identityKeysOf(planned, seed, identities)) keys.add(key)
    return keys.size === 0 ? [] : [keyGroup(entry, keys, 0, keys.size)]
  })
}

/** What is known about the identities of the request. */
export interface KnownIdentities {
  readonly identities: readonly Identity[]
  /** Whether a row is the subject's if it matches these properties and holds no other property of the object. */
  readonly findsAlone: (object: number, properties: readonly string[]) => boolean
  /** Values, without a type, of properties that the request lacks. Rows that an identity found hold them. */
  readonly learned: Pick<ReadonlyMap<string, KeySet>, 'get'>
  /** Names of properties that the request lacks and that some collection may hold. */
  readonly learnable: ReadonlySet<string>
}

/**
 * What the identity fields of a row say. `match`: all its values are the subject's. `doubtful`: it matches by properties
 * that do not find rows alone. `part`: some values match, others do not. `other`: no value matches. `unknown`: it holds
 * properties whose values for the subject are not known. `none`: it holds no identity.
 */
export interface IdentityVerdict {
  readonly kind: 'match' | 'doubtful' | 'part' | 'other' | 'unknown' | 'none'
  /** Names of the fields that match, and of those that do not. */
  readonly matching: readonly string[]
  readonly differing: readonly string[]
  /** Names of fields for which the subject's value is not known. */
  readonly unknown: readonly string[]
  /** Decided by properties of the request, and not by learned ones. */
  readonly direct: boolean
}

const noMatch: IdentityVerdict = { kind: 'none', matching: [], differing: [], unknown: [], direct: false }

/** Compares the identity fields of rows with the known identities of the subject. */
export function identityMatcher(
  collection: PlannedCollection,
  identities: readonly JudgedIdentity[],
  request: KnownIdentities,
) {
  const fields = identities.map((each) => fieldReader(collection, each, request))
  if (fields.length === 0) return () => noMatch
  return (row: Row, document?: Document): IdentityVerdict => {
    const held = fields.filter((field) => field.read(row, document))
    if (held.length === 0) return noMatch
    const asked = held.filter(({ isAsked }) => isAsked)
    const unknown = names(held.filter(({ isAsked, isKnown }) => !isAsked && !isKnown()))
    let best: IdentityVerdict | undefined
    for (const object of request.identities.keys()) {
      const verdict = ofObject(object, asked, request, document)
      if (verdict && (!best || rank[verdict.kind] < rank[best.kind])) best = verdict
    }
    if (best?.kind === 'match') return { ...best, differing: differingFromAll(best, asked, request), unknown }
    if (best) return { ...best, unknown }
    const known = held.filter(({ isKnown }) => isKnown())
    if (known.length === 0) return { ...noMatch, kind: 'unknown', unknown }
    const matching = known.filter(({ isLearned }) => isLearned())
    return { ...verdictOf(matching, known, false), unknown }
  }
}

/** The fields whose values no identity of the request explains. Another one of them may find rows by such a value. */
function differingFromAll(
  { differing }: IdentityVerdict,
  asked: readonly Field[],
  { identities, findsAlone }: KnownIdentities,
): readonly string[] {
  const explains = ({ holds, property }: Field) =>
    identities.some((_, object) => holds(object) && findsAlone(object, [property]))
  return differing.filter((name) => !asked.some((field) => field.name === name && explains(field)))
}

/** The fields of identities, each with a test of a value for an identity object of the request. */
export function searchedIdentities(collection: PlannedCollection, request: KnownIdentities) {
  return collection.judging.identities.map((each) => {
    const { property, path, isValue } = fieldReader(collection, each, request)
    return { property, path, isValue }
  })
}

/** What an identity in an element says: whether it is the subject's, or that the subject's is not known. */
export type ElementIdentity = 'subject' | 'other' | 'unknown' | 'nothing'

/** The identities of elements by which no search finds them, as those of properties that the request lacks. */
export function elementIdentities(collection: PlannedCollection, known: KnownIdentities) {
  const searched = new Set(collection.identities.map(({ entry }) => collection.entries[entry]?.fields[0]?.name))
  return collection.judging.identities
    .filter(({ inside, field }) => inside && !searched.has(field.name))
    .map((each) => {
      const { field } = each
      const { isKnown, isAsked, says } = fieldReader(collection, each, known)
      return {
        field,
        says(value: Value): ElementIdentity {
          if (isBlank(value, field.placeholders)) return 'nothing'
          return says(value) ? 'subject' : isAsked || isKnown() ? 'other' : 'unknown'
        },
      }
    })
}

/**
 * Reads the names of the fields of a row that hold an identity of the request, even if the row is another person's. Looks
 * at identity fields and at all other columns that are read.
 */
export function heldIdentities(collection: PlannedCollection, identities: readonly Identity[]) {
  const known = { identities, findsAlone: () => true, learned: new Map(), learnable: new Set<string>() }
  const fields = collection.judging.identities.map((each) => fieldReader(collection, each, known))
  const objects = [...identities.keys()]
  const texts = identifyingTexts(identities)
  const columns = ownColumns(collection.columns)
  return (row: Row, document?: Document): readonly string[] => {
    const declared = names(fields.filter((field) => field.read(row, document) && objects.some(field.holds)))
    return [...new Set([...declared, ...texts(row, columns)])]
  }
}

const rank = { match: 0, doubtful: 1, part: 2, other: 3, unknown: 4, none: 5 } as const

type Field = ReturnType<typeof fieldReader>

const names = (fields: readonly Field[]) => fields.map(({ name }) => name)

function ofObject(
  object: number,
  asked: readonly Field[],
  known: KnownIdentities,
  document: Document | undefined,
): IdentityVerdict | undefined {
  const identity = known.identities[object] as Identity
  const held = asked.filter(({ property }) => Object.hasOwn(identity, property))
  if (held.length === 0) return undefined
  const matching = held.filter((field) => field.holds(object))
  const verdict = verdictOf(matching, held, true)
  if (verdict.kind !== 'match') return verdict
  const properties = [...new Set(matching.map(({ property }) => property))]
  if (properties.length > 1 && !isTogether(object, matching, document)) return { ...verdict, kind: 'part' }
  return known.findsAlone(object, properties) ? verdict : { ...verdict, kind: 'doubtful' }
}

/** A property matches when one of its fields does. */
function verdictOf(matching: readonly Field[], held: readonly Field[], direct: boolean): IdentityVerdict {
  const matched = new Set(matching.map(({ property }) => property))
  const differing = names(held.filter((field) => !matching.includes(field)))
  if (matched.size === 0) return { ...noMatch, kind: 'other', differing, direct }
  const kind = held.every(({ property }) => matched.has(property)) ? 'match' : 'part'
  return { ...noMatch, kind, matching: names(matching), differing, direct }
}

/** Fields of one list match together only within one element. */
function isTogether(object: number, fields: readonly Field[], document: Document | undefined): boolean {
  if (!document) return true
  const firsts = [...new Map(fields.map((field) => [field.property, field])).values()]
  const paths = firsts.map(({ path }) => path)
  return tuplesAt(document, paths).some(({ values }) =>
    firsts.every((field, at) => field.isValue(object, values[at] as never)),
  )
}

function fieldReader(
  collection: PlannedCollection,
  { property, field }: JudgedIdentity,
  { identities, learned, learnable }: KnownIdentities,
) {
  const read = keyReader(collection, [field])
  const wanted = identities.map((identity) => {
    const keys = keySet([field])
    for (const key of keysOf(identity[property], [field])) keys.add(key)
    return keys
  })
  const isAsked = identities.some((identity) => Object.hasOwn(identity, property))
  let learnedKeys = keySet([field])
  let learnedSize = -1
  /** Learned values of rows of other collections, in the type of this field. */
  const known = (): KeySet | undefined => {
    const values = learned.get(property)
    if (!values) return undefined
    if (learnedSize !== values.size) {
      learnedSize = values.size
      learnedKeys = keySet([field])
      for (let at = 0; at < values.size; at++) {
        for (const key of keysOf(bindable(undefined, String(values.at(at))), [field])) learnedKeys.add(key)
      }
    }
    return learnedKeys
  }
  let held: Key[] = []
  return {
    property,
    name: field.name,
    path: field.path,
    isAsked,
    /** Reads the values of a row, for the methods below. Returns whether there are any. */
    read(row: Row, document: Document | undefined): boolean {
      held = []
      read(row, document, (key) => void held.push(key))
      return held.length > 0
    },
    holds: (object: number) => held.some((key) => (wanted[object] as KeySet).find(key) !== -1),
    isValue(object: number, value: Parameters<typeof keyOf>[0][number]): boolean {
      const key = keyOf([value], [field], [field.placeholders])
      return key !== undefined && (wanted[object] as KeySet).find(key) !== -1
    },
    /** Whether a value is one of the request, or a learned one. */
    says(value: Value): boolean {
      const key = keyOf([value], [field], [field.placeholders])
      return key !== undefined && [...wanted, known()].some((keys) => (keys?.find(key) ?? -1) !== -1)
    },
    isKnown: () => (known()?.size ?? 0) > 0 || learnable.has(property),
    isLearned: () => held.some((key) => (known()?.find(key) ?? -1) !== -1),
  }
}
