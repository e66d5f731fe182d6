import type { Identity } from '../model/identity.js'
import type { KeyGroup } from '../ports/connector.js'
import { appendTo } from '../rules/append-to.js'
import type { IdentityFeed, Plan, PlannedCollection } from '../rules/plan.js'
import { identityKeyOf, identityMatcher } from './identity-match.js'
import { keySet } from './key-set.js'
import type { OpenConnection } from './open-connections.js'
import { haveRivals, rivalFields } from './rival-rows.js'
import { elementsOf } from './row-reader.js'
import { keyGroup } from './slot-state.js'

/** What rows say about the properties of identity objects that have several. */
export interface Confirmation {
  /** Whether a row matches the property together with another one of its object. */
  readonly confirmed: (object: number, property: string) => boolean
  /** Whether, besides, no row matches it that differs in another one, and those that do are not several people's. */
  readonly findsAlone: (object: number, property: string) => boolean
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
  const nameOf = (object: number, property: string) => JSON.stringify([object, property])
  const confirming = new Set(plan.identities.flatMap(({ confirmedBy }) => confirmedBy))
  for (const planned of plan.collections) {
    const byName = new Map<string, IdentityFeed[]>()
    for (const feed of planned.identities) appendTo(byName, nameOf(feed.object, feed.property), feed)
    for (const [name, feeds] of byName) {
      const fields = rivalFields(planned, feeds, identities[feeds[0]?.object ?? 0] ?? {})
      if (fields.length === 0 || near.has(name)) continue
      const open = await connection(planned.connectionKey, planned.address)
      // Nobody is asked to look a person up twice.
      if (open.connector.type === 'manual') continue
      if (await haveRivals(planned, feeds, fields, { identities, open, signal })) near.add(name)
    }
    if (!confirming.has(planned.address)) continue
    const feeds = planned.identities.filter(({ object }) => (plan.identities[object]?.properties.length ?? 0) > 1)
    const groups = feeds.flatMap((feed): KeyGroup[] => {
      const slot = planned.slots[feed.slot] as PlannedCollection['slots'][number]
      const keys = keySet(slot.fields)
      const key = identityKeyOf(planned, feed, identities)
      if (key !== undefined) keys.add(key)
      return keys.size === 0 ? [] : [keyGroup(slot, keys, 0, 1)]
    })
    if (groups.length === 0) continue
    const columns = [...new Set(planned.judging.identities.map(({ field }) => field.path[0] as string))]
    const seen = { ...planned, columns }
    const open = await connection(planned.connectionKey, planned.address)
    const matchers = [...new Set(feeds.map(({ object }) => object))].map((object) => ({
      object,
      match: identityMatcher(seen, {
        identities: identities.map((identity, at) => (at === object ? identity : {})),
        findsAlone: () => false,
        learned: new Map(),
        learnable: new Set(),
      }),
    }))
    const propertyOf = new Map(planned.judging.identities.map(({ property, field }) => [field.name, property]))
    using _place = await open.place(signal)
    for await (const rows of open.connection.read(
      { collection: planned.collection, columns, anyOf: groups },
      { signal },
    )) {
      for (const row of rows) {
        const document = elementsOf(seen, row)
        let isNear = false
        for (const { object, match } of matchers) {
          const { kind, matching } = match(row, document)
          const into = kind === 'match' ? confirmed : kind === 'part' ? near : undefined
          isNear ||= kind === 'part'
          for (const field of matching) into?.add(nameOf(object, propertyOf.get(field) as string))
        }
        if (isNear) nearMatches.set(planned.address, (nearMatches.get(planned.address) ?? 0) + 1)
      }
    }
  }
  const isConfirmed = (object: number, property: string) =>
    plan.identities[object]?.alone.includes(property) === true || confirmed.has(nameOf(object, property))
  return {
    confirmed: isConfirmed,
    findsAlone: (object, property) => isConfirmed(object, property) && !near.has(nameOf(object, property)),
    nearMatches,
    told: [[...confirmed].sort().join(), [...near].sort().join()],
  }
}
