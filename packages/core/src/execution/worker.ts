import type { Queue } from '../ports/queue.js'
import type { Storage } from '../ports/storage.js'
import { readyStatuses } from '../rules/request-lifecycle.js'
import { type EventChannel, onStatus } from './event-channel.js'
import { type ClaimOptions, canceledError, claimRequest } from './lease.js'
import { pause } from './pause.js'
import { type RunOptions, runRequest } from './run-request.js'

export interface WorkerOptions {
  readonly storage: Storage
  readonly queue: Queue
  readonly concurrency: number
  /** How often it looks for requests whose hint was lost or whose run was abandoned. */
  readonly sweepSeconds: number
  /** True: requests that wait for an approval are none of its business. */
  readonly approvalRequired: boolean
  readonly signal: AbortSignal
  readonly run: (id: string) => Promise<unknown>
}

/** Listens for hints and runs what can be claimed, until `signal` aborts. Resolves when the last run has ended. */
export async function startWorker(options: WorkerOptions): Promise<void> {
  const { queue, concurrency, signal, run } = options
  const hear = async (id: string) => void (await run(id))
  await Promise.all([queue.listen(hear, { concurrency, signal }), sweep(options)])
}

async function sweep({ storage, sweepSeconds, approvalRequired, signal, run }: WorkerOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const id of await waitingRequests(storage, approvalRequired)) if (!signal.aborted) await run(id)
    } catch {
      // A storage that is away is asked again next time.
    }
    await pause(sweepSeconds * 1_000, signal)
  }
}

/** Requests that wait, and those that run, since their lease may have ended. Oldest first. */
export async function waitingRequests(storage: Storage, approvalRequired: boolean): Promise<readonly string[]> {
  const where = { status: { in: [...readyStatuses(approvalRequired), 'in_processing' as const] } }
  return (await storage.table('privacyRequest').find({ where })).map(({ id }) => id)
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
