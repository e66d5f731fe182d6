import { PrivacyError } from '../../errors.js'
import type { KeyGroup } from '../../ports/connector.js'
import type { Plan, PlannedCollection, PlannedOpen } from '../../rules/plan/plan.js'
import { appendTo } from '../../rules/value/append-to.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { keyGroup } from './entry-state.js'
import { type KeySet, keySet } from './key-set.js'
import type { AskedKeys, OpenKeys } from './run-component.js'
import { type CountedThere, type FoundGroups, spellingCounts } from './spelling-counts.js'

/** The number of rows that an open reference leaves undecided. */
export interface OpenCount {
  readonly open: CountedThere['open']
  /** Undefined when the rows were not counted. `why` is the reason. */
  readonly rows?: number
  readonly why?: string
}

export interface OpenCountsOptions {
  readonly plan: Plan
  readonly byAddress: ReadonlyMap<string, PlannedCollection>
  readonly open: readonly OpenKeys[]
  readonly asked: readonly AskedKeys[]
  readonly connection: (key: string, address: string) => Promise<OpenConnection>
  readonly signal: AbortSignal
  /** An erasure also counts where no index helps, and fails if it cannot count. */
  readonly erasing: boolean
  /** Told of a count that failed and is left out. */
  readonly failed: (error: unknown) => void
}

/**
 * Counts the rows that open references connect with the subject, and those that refer to it in another spelling, with one
 * statement per connection. A row counts once: found rows, and rows that an earlier open reference counted, are left out.
 */
export async function openCounts(options: OpenCountsOptions): Promise<readonly OpenCount[]> {
  const { plan, byAddress, asked, erasing } = options
  const keysOf = gathered(plan, options.open)
  const counts: OpenCount[] = []
  const byConnection = new Map<string, number[]>()
  for (const [at, open] of plan.open.entries()) {
    const keys = keysOf.get(at)
    if (!keys || keys.size === 0) counts.push({ open, rows: 0 })
    else if (open.uncounted)
      counts.push({ open, why: 'not counted, because the connector does not search by its fields' })
    else if (!open.indexed && !erasing) counts.push({ open, why: 'not counted, because no index serves its fields' })
    else appendTo(byConnection, open.connectionKey, at)
  }
  // References that fewer fields decide come first, so that as few rows as possible are counted twice.
  const decided = (at: number) => plan.open[at]?.undecidedWhileEmpty.length ?? 0
  for (const all of byConnection.values()) all.sort((one, other) => decided(one) - decided(other))
  const found = foundGroups(byAddress, asked)
  const there = new Map<string, CountedThere[]>()
  for (const all of byConnection.values())
    for (const each of openReads(plan, all, keysOf, found)) appendTo(there, each.connectionKey, each)
  for (const each of spellingCounts(byAddress, asked, found)) appendTo(there, each.connectionKey, each)
  const counted = [...there.values()].map((all) => countThere(options, all))
  return [...counts, ...(await Promise.all(counted)).flat()]
}

/** What is to be counted for open references of one connection. */
function openReads(
  { open }: Plan,
  all: readonly number[],
  keysOf: ReadonlyMap<number, KeySet>,
  found: FoundGroups,
): CountedThere[] {
  const groupOf = (at: number): KeyGroup => {
    const { fields, when } = open[at] as PlannedOpen
    const keys = keysOf.get(at) as KeySet
    return keyGroup({ fields, when, indexed: true }, keys, 0, keys.size)
  }
  return all.map((at, position) => {
    const planned = open[at] as PlannedOpen
    const { address, collection, connectionKey, undecidedWhileEmpty } = planned
    // An earlier reference did not count the rows that were decided for it. They may be undecided for this reference.
    const isCountedThere = (each: number) =>
      open[each]?.address === address &&
      open[each].undecidedWhileEmpty.every(({ name }) => undecidedWhileEmpty.some((own) => own.name === name))
    const before = all.slice(0, position).filter(isCountedThere)
    return {
      open: planned,
      connectionKey,
      read: {
        collection,
        anyOf: [groupOf(at)],
        noneOf: [...found(address), ...before.map(groupOf)],
        empty: undecidedWhileEmpty.map(({ path, placeholders }) => ({ path, placeholders })),
      },
    }
  })
}

function foundGroups(byAddress: ReadonlyMap<string, PlannedCollection>, asked: readonly AskedKeys[]): FoundGroups {
  return (address) =>
    asked
      .filter((each) => each.address === address)
      .flatMap(({ entry, keys }) => {
        const planned = byAddress.get(address)?.entries[entry]
        return !planned || planned.compared
          ? []
          : keys.filter(({ size }) => size > 0).map((each) => keyGroup(planned, each, 0, each.size))
      })
}

async function countThere(
  { connection, signal, erasing, failed }: OpenCountsOptions,
  all: readonly CountedThere[],
): Promise<OpenCount[]> {
  try {
    const [first] = all as readonly [CountedThere]
    const open = await connection(first.connectionKey, first.open.address)
    using _permit = await open.permit(signal)
    const rows = await open.connection.count(
      all.map(({ read }) => read),
      { signal },
    )
    return all.map(({ open }, position) => ({ open, rows: rows[position] ?? 0 }))
  } catch (error) {
    signal.throwIfAborted()
    if (erasing) throw error
    failed(error)
    const why = `not counted: ${PrivacyError.from(error).message}`
    return all.map(({ open }) => ({ open, why }))
  }
}

/** The keys of each open reference, from all components. */
function gathered({ open }: Plan, found: readonly OpenKeys[]): ReadonlyMap<number, KeySet> {
  const all = new Map<number, KeySet>()
  for (const each of found) {
    const keys = all.get(each.open) ?? keySet(open[each.open]?.fields ?? [])
    all.set(each.open, keys)
    for (let at = 0; at < each.keys.size; at++) keys.add(each.keys.at(at))
  }
  return all
}
