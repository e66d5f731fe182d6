import type { ErasedConnection, ErasurePlan } from '../erase/erasure-plan.js'
import { appendTo } from '../value/append-to.js'
import type { IdentityEntries, IdentityEntry } from './identity-entries.js'
import type { Traversal, Way } from './traversal.js'

/**
 * The collections to read: those that are targeted or counted, all that lead to them, and those that say something
 * about the identities by which these are searched.
 */
export function neededCollections(
  { order }: Traversal,
  leads: readonly Way[],
  counting: readonly string[],
  isTargeted: (address: string) => boolean,
  confirmingFor: (needed: ReadonlySet<string>) => readonly string[],
): Set<string> {
  const before = new Map<string, string[]>()
  for (const { from, to } of leads) appendTo(before, to, from)
  const reached = new Set(order)
  const isCounting = new Set(counting)
  const needed = new Set(order.filter((address) => isTargeted(address) || isCounting.has(address)))
  const queue = [...needed]
  const add = (address: string) => {
    if (needed.has(address)) return
    needed.add(address)
    queue.push(address)
  }
  for (let at = 0; at < queue.length; at++) {
    for (const from of before.get(queue[at] as string) ?? []) add(from)
    // These collections are also searched, and may themselves depend on others.
    if (at === queue.length - 1) for (const address of confirmingFor(needed)) if (reached.has(address)) add(address)
  }
  return needed
}

/**
 * Collections that say something about the identities by which others are searched, though nothing else needs them. A
 * row confirms there that properties belong together, or e-mail addresses show that several people share something,
 * such as a telephone.
 */
export function confirmingCollections(
  { entries, fields, objects }: IdentityEntries,
  needed: ReadonlySet<string>,
): string[] {
  const found = new Set<string>()
  const shared = new Set<string>()
  const shareable = ({ object, property }: IdentityEntry) =>
    property === 'email' || objects[object]?.properties.includes('email') ? [] : [`${object} ${property}`]
  for (const address of needed) {
    for (const entry of entries.get(address) ?? []) {
      if (entry.needsConfirmation) for (const each of objects[entry.object]?.confirmers ?? []) found.add(each)
      for (const each of shareable(entry)) shared.add(each)
    }
  }
  if (shared.size > 0) {
    for (const [address, into] of entries) {
      const tells = fields.get(address)?.has('email') && into.flatMap(shareable).some((each) => shared.has(each))
      if (tells) found.add(address)
    }
  }
  return [...found].filter((address) => !needed.has(address))
}

/**
 * Ways to rows that refer to rows to erase. Only when the person's rows are found can they be told apart from others.
 * Collections that people look up by hand are left out.
 */
export function countedBy({ erasures }: ErasurePlan, connections: ReadonlyMap<string, ErasedConnection>): Way[] {
  return [...erasures].flatMap(([to, { pointedToBy }]) =>
    pointedToBy.flatMap(({ address: from, connectionKey }): Way[] =>
      from === undefined || connections.get(connectionKey)?.manual ? [] : [{ from, to }],
    ),
  )
}
