import type { ErasureProgressRow, ErasureTally, FoundRows } from '../../ports/erasure-rows.js'
import type { PlannedCollection } from '../../rules/plan.js'
import { keptRows } from '../kept-rows.js'
import type { ErasedCollection, ErasureContext } from './erased-collection.js'
import { tallies } from './tally.js'

export type ErasureState = Omit<ErasureProgressRow, 'id' | 'version' | 'requestId' | 'signature'>

/** How far one collection has come, durable. What an earlier run has written to rows that were found anew is not lost. */
export async function erasureProgress(
  { requestId, lease, clock, outcomes }: ErasureContext,
  { address, columns }: ErasedCollection,
  signature: string,
) {
  const id = `${requestId}/${address}`
  const known = await lease.write((within) => within.table('erasureProgress').get(id))
  const isSame = known?.signature === signature
  const blob = outcomes.get(address)?.spools.find(({ rule }) => rule === keptRows)?.spooled.key
  const fresh: ErasureState = {
    ...{ done: 0, intent: 0, absent: [], startedAt: known?.startedAt ?? clock().toISOString() },
    tally: [],
    ...(known && { earlier: earlierOf(known), foundBefore: foundBefore(known) }),
    ...(blob !== undefined && { found: { blob, columns } }),
  }
  let version = known?.version ?? 0
  return {
    state: isSame ? (known as ErasureState) : fresh,
    /** Writes it, if the request is still this run's. */
    async save(state: ErasureState): Promise<ErasureState> {
      const row = { ...state, id, requestId, signature, version: version + 1 }
      await lease.write(async (within) => {
        const table = within.table('erasureProgress')
        if (version === 0) await table.insert(row)
        else await table.replace(row)
      })
      version++
      return state
    },
  }
}

/** What was written by runs whose rows were found anew since. */
function earlierOf({ tally, earlier = [] }: Pick<ErasureProgressRow, 'tally' | 'earlier'>): readonly ErasureTally[] {
  return [...earlier, ...tally.filter(({ outcome }) => outcome === 'masked' || outcome === 'erased')]
}

function foundBefore({ found, done, foundBefore: before = [] }: ErasureProgressRow): readonly FoundRows[] {
  return found ? [...before, { ...found, done }] : before
}

/** What became of all rows, over all runs. */
export function totalTally({ tally, earlier = [] }: Pick<ErasureProgressRow, 'tally' | 'earlier'>): ErasureTally[] {
  const total = tallies(tally)
  for (const { outcome, reason, rowCount } of earlier) total.add(outcome, reason, rowCount)
  return total.list()
}

/**
 * Whether rows that lead to a collection are written before its own, as a foreign key may have it, so that nobody would find
 * these again: a retry has to look at the very rows that were found.
 */
export async function isLeadGone(
  { plan, byAddress, lease, requestId }: Pick<ErasureContext, 'plan' | 'byAddress' | 'lease' | 'requestId'>,
  { address }: Pick<ErasedCollection, 'address'>,
): Promise<boolean> {
  const order = (plan.erasure ?? []).flatMap(({ members }) => members)
  const leading = order.slice(0, Math.max(0, order.indexOf(address))).flatMap((each) => byAddress.get(each) ?? [])
  for (const from of leading) {
    const leads = from.links.some(({ to, kind }) => to === address && kind !== 'compared')
    if (leads && (await isWritten({ lease, requestId }, from))) return true
  }
  return false
}

/** Whether the request has begun to write rows of a collection. */
export async function isWritten(
  { lease, requestId }: Pick<ErasureContext, 'lease' | 'requestId'>,
  { address }: Pick<PlannedCollection, 'address'>,
): Promise<boolean> {
  const known = await lease.write((within) => within.table('erasureProgress').get(`${requestId}/${address}`))
  return (known?.intent ?? 0) > 0 || (known?.foundBefore?.length ?? 0) > 0
}
