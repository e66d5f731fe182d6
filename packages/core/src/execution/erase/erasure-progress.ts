import type { ErasureProgressRow, ErasureTally, FoundRows } from '../../ports/erasure-rows.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import { foundRows } from '../find/found-rows.js'
import type { CollectionToErase, ErasureContext } from './erasure-context.js'
import { tallies } from './tallies.js'

export type ErasureState = Omit<ErasureProgressRow, 'id' | 'version' | 'requestId' | 'signature'>

/** How far one collection has come, durable. What an earlier run has written to rows that were found anew is not lost. */
export async function erasureProgress(
  { requestId, lease, clock, outcomes }: ErasureContext,
  { address, columns }: CollectionToErase,
  signature: string,
) {
  const id = `${requestId}/${address}`
  const known = await lease.write((within) => within.table('erasureProgress').get(id))
  const isSame = known?.signature === signature
  const blob = outcomes.get(address)?.spools.find(({ rule }) => rule === foundRows)?.spooled.key
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

/** Whether a collection that leads to another one has been written to, so that it may not lead there any more. */
async function isLeadGone(
  context: Pick<ErasureContext, 'lease' | 'requestId'>,
  { address }: Pick<CollectionToErase, 'address'>,
  from: PlannedCollection,
): Promise<boolean> {
  const leads = from.links.some(({ to, kind }) => to === address && kind !== 'compared')
  return from.address !== address && leads && (await isWritten(context, from))
}

/**
 * What can be found anew: a collection and the others. None where it lies on a circle with what led to it and has been
 * written; what led to it from elsewhere has left its keys in a checkpoint.
 */
export async function foundAgain(
  context: Pick<ErasureContext, 'plan' | 'byAddress' | 'lease' | 'requestId'>,
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
  { lease, requestId }: Pick<ErasureContext, 'lease' | 'requestId'>,
  { address }: Pick<PlannedCollection, 'address'>,
): Promise<boolean> {
  const known = await lease.write((within) => within.table('erasureProgress').get(`${requestId}/${address}`))
  return (known?.intent ?? 0) > 0 || (known?.foundBefore?.length ?? 0) > 0
}
