import type { Identity } from '../../model/identity.js'
import type { Row } from '../../ports/connector.js'
import type { Document } from '../../rules/erase/filter-elements.js'
import type { IdentitySeed, Plan, PlannedCollection } from '../../rules/plan/plan.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { identityGroups, identityMatcher, type KnownIdentities } from './identity-matcher.js'
import { elementsOf } from './key-reader.js'
import { rivalFields, rivals, sharedProperties } from './rivals.js'

/** What rows say about the properties of identity objects that have several. */
export interface Confirmation {
  /** Whether a row matches the property together with another one of its object. */
  readonly confirmed: (object: number, property: string) => boolean
  /**
   * Whether rows that match these properties of an object, and hold no other of it, are the person's: one property has to be
   * confirmed, and no row may match it and differ in another one; and they are not several people's.
   */
  readonly findsAlone: KnownIdentities['findsAlone']
  /** By address, rows that match some properties of an object and differ in others. */
  readonly nearMatches: ReadonlyMap<string, number>
  /** The same as data, for the signature of what rests on it. */
  readonly told: readonly string[]
}

/**
 * Asks the collections that hold several properties of one identity object whether these belong together, and those in
 * which an e-mail address, or what is unique, tells apart people who share what is looked for. Nothing else is asked.
 */
export async function confirmIdentities(options: {
  readonly plan: Plan
  readonly identities: readonly Identity[]
  readonly connection: (key: string, address: string) => Promise<OpenConnection>
  readonly signal: AbortSignal
}): Promise<Confirmation> {
  const { plan, identities, connection, signal } = options
  const confirmed = new Set<string>()
  const near = new Set<string>()
  const nearMatches = new Map<string, number>()
  const confirming = new Set(plan.identities.flatMap(({ confirmedBy }) => confirmedBy))
  for (const planned of plan.collections) {
    const isConfirming = confirming.has(planned.address)
    const mayHaveRivals = ({ object, property }: IdentitySeed) =>
      rivalFields(planned, identities[object] ?? {}).length > 0 && sharedProperties(planned, [property]).length > 0
    const isSettled = ({ object, property }: IdentitySeed) => near.has(nameOf(object, [property]))
    const seeds = planned.identities.filter((seed) => {
      if (isConfirming && (plan.identities[seed.object]?.properties.length ?? 0) > 1) return true
      return mayHaveRivals(seed) && !isSettled(seed)
    })
    const groups = identityGroups(planned, seeds, identities)
    if (groups.length === 0) continue
    const { connector, connection: opened, permit } = await connection(planned.connectionKey, planned.address)
    // Whoever looks people up by hand is asked once, by the run itself.
    if (connector.type === 'manual' && !isConfirming) continue
    const columns = [...new Set(planned.judging.identities.map(({ field }) => field.path[0] as string))]
    const seen = { ...planned, columns }
    const objects = [...new Set(seeds.map(({ object }) => object))]
    const readers = objects.map((object) => ({ object, read: objectReader(seen, identities, object) }))
    using _permit = await permit(signal)
    for await (const rows of opened.read({ collection: planned.collection, columns, anyOf: groups }, { signal })) {
      for (const row of rows) {
        const document = elementsOf(seen, row)
        let isNear = false
        for (const { object, read } of readers) {
          const { kind, properties, others } = read(row, document)
          const into = kind === 'match' ? confirmed : kind === 'part' ? near : undefined
          isNear ||= kind === 'part'
          for (const property of properties) into?.add(nameOf(object, [property]))
          for (const shared of others) near.add(nameOf(object, shared))
        }
        if (isNear) nearMatches.set(planned.address, (nearMatches.get(planned.address) ?? 0) + 1)
      }
      if (!isConfirming && seeds.every(isSettled)) break
    }
  }
  const isConfirmed = (object: number, property: string) =>
    plan.identities[object]?.alone.includes(property) === true || confirmed.has(nameOf(object, [property]))
  return {
    confirmed: isConfirmed,
    findsAlone: (object, properties) =>
      (properties.length > 1 || isConfirmed(object, properties[0] as string)) && !near.has(nameOf(object, properties)),
    nearMatches,
    told: [[...confirmed].sort().join(), [...near].sort().join()],
  }
}

/** Of more properties than these together people are told apart by some of them: fewer find more. */
const mostTogether = 6

function nameOf(object: number, properties: readonly string[]): string {
  return JSON.stringify([object, ...properties.toSorted().slice(0, mostTogether)])
}

/** Whoever holds several properties holds each of them, and any two. */
function subsetsOf(properties: readonly string[]): readonly (readonly string[])[] {
  const all: string[][] = [[]]
  for (const each of properties) for (const set of [...all]) all.push([...set, each])
  return all.filter((set) => set.length > 0)
}

/** Tells of rows how they match an identity object, and by which of its properties they are not those of one person. */
function objectReader(seen: PlannedCollection, identities: readonly Identity[], object: number) {
  const match = identityMatcher(seen, {
    identities: identities.map((identity, at) => (at === object ? identity : {})),
    findsAlone: (_, { length }) => length > 1,
    learned: new Map(),
    learnable: new Set(),
  })
  const propertyOf = new Map(seen.judging.identities.map(({ property, field }) => [field.name, property]))
  const telling = rivalFields(seen, identities[object] ?? {})
  const readers = new Map<string, ReturnType<typeof rivals>>()
  const known = new Set<string>()
  return (row: Row, document: Document | undefined) => {
    const { kind, matching } = match(row, document)
    const properties = [...new Set(matching.map((field) => propertyOf.get(field) as string))]
    const shared = telling.length > 0 ? sharedProperties(seen, properties) : []
    const alike = subsetsOf(shared.toSorted().slice(0, mostTogether))
    const others = alike.filter((each) => {
      const name = nameOf(object, each)
      if (known.has(name)) return false
      const isOther = readers.get(name) ?? rivals(seen, telling)
      readers.set(name, isOther)
      if (!isOther(row, document)) return false
      known.add(name)
      return true
    })
    return { kind, properties, others }
  }
}
