import type { Identity } from '../model/identity.js'
import type { KeyGroup } from '../ports/connector.js'
import type { IdentityFeed, PlannedCollection, PlannedField } from '../rules/plan.js'
import { type Key, keySet } from './key-set.js'
import { keyOf } from './key-values.js'
import type { OpenConnection } from './open-connections.js'

/** The key an identity object is for a feed; undefined when a value cannot be what its field holds. */
export function identityKeyOf(
  collection: PlannedCollection,
  feed: IdentityFeed,
  identities: readonly Identity[],
): Key | undefined {
  const fields = collection.slots[feed.slot]?.fields ?? []
  return keyFor(feed.properties, fields, identities[feed.object])
}

function keyFor(properties: readonly string[], fields: readonly PlannedField[], identity?: Identity): Key | undefined {
  return keyOf(
    properties.map((property) => identity?.[property]),
    fields,
    fields.map((field) => field.placeholders),
    [],
  )
}

/**
 * How many rows hold some but not all properties of an identity object: counted, never read (§7.3). Objects that do not
 * fit into one statement are counted in several, where a row near to two of them counts twice.
 */
export async function countNearMatches(
  collection: PlannedCollection,
  identities: readonly Identity[],
  open: OpenConnection,
  signal: AbortSignal,
): Promise<number> {
  const feeds = collection.identities.filter((each) => each.confirms)
  const count = async (anyOf: readonly KeyGroup[]) => {
    if (anyOf.length === 0) return 0
    using _place = await open.place(signal)
    return await open.connection.count({ collection: collection.collection, anyOf }, { signal })
  }
  let total = 0
  for (const asked of portions(feeds, open.connector.capabilities.maxKeys)) {
    const some: KeyGroup[] = []
    const all: KeyGroup[] = []
    for (const { slot, object, properties } of asked) {
      const fields = collection.slots[slot]?.fields ?? []
      all.push(...keyGroup(properties, fields, identities[object]))
      for (const [at, property] of properties.entries()) {
        some.push(...keyGroup([property], [fields[at] as PlannedField], identities[object]))
      }
    }
    const [partly, wholly] = await Promise.all([count(some), count(all)])
    total += Math.max(0, partly - wholly)
  }
  return total
}

function portions(feeds: readonly IdentityFeed[], maxKeys: number): IdentityFeed[][] {
  const result: IdentityFeed[][] = []
  let room = 0
  for (const feed of feeds) {
    room -= feed.properties.length
    if (room < 0) {
      result.push([])
      room = maxKeys - feed.properties.length
    }
    result.at(-1)?.push(feed)
  }
  return result
}

/** One key as a group of a statement; none when it loses a value. */
function keyGroup(properties: readonly string[], fields: readonly PlannedField[], identity?: Identity): KeyGroup[] {
  const key = keyFor(properties, fields, identity)
  if (key === undefined) return []
  const keys = keySet(fields)
  keys.add(key)
  return [{ fields, values: fields.map((_, part) => keys.column(part, 0, 1)) }]
}
