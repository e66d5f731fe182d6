import type { FailureWatch } from '../../actions/failure-watch.js'
import { ongoingWork } from '../../async/ongoing-work.js'
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
import { type RunPermit, workerPermits } from './worker-permits.js'

export interface WorkerOptions {
  readonly storage: Storage
  readonly runtime: Runtime
  readonly queue: Queue
  readonly concurrency: number
  /** How many requests work on one connection at once. */
  readonly maxConcurrentPerConnection?: number | undefined
  /** How often it looks for requests whose hint was lost or whose run was abandoned. */
  readonly sweepSeconds: number
  /** True: requests that wait for an approval are none of its business. */
  readonly approvalRequired: boolean
  readonly signal: AbortSignal
  readonly watch: FailureWatch['watch']
  readonly run: (id: string, permit: RunPermit) => Promise<unknown>
}

/** Listens for hints and runs what can be claimed, until `signal` aborts. Resolves when the last run has ended. */
export async function startWorker(options: WorkerOptions): Promise<void> {
  const { concurrency, signal, watch, queue } = options
  // Hints and the sweep share them.
  const permits = workerPermits(concurrency, options.maxConcurrentPerConnection, () => queue.smallWaits?.() ?? false)
  /** Large requests that came while too many others ran. */
  const large = new Set<string>()
  const work = ongoingWork()
  const run = async (id: string): Promise<void> => {
    {
      using permit = await permits.acquire(signal)
      await options.run(id, permit).finally(() => permit.isRefused && large.add(id))
    }
    const [next] = large
    if (next === undefined || !permits.takesLarge || signal.aborted) return
    large.delete(next)
    void work.track(watched(next))
  }
  /** What a worker leaves when it ends goes on elsewhere, or was canceled: nothing has failed. */
  const unlessEnding = (error: unknown) => {
    if (!signal.aborted) throw error
  }
  // A storage that is away is asked again by the sweep.
  const watched = (id: string) => watch({ part: 'worker', doing: 'run requests' }, () => run(id).catch(unlessEnding))
  const found = async ({ id, lane }: PrivacyRequestRow) => {
    if (lane === 'large' && !permits.takesLarge) large.add(id)
    else await watched(id)
  }
  await Promise.all([listen(options, watched), sweep(options, found)])
  await work.settled()
}

/** A queue that fails is listened to again. Until then the sweep finds the requests. */
async function listen({ queue, ...options }: WorkerOptions, run: (id: string) => Promise<unknown>): Promise<void> {
  const { concurrency, signal, sweepSeconds, watch } = options
  const handler = async (id: string) => void (await run(id))
  while (!signal.aborted) {
    const listening = () => queue.listen(handler, { concurrency, signal })
    await watch({ part: 'queue', doing: 'listen for hints' }, listening, { worksAfterMs: sweepSeconds * 1_000 })
    await pause(sweepSeconds * 1_000, signal)
  }
}

/** Goes on looking while it runs what it has found: a long run must not keep it from others that were abandoned. */
async function sweep(options: WorkerOptions, run: (row: PrivacyRequestRow) => Promise<void>): Promise<void> {
  const { sweepSeconds, concurrency, signal, watch } = options
  const running = new Map<string, Promise<unknown>>()
  while (!signal.aborted) {
    // A storage that is away is asked again next time.
    await watch({ part: 'worker', doing: 'look for requests' }, async () => {
      for (const row of await waitingRequests(options)) {
        while (running.size >= concurrency) await Promise.race(running.values())
        if (signal.aborted) break
        if (running.has(row.id)) continue
        running.set(
          row.id,
          run(row).finally(() => running.delete(row.id)),
        )
      }
    })
    await pause(sweepSeconds * 1_000, signal)
  }
  await Promise.all(running.values())
}

/** Requests that wait, and those that run though their lease has ended. Oldest first, and large ones last. */
export async function waitingRequests({
  storage,
  runtime,
  approvalRequired,
}: Pick<WorkerOptions, 'storage' | 'runtime' | 'approvalRequired'>): Promise<readonly PrivacyRequestRow[]> {
  const where = { status: { in: [...readyStatuses(approvalRequired), 'in_processing' as const] } }
  const now = runtime.now().toISOString()
  const found = await storage.table('privacyRequest').find({ where })
  const isFree = (row: PrivacyRequestRow) =>
    row.status === 'in_processing' ? !isLeased(row, now) && !waitsForRetry(row, now) : isReady(row, approvalRequired)
  const free = found.filter(isFree)
  return [...free.filter(({ lane }) => lane !== 'large'), ...free.filter(({ lane }) => lane === 'large')]
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
    const takesLarge = options.permit && (() => options.permit?.becomeLarge() === true)
    const row = await claimRequest(options.context, id, { ...options, holder, takesLarge })
    if (row) await runRequest(row, { ...options, canceled: canceling.signal })
    return row !== undefined
  } finally {
    forget()
  }
}
