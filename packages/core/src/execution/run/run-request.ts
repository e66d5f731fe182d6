import { notDone } from '../../actions/not-done.js'
import { retryWithBackOff } from '../../async/retry-with-back-off.js'
import { PrivacyError } from '../../errors.js'
import type { ActionType } from '../../model/action-type.js'
import { type ErrorTrace, errorTrace } from '../../model/error-trace.js'
import type { RequestRetry } from '../../model/request-retry.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import { nextRetry } from '../../rules/request/next-retry.js'
import { subjectLock } from '../erase/subject-lock.js'
import { findRows } from '../find/find-rows.js'
import { runBlobs } from '../package/write-packages.js'
import { outcomeOf } from '../watch/count-events.js'
import { carryOut } from './carry-out.js'
import { discardRun } from './discard-run.js'
import { endEarlierWrites } from './end-earlier-writes.js'
import { finishRun } from './finish-run.js'
import { holdLease } from './hold-lease.js'
import { planRun } from './plan-run.js'
import { releaseRequest } from './release-request.js'
import { repeatedDeaths } from './repeated-deaths.js'
import { requestProgress } from './request-progress.js'
import { rowsRead } from './rows-read.js'
import { causeOf, failed, type RunEnd } from './run-end.js'
import type { RequestRun, RunOptions } from './run-options.js'

/**
 * Runs one claimed request to its end, whatever happens. The request is then complete, has an error that names what is
 * missing, or goes on later: after a failure that may pass by itself, in another process when this one stops, or once there is
 * a permit for one more large request. A run that loses its request writes nothing more, and what a canceled run has written is removed.
 */
export function runRequest(row: PrivacyRequestRow, given: RunOptions): Promise<void> {
  const attributes = { 'habeas.request_id': row.id, 'habeas.policy': row.policyKey }
  return given.telemetry.span({ name: 'habeas.run', attributes }, (tell) => {
    // The event that ends the run says how.
    const emit: RunOptions['emit'] = (event) => {
      given.emit(event)
      if (event.type !== 'request' || event.durationMs === undefined) return
      const { actionType, code } = event
      tell({
        'habeas.outcome': outcomeOf(event),
        ...(actionType && { 'habeas.action': actionType }),
        ...(code !== undefined && { 'error.type': code }),
      })
    }
    return runToEnd(row, { ...given, emit })
  })
}

async function runToEnd(row: PrivacyRequestRow, given: RunOptions): Promise<void> {
  const { context, emit, telemetry } = given
  const handBack = new AbortController()
  const options = { ...given, stop: AbortSignal.any([given.stop, handBack.signal]) }
  const lease = holdLease(context, row, options)
  const progress = requestProgress({ lease, runtime: context.runtime, requestId: row.id, emit, telemetry })
  const from = context.runtime.now().getTime()
  const elapsed = () => context.runtime.now().getTime() - from
  emit({ type: 'request', requestId: row.id, status: row.status, step: row.deaths ? 'taken_over' : 'claimed' })
  const stored: RequestRun['stored'] = { checkpoints: (row.fencingToken ?? 0) !== 1 }
  const left = notDone(context, 'blobs', 'remove what a run has left', row.id)
  let end: RunEnd
  try {
    end = await answer({
      row,
      lease,
      options,
      progress,
      read: rowsRead(lease, options.permit, handBack),
      stored,
      lock: subjectLock(context.storage, row, () => context.runtime.now()),
    })
    await progress.flush()
    // This comes last, because a run that failed after it would have to read everything again.
    if (end.tidy) await retryWithBackOff(end.tidy, () => lease.lost.aborted).catch(left)
  } catch (error) {
    // The log is complete before anybody sees that the request has ended, whatever failed.
    const unlogged = notDone(context, 'storage', 'write the execution log', row.id)
    await progress.flush().catch((failure) => (lease.lost.aborted ? undefined : unlogged(failure)))
    end = failed(PrivacyError.from(error).message, {}, causeOf([error]))
  }
  const held = await lease.end()
  if (!held) return leave(row, options)
  const later = goesOn(held, end, options)
  const about = {
    durationMs: elapsed(),
    ...(stored.actionType && { actionType: stored.actionType }),
  }
  const trace = end.error === undefined ? {} : errorTrace(end.error)
  // Nothing has failed where a request only waits for its turn, or for another worker.
  if (later) return goOnLater(held, later, options, later.retry ? { ...about, ...trace } : about)
  const moved = await finishRun(held, givenUp(end, held.retry), options, stored.proof)
  if (!moved) return leave(row, options)
  if (end.event === 'complete') options.completed()
  // What stays behind is encrypted, and cannot be read once the key of the request is destroyed.
  if (end.afterwards) await retryWithBackOff(end.afterwards).catch(left)
  const { status, failure } = moved
  const message = failure !== undefined && { message: failure }
  emit({ type: 'request', requestId: row.id, status, step: 'ended', ...message, ...about, ...trace })
}

