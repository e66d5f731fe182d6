import { retryWithBackOff } from '../../async/retry-with-back-off.js'
import { PrivacyError } from '../../errors.js'
import { planHash } from '../../results/proof/plan-hash.js'
import { eraseRequest, type RequestErasure } from '../erase/erase-request.js'
import { erasedPointers } from '../erase/erased-pointers.js'
import { maskingSecret } from '../erase/erasure-context.js'
import { progressRows } from '../erase/erasure-progress.js'
import { residualValues } from '../erase/residual-search.js'
import type { FoundRows } from '../find/find-rows.js'
import { recordDoubts } from '../find/package-doubts.js'
import { askToErase } from '../manual/ask-to-erase.js'
import { spoolOf } from './discard-run.js'
import type { Handover } from './handover.js'
import type { PlannedRun } from './plan-run.js'
import { pausedAt, type RunEnd } from './run-end.js'
import type { RequestRun } from './run-options.js'
import { planWrite } from './store-plan.js'

/**
 * Erases the rows that were found, or says how the run ends instead. Returns undefined when something has changed before
 * anything was written, so that the run has to start again.
 */
export async function eraseFoundRows(
  run: RequestRun,
  planned: PlannedRun,
  found: FoundRows,
  delivery: Handover,
): Promise<RequestErasure | { readonly end: RunEnd } | undefined> {
  const { row, lease, options, lock } = run
  const { context } = options
  if (!(await isReadyToErase(run, planned, found, delivery))) return undefined
  const { saved, foundSince } = found
  const erased = await eraseRequest({
    context,
    lock,
    foundSince,
    together: delivery.together,
    forget: saved.forget,
    forgetAll: saved.clear,
    residual: row.residualSearch && {
      values: residualValues(planned.identities, planned.searchable),
      catalogues: planned.catalogues,
    },
    erasure: erasureContext(run, planned, found),
  }).finally(() => retryWithBackOff(() => lock.release(lease)).catch(() => {}))
  // Another request has erased rows of this person meanwhile, by another identity.
  if ('overtaken' in erased) return undefined
  if ('end' in erased) {
    if (erased.end.event !== 'fail') return erased
    const changes = { ...recordDoubts(delivery.doubts), ...erased.end.changes }
    return { end: { ...erased.end, changes, erased: receiptSource(planned) } }
  }
  if (!erased.needed) return erased
  const end = pausedAt('erasure', erased.needed, await found.people.actionNeeded(erased.needed.input), context)
  return { end: { ...end, changes: { ...end.changes, results: [...erased.results] } } }
}

/** Returns what the receipt of an erasure is made from. */
export function receiptSource({ policy, plan, opened }: PlannedRun): NonNullable<RunEnd['erased']> {
  return { policy, planHash: planHash(plan), identities: opened.identities }
}

/**
 * Stores what a retry cannot read again, and plans once more, since the schema may have changed while rows were found.
 * Returns whether the plan is still the same.
 */
async function isReadyToErase(
  { row, lease }: RequestRun,
  { hasErased, plan, prepare }: PlannedRun,
  { saved }: FoundRows,
  { handsOver, makePackages }: Handover,
): Promise<boolean> {
  await saved.save({ orFail: true })
  if (hasErased) return true
  // Erased rows cannot be read again, so the packages are written first.
  if (handsOver) {
    const preparedPackages = { fencingToken: row.fencingToken ?? 0, files: await makePackages() }
    await lease.store([], { preparedPackages })
  }
  const now = await prepare(true)
  if (planHash(now.plan) === planHash(plan)) return true
  await saved.clear()
  return false
}

function erasureContext(
  { row, lease, options, progress }: RequestRun,
  { plan, policy, identities, opened: { dataKey } }: PlannedRun,
  { byAddress, outcomes, room, spoolKey, confirmation, learned, asked, connection }: FoundRows,
): Parameters<typeof eraseRequest>[0]['erasure'] {
  const { context } = options
  const { write, fence } = lease
  const stops = () =>
    lease.row.cancelRequestedBy !== undefined ? 'cancel' : lease.row.stopsForHold ? 'hold' : undefined
  return {
    requestId: row.id,
    plan,
    byAddress,
    outcomes,
    room,
    spoolKey,
    lease,
    stored: progressRows(context.storage, row),
    fence: {
      ...fence,
      async confirm() {
        await fence.confirm()
        if (stops()) throw new PrivacyError('unavailable', 'The erasure was stopped before this batch took effect.')
      },
    },
    progress,
    identities: { identities, findsAlone: confirmation.findsAlone, learned },
    asked: (address) => asked.filter((each) => each.address === address),
    pointers: erasedPointers(context, plan),
    notesIn: row.erasureNotes ?? spoolOf(row),
    connection,
    askToErase: askToErase({ context, requestId: row.id, dataKey, write }),
    secret: maskingSecret(dataKey),
    now: row.startedProcessingAt ?? row.createdAt,
    clock: () => context.runtime.now(),
    stops,
    planned: (found) => [planWrite(row.id, { ...plan, found }, policy)],
  }
}
