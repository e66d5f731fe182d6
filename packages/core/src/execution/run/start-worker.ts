import { semaphore } from '../../async/semaphore.js'
import type { Queue } from '../../ports/queue.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Runtime } from '../../ports/runtime.js'
import type { Storage } from '../../ports/storage.js'
import { isReady, readyStatuses } from '../../rules/request/request-lifecycle.js'
import { type EventChannel, onStatus } from './event-channel.js'
import { type ClaimOptions, canceledError, claimRequest, isLeased, waitsForRetry } from './hold-lease.js'
import { pause } from './pause.js'
import type { RunOptions } from './run-options.js'
import { runRequest } from './run-request.js'

export interface WorkerOptions {
  readonly storage: Storage
  readonly runtime: Runtime
  readonly queue: Queue
  readonly concurrency: number
  /** How often it looks for requests whose hint was lost or whose run was abandoned. */
  readonly sweepSeconds: number
  /** True: requests that wait for an approval are none of its business. */
  readonly approvalRequired: boolean
  readonly signal: AbortSignal
  /** With `waits: false`, a request that waits for its next attempt runs at once. */
  readonly run: (id: string, waits?: boolean) => Promise<unknown>
}

/** Listens for hints and runs what can be claimed, until `signal` aborts. Resolves when the last run has ended. */
export async function startWorker(options: WorkerOptions): Promise<void> {
  const { queue, concurrency, signal } = options
  // Hints and the sweep share them.
  const permits = semaphore(concurrency)
  const run = async (id: string) => {
    using _permit = await permits.acquire(signal)
    await options.run(id)
  }
  await Promise.all([queue.listen(run, { concurrency, signal }), sweep({ ...options, run })])
}

/** Goes on looking while it runs what it has found: a long run must not keep it from others that were abandoned. */
async function sweep(options: WorkerOptions): Promise<void> {
  const { sweepSeconds, concurrency, signal, run } = options
  const running = new Map<string, Promise<unknown>>()
  while (!signal.aborted) {
    try {
      for (const id of await waitingRequests(options)) {
        while (running.size >= concurrency) await Promise.race(running.values())
        if (signal.aborted) break
        if (running.has(id)) continue
        // A storage that is away is asked again next time.
        const ended = run(id).catch(() => {})
        running.set(
          id,
          ended.finally(() => running.delete(id)),
        )
      }
    } catch {
      // The same.
    }
    await pause(sweepSeconds * 1_000, signal)
  }
  await Promise.all(running.values())
}

/** Requests that wait, and those that run though their lease has ended. Oldest first. */
export async function waitingRequests({
  storage,
  runtime,
  approvalRequired,
}: Pick<WorkerOptions, 'storage' | 'runtime' | 'approvalRequired'>): Promise<readonly string[]> {
  const where = { status: { in: [...readyStatuses(approvalRequired), 'in_processing' as const] } }
  const now = runtime.now().toISOString()
  const found = await storage.table('privacyRequest').find({ where })
  const isFree = (row: PrivacyRequestRow) =>
    row.status === 'in_processing' ? !isLeased(row, now) && !waitsForRetry(row, now) : isReady(row, approvalRequired)
  return found.filter(isFree).map(({ id }) => id)
}

/** Runs one request unless another has it, or it has ended; says whether it did. */
export async function runIfClaimed(
  id: string,
  options: Omit<RunOptions, 'canceled'> & Pick<EventChannel, 'on'> & ClaimOptions,
): Promise<boolean> {
  const canceling = new AbortController()
  // Heard from before the claim, so that no cancellation falls between the two.
  const forget = onStatus(options, id, (status) => status === 'canceled' && canceling.abort(canceledError(id)))
  try {
    const holder = `${options.holder}/${options.context.runtime.newId()}`
    const row = await claimRequest(options.context, id, { ...options, holder })
    if (row) await runRequest(row, { ...options, canceled: canceling.signal })
    return row !== undefined
  } finally {
    forget()
  }
}
