import { isPrivacyError, PrivacyError } from '../../errors.js'
import type { RequestErasure } from '../erase/erase-request.js'
import type { FoundRows } from '../find/find-rows.js'
import { foundNothing, lookedFor, recordDoubts } from '../find/package-doubts.js'
import { takeOverPackages } from '../package/write-packages.js'
import { callWebhooks } from '../webhooks/call-webhooks.js'
import { discardSpools, progressDiscards } from './discard-run.js'
import { eraseFoundRows, receiptSource } from './erase-found-rows.js'
import { type Handover, handover } from './handover.js'
import type { PlannedRun } from './plan-run.js'
import { causeOf, failed, type RunEnd } from './run-end.js'
import type { RequestRun } from './run-options.js'

/**
 * Hands over the rows that were found, and erases those that are to be erased. Returns undefined when something has changed
 * before anything was written, so that the run has to start again.
 */
export async function carryOut(run: RequestRun, planned: PlannedRun, found: FoundRows): Promise<RunEnd | undefined> {
  const delivery = handover(run, planned, found)
  if (!planned.plan.erasure) return completeAccess(run, planned, found, delivery)
  const erased = await eraseFoundRows(run, planned, found, delivery)
  if (!erased || 'end' in erased) return erased?.end
  return completeErasure(run, planned, found, delivery, erased)
}

/** An answer from no database says nothing about the person, and a member that is described as a column is not read. */
const leavesOut: ReadonlySet<string> = new Set(['no_dataset_connected', 'dotted_field'])

async function completeAccess(
  { row, lease }: RequestRun,
  { plan, afterwards, identities, calling }: PlannedRun,
  { results, saved, blobs, room }: FoundRows,
  { makePackages, doubts }: Handover,
): Promise<RunEnd> {
  // This is read now, because packages are written through the same room, and stay.
  const { wrote } = room
  try {
    const packages = await makePackages()
    await callWebhooks('post_execution', afterwards, identities, calling)
    const tidy = async () => {
      await saved.clear()
      await discardSpools(blobs, row, { wrote })
    }
    const unasked = plan.findings.some(({ type }) => leavesOut.has(type)) && { incomplete: true as const }
    return { event: 'complete', changes: { results, packages, ...recordDoubts(doubts), ...unasked }, tidy }
  } catch (error) {
    await keepForRetry(lease, saved, error)
    throw error
  }
}

async function completeErasure(
  { row, lease, options }: RequestRun,
  planned: PlannedRun,
  { saved, room, confirmation }: FoundRows,
  { makePackages, doubts }: Handover,
  { results, residualHits, identityRemains = [], spellings = [] }: RequestErasure,
): Promise<RunEnd> {
  const { plan, identities, afterwards, calling } = planned
  // This is read now, because packages are written through the same room, and stay.
  const { wrote } = room
  const erased = receiptSource(planned)
  const outcome = {
    results: [...results],
    ...recordDoubts(doubts),
    ...(identityRemains.length > 0 && { identityRemains }),
    ...(foundNothing(results) && { found: 'nothing' as const, lookedFor: lookedFor(plan, identities, confirmation) }),
    ...(residualHits && { residualHits }),
  }
  try {
    const { preparedPackages } = lease.row
    const packages = await (preparedPackages ? takeOverPackages(room, row, preparedPackages) : makePackages())
    await callWebhooks('post_execution', afterwards, identities, calling)
    return {
      event: 'complete',
      changes: { ...outcome, packages },
      erased: { ...erased, identities: [...erased.identities, ...spellings] },
      // Erased rows cannot be found again. A run that takes over needs the stored ones until the request is complete.
      discards: () => progressDiscards(options.context.storage, row.id),
      afterwards: () => discardSpools(options.blobs, row, { wrote }),
    }
  } catch (error) {
    await keepForRetry(lease, saved, error)
    // The rows are erased, even if the package or a webhook failed.
    return { ...failed(PrivacyError.from(error).message, outcome, causeOf([error])), erased }
  }
}

/** Keeps spooled rows for a retry, unless they cannot be opened. */
async function keepForRetry({ lost }: RequestRun['lease'], saved: FoundRows['saved'], error: unknown): Promise<void> {
  if (lost.aborted) return
  await (isPrivacyError(error, 'internal') ? saved.clear() : saved.save())
}
