import type { ErasureProgressRow, ErasureTally, FoundRows } from '../../ports/erasure-rows.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import { foundRows } from '../find/found-rows.js'
import type { CollectionToErase, ErasureContext, ProgressRows } from './erasure-context.js'
import { tallies } from './tallies.js'

export type ErasureState = Omit<ErasureProgressRow, 'id' | 'version' | 'requestId' | 'signature'>

/** The stored progress of a request's collections. It is read once: while a run holds its request, nobody else writes it. */
export function progressRows(
  storage: Storage,
  { id: requestId, fencingToken }: Pick<PrivacyRequestRow, 'id' | 'fencingToken'>,
): ProgressRows {
  let rows: Promise<Map<string, ErasureProgressRow>> | undefined
  const read = async () => {
    // The first run of a request finds none.
    const where = { requestId: { equals: requestId } }
    const found = fencingToken === 1 ? [] : await storage.table('erasureProgress').find({ where })
    return new Map(found.map((row) => [row.id, row]))
  }
  const known = async () => {
    rows ??= read()
    // A storage that was away is asked again.
    rows.catch(() => {
      rows = undefined
    })
    return rows
  }
  return {
    of: async (address) => (await known()).get(`${requestId}/${address}`),
    async keep(row) {
      ;(await known()).set(row.id, row)
    },
  }
}

/** The stored progress of one collection. It keeps the outcomes of earlier runs when rows are found again. */
export async function erasureProgress(
  { requestId, lease, stored, clock, outcomes }: ErasureContext,
  { address, columns }: CollectionToErase,
  signature: string,
) {
  const known = await stored.of(address)
  const isSame = known?.signature === signature
  const blob = outcomes.get(address)?.spools.find(({ rule }) => rule === foundRows)?.spooled.key
  const fresh: ErasureState = {
    done: 0,
    intent: 0,
    absent: [],
    startedAt: known?.startedAt ?? clock().toISOString(),
    tally: [],
    ...(known && { earlier: earlierOf(known), takenBack: known.takenBack ?? 0, foundBefore: foundBefore(known) }),
    ...(blob !== undefined && { found: { blob, columns } }),
  }
  return {
    state: isSame ? (known as ErasureState) : fresh,
    /** Stores the progress if this run still holds the request. */
    async save(state: ErasureState): Promise<ErasureState> {
      const row = { ...state, id: `${requestId}/${address}`, requestId, signature, version: 1 }
      await lease.step([{ kind: 'erasureProgress', put: [row] }])
      await stored.keep(row)
      return state
    },
  }
}

/** The outcomes of runs before the rows were found again. */
function earlierOf({ tally, earlier = [] }: Pick<ErasureProgressRow, 'tally' | 'earlier'>): readonly ErasureTally[] {
  return [...earlier, ...tally.filter(({ outcome }) => outcome === 'masked' || outcome === 'erased')]
}

function foundBefore({ found, done, unsettled, foundBefore: before = [] }: ErasureProgressRow): readonly FoundRows[] {
  return found ? [...before, { ...found, done, ...(unsettled && { unsettled }) }] : before
}

/** The outcomes of all rows over all runs. */
export function totalTally({ tally, earlier = [] }: Pick<ErasureProgressRow, 'tally' | 'earlier'>): ErasureTally[] {
  const total = tallies(tally)
  for (const { outcome, reason, rowCount } of earlier) total.add(outcome, reason, rowCount)
  return total.list()
}

/** Whether a collection that leads to another one was written, so that it may no longer lead there. */
async function isLeadGone(
  context: Pick<ErasureContext, 'stored'>,
  { address }: Pick<CollectionToErase, 'address'>,
  from: PlannedCollection,
): Promise<boolean> {
  const leads = from.links.some(({ to, kind }) => to === address && kind !== 'compared')
  return from.address !== address && leads && (await isWritten(context, from))
}

/**
 * The collections whose rows can be found again: this one, and others that can. Empty if a collection of its own component
 * led to it and was written. The checkpoints of other components still hold their keys.
 */
export async function collectionsToReread(
  context: Pick<ErasureContext, 'plan' | 'byAddress' | 'stored'>,
  collection: CollectionToErase,
  others: readonly string[],
): Promise<readonly string[]> {
  const { address } = collection
  const together = context.plan.components.find(({ members }) => members.includes(address))?.members ?? []
  const gone = new Set<string>()
  for (const each of new Set([...together, ...others])) {
    const from = context.byAddress.get(each)
    if (from && (await isLeadGone(context, collection, from))) gone.add(each)
  }
  return together.some((each) => gone.has(each)) ? [] : [address, ...others.filter((each) => !gone.has(each))]
}

/** Whether the request has begun to write rows of a collection. */
export async function isWritten(
  { stored }: Pick<ErasureContext, 'stored'>,
  { address }: Pick<PlannedCollection, 'address'>,
): Promise<boolean> {
  const known = await stored.of(address)
  return (known?.intent ?? 0) > 0 || (known?.foundBefore?.length ?? 0) > 0
}