/** Returns how a request goes on after this run, or undefined where the run has ended it. */
function goesOn(held: PrivacyRequestRow, { event, mayPass, changes }: RunEnd, options: RunOptions): Later | undefined {
  if (event !== 'fail' || held.cancelRequestedBy !== undefined) return undefined
  if (options.stop.aborted) return {}
  if (!mayPass) return undefined
  const { runtime } = options.context
  const failure = {
    mayPass,
    reason: changes?.failure ?? '',
    before: held.retry,
    gotFurther: (held.steps ?? 0) > (held.stepsAtClaim ?? 0),
  }
  const random = (runtime.randomBytes(1)[0] ?? 0) / 255
  const retry = nextRetry(failure, options, { now: runtime.now(), random })
  return retry && { retry }
}

/** The end of a run after which nothing is tried again says how long it was tried. */
function givenUp(end: RunEnd, before: RequestRetry | undefined): RunEnd {
  const failure = end.changes?.failure
  if (end.event !== 'fail' || !end.mayPass || !before || failure === undefined) return end
  const tried = `It was tried ${before.attempts + 1} times since ${before.since}.`
  return { ...end, changes: { ...end.changes, failure: `${failure} ${tried}` } }
}

interface Later {
  readonly retry?: RequestRetry
}

async function goOnLater(
  held: PrivacyRequestRow,
  { retry }: Later,
  options: RunOptions,
  about: { readonly durationMs: number; readonly actionType?: ActionType } & Partial<ErrorTrace>,
): Promise<void> {
  const released = await releaseRequest(options.context, held, retry)
  if (!released) return leave(held, options)
  const message = retry
    ? `will be tried again at ${retry.at} (failures in a row: ${retry.attempts}): ${retry.reason}`
    : options.permit?.isRefused
      ? 'is large, and goes on once fewer large requests run'
      : 'the service stops, and the request goes on where another one runs'
  const next = retry
    ? ({ step: 'retrying', attempt: retry.attempts, dueAt: retry.at } as const)
    : ({ step: 'handed_back' } as const)
  options.emit({ type: 'request', requestId: held.id, status: released.status, message, ...next, ...about })
  options.lookAgain(released)
}

/** Removes everything of a canceled request. One that was taken over belongs to a run that may need what this one stored. */
async function leave(claimed: PrivacyRequestRow, options: RunOptions): Promise<void> {
  const { blobs, canceled, emit } = options
  const { storage } = options.context
  const { id, fencingToken } = claimed
  const row = await retryWithBackOff(() => storage.table('privacyRequest').get(id))
  if (row?.status === 'complete' && row.fencingToken !== fencingToken) await blobs.delete(runBlobs(claimed))
  if (row?.status !== 'canceled') {
    emit({ type: 'request', requestId: id, status: row?.status ?? claimed.status, step: 'lost' })
    return
  }
  if (!canceled.aborted) emit({ type: 'request', requestId: id, status: 'canceled' })
  await discardRun(storage, blobs, id)
}

async function answer(run: RequestRun): Promise<RunEnd> {
  const { row, lease, options, lock } = run
  const died = repeatedDeaths(row, options.context.runtime.now())
  if (died !== undefined) return failed(died)
  await endEarlierWrites(run)
  await lock.wait(lease.signal, (other) =>
    options.emit({
      type: 'request',
      requestId: row.id,
      status: row.status,
      step: 'waiting',
      message: `waits for request '${other}', which erases data of the same person`,
    }),
  )
  const planned = await planRun(run)
  if ('event' in planned) return planned
  const found = await findRows(run, planned)
  if ('event' in found) return found
  // What the run depends on has changed meanwhile.
  return (await carryOut(run, planned, found)) ?? answer(run)
}
