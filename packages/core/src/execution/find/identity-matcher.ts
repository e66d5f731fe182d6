import type { Identity } from '../../model/identity.js'
import type { KeyGroup, Row } from '../../ports/connector.js'
import { type Document, tuplesAt } from '../../rules/erase/filter-elements.js'
import type { Entry, IdentitySeed, PlannedCollection } from '../../rules/plan/plan.js'
import type { JudgedIdentity } from '../../rules/plan/planned-judging.js'
import { ownColumns } from '../../rules/plan/spelled-column.js'
import { keyGroup } from './entry-state.js'
import { bindable, type Key, keyOf } from './key-of.js'
import { keyReader } from './key-reader.js'
import { type KeySet, keySet } from './key-set.js'
import { tellingTexts } from './telling-texts.js'

/** The key an identity object is for a feed; undefined when a value cannot be what its field holds. */
export function identityKeyOf(
  { entries }: PlannedCollection,
  { entry, object, property }: IdentitySeed,
  identities: readonly Identity[],
): Key | undefined {
  const fields = entries[entry]?.fields ?? []
  return keyOf(
    [identities[object]?.[property]],
    fields,
    fields.map((field) => field.placeholders),
    asSaid,
  )
}

/** What a caller says comes from no column: a text is no number because it could be read as one. */
const asSaid = [{}]

/** What is to be asked for where feeds find rows: nothing of a feed whose value its field cannot hold. */
export function identityGroups(
  planned: PlannedCollection,
  seeds: readonly IdentitySeed[],
  identities: readonly Identity[],
): readonly KeyGroup[] {
  return seeds.flatMap((seed) => {
    const entry = planned.entries[seed.entry] as Entry
    const key = identityKeyOf(planned, seed, identities)
    if (key === undefined) return []
    const keys = keySet(entry.fields)
    keys.add(key)
    return [keyGroup(entry, keys, 0, 1)]
  })
}

/** What is known of the request's identities beside their values. */
export interface KnownIdentities {
  readonly identities: readonly Identity[]
  /** Whether rows are the person's that match these properties of an object and hold no other of it. */
  readonly findsAlone: (object: number, properties: readonly string[]) => boolean
  /** Properties the request lacks, as rows found by an identity tell them: values without a kind. */
  readonly learned: Pick<ReadonlyMap<string, KeySet>, 'get'>
  /** Names of properties the request lacks that some collection may tell. */
  readonly learnable: ReadonlySet<string>
}

/**
 * What the identity fields of a row say. `match`: all that it holds is the person's. `doubtful`: it holds a property that
 * does not find rows alone. `part`: some match, some do not. `other`: none does. `unknown`: it holds identities of which
 * nobody knows the person's. `none`: it holds none.
 */
export interface IdentityVerdict {
  readonly kind: 'match' | 'doubtful' | 'part' | 'other' | 'unknown' | 'none'
  /** Names of fields that match, and that do not. */
  readonly matching: readonly string[]
  readonly differing: readonly string[]
  /** Names of fields of which nobody knows what the person has there. */
  readonly unknown: readonly string[]
  /** By the request's own properties, and not by what other rows tell. */
  readonly direct: boolean
}

const noMatch: IdentityVerdict = { kind: 'none', matching: [], differing: [], unknown: [], direct: false }

/** Compares what the identity fields of rows hold with what is known of the person. */
export function identityMatcher(collection: PlannedCollection, known: KnownIdentities) {
  const fields = collection.judging.identities.map((each) => fieldReader(collection, each, known))
  if (fields.length === 0) return () => noMatch
  return (row: Row, document?: Document): IdentityVerdict => {
    const held = fields.filter((field) => field.read(row, document))
    if (held.length === 0) return noMatch
    const asked = held.filter(({ isAsked }) => isAsked)
    const unknown = names(held.filter(({ isAsked, isKnown }) => !isAsked && !isKnown()))
    let best: IdentityVerdict | undefined
    for (const object of known.identities.keys()) {
      const verdict = ofObject(object, asked, known, document)
      if (verdict && (!best || rank[verdict.kind] < rank[best.kind])) best = verdict
    }
    if (best) return { ...best, unknown }
    const told = held.filter(({ isKnown }) => isKnown())
    if (told.length === 0) return { ...noMatch, kind: 'unknown', unknown }
    const matching = told.filter(({ isLearned }) => isLearned())
    return { ...verdictOf(matching, told, false), unknown }
  }
}

/**
 * Names of the fields of a row that hold a value of any identity of the request, whosever the row is: of its identities, and
 * of whatever else is read.
 */
export function heldIdentities(collection: PlannedCollection, identities: readonly Identity[]) {
  const known = { identities, findsAlone: () => true, learned: new Map(), learnable: new Set<string>() }
  const fields = collection.judging.identities.map((each) => fieldReader(collection, each, known))
  const objects = [...identities.keys()]
  const texts = tellingTexts(identities)
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

/** What lies in one list has to be met by one of its elements. */
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
    const key = keyOf([identity[property]], [field], [field.placeholders], asSaid)
    if (key !== undefined) keys.add(key)
    return keys
  })
  const isAsked = identities.some((identity) => Object.hasOwn(identity, property))
  let told = keySet([field])
  let messageOf = -1
  /** Values that rows of other collections have told, in the type of this field. */
  const known = (): KeySet | undefined => {
    const values = learned.get(property)
    if (!values) return undefined
    if (messageOf !== values.size) {
      messageOf = values.size
      told = keySet([field])
      for (let at = 0; at < values.size; at++) {
        const key = keyOf([bindable(undefined, String(values.at(at)))], [field], [field.placeholders], asSaid)
        if (key !== undefined) told.add(key)
      }
    }
    return told
  }
  let held: Key[] = []
  return {
    property,
    name: field.name,
    path: field.path,
    isAsked,
    /** Whether the row holds something there, which is what the other questions are about. */
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
    isKnown: () => (known()?.size ?? 0) > 0 || learnable.has(property),
    isLearned: () => held.some((key) => (known()?.find(key) ?? -1) !== -1),
  }
}
