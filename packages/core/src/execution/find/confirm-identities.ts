import type { Identity } from '../../model/identity.js'
import type { Value } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'
import type { Document } from '../../rules/erase/filter-elements.js'
import type { IdentitySeed, Plan, PlannedCollection } from '../../rules/plan/plan.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { elementsHolding } from './elements-holding.js'
import { identityGroups, identityMatcher, type KnownIdentities, searchedIdentities } from './identity-matcher.js'
import { elementsOf } from './key-reader.js'
import { rivalFields, rivals, sharedProperties } from './rivals.js'

/** What rows say about identity objects with several properties. */
export interface Confirmation {
  /** Whether a row matches the property together with another property of its object. */
  readonly confirmed: (object: number, property: string) => boolean
  /**
   * Whether a row is the subject's if it matches these properties and holds no other property of the object. A single
   * property must be confirmed. No row may match the properties and differ in another one, and no two people may share them.
   */
  readonly findsAlone: KnownIdentities['findsAlone']
  /** The number of rows, by address, that match some properties of an object and differ in others. */
  readonly nearMatches: ReadonlyMap<string, number>
  /** The confirmation as texts, for the signatures of checkpoints. */
  readonly asTexts: readonly string[]
}

/**
 * Reads collections that hold several properties of one identity object, to see whether these belong together. Also reads
 * collections in which an e-mail address or a unique field distinguishes people who share the searched values.
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
    // People who look rows up by hand are asked only once, by the run itself.
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
    asTexts: [[...confirmed].sort().join(), [...near].sort().join()],
  }
}

/** The most properties that are compared together. Fewer properties match more rows. */
const maxTogether = 6

function nameOf(object: number, properties: readonly string[]): string {
  return JSON.stringify([object, ...properties.toSorted().slice(0, maxTogether)])
}

/** All subsets except the empty one. A row that holds several properties also holds each subset of them. */
function subsetsOf(properties: readonly string[]): readonly (readonly string[])[] {
  const all: string[][] = [[]]
  for (const each of properties) for (const set of [...all]) all.push([...set, each])
  return all.filter((set) => set.length > 0)
}

/** Reads how rows match an identity object, and which of its properties several people share. */
function objectReader(seen: PlannedCollection, identities: readonly Identity[], object: number) {
  const request: KnownIdentities = {
    identities: identities.map((identity, at) => (at === object ? identity : {})),
    findsAlone: (_, { length }) => length > 1,
    learned: new Map(),
    learnable: new Set(),
  }
  const match = identityMatcher(seen, seen.judging.identities, request)
  const searched = searchedIdentities(seen, request)
  /** The elements that hold values of the properties, or the whole row where it holds them in no list of objects. */
  const holding = (
    document: Document | undefined,
    properties: readonly string[],
  ): readonly (Document | undefined)[] => {
    const fieldsOf = (property: string) =>
      searched
        .filter((field) => field.property === property)
        .map(({ path, isValue }) => ({ path, isValue: (value: Value) => isValue(object, value) }))
    const elements = document ? elementsHolding(document, properties.map(fieldsOf)) : []
    return elements.length > 0 ? elements : [document]
  }
  const propertyOf = new Map(seen.judging.identities.map(({ property, field }) => [field.name, property]))
  const propertiesOf = (fields: readonly string[]) => [
    ...new Set(fields.map((field) => propertyOf.get(field) as string)),
  ]
  const telling = rivalFields(seen, identities[object] ?? {})
  const readers = new Map<string, ReturnType<typeof rivals>>()
  const known = new Set<string>()
  return (row: Row, document: Document | undefined) => {
    const { kind, matching } = match(row, document)
    const properties = propertiesOf(matching)
    const shared = telling.length > 0 ? sharedProperties(seen, properties) : []
    const alike = subsetsOf(shared.toSorted().slice(0, maxTogether))
    const others = alike.filter((each) => {
      const name = nameOf(object, each)
      if (known.has(name)) return false
      const isOther = readers.get(name) ?? rivals(seen, telling)
      readers.set(name, isOther)
      // each element is asked, so that later rows are compared with all of them
      const answers = holding(document, each).map((held) => isOther(row, held))
      if (!answers.includes(true)) return false
      known.add(name)
      return true
    })
    const elements = document ? sharedProperties(seen, properties).flatMap((each) => holding(document, [each])) : []
    const inPart = elements.map((element) => match(row, element)).filter((each) => each.kind === 'part')
    const near = inPart.map((each) => propertiesOf(each.matching))
    return { kind, properties, others: [...others, ...near] }
  }
}
