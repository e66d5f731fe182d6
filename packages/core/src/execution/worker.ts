import type { ActionContext } from '../actions/context.js'
import { claimRequest } from '../actions/requests.js'
import type { Queue } from '../ports/queue.js'
import type { PrivacyRequestRow } from '../ports/rows.js'

export interface WorkerOptions {
  readonly context: ActionContext
  readonly queue: Queue
  readonly concurrency: number
  /** How often it looks for requests whose hint was lost or whose run was abandoned. */
  readonly sweepSeconds: number
  readonly signal: AbortSignal
  /** Who claims. */
  readonly holder: string
  readonly run: (row: PrivacyRequestRow) => Promise<void>
}

/** Listens for hints and runs what can be claimed, until `signal` aborts. Resolves when the last run has ended. */
export async function startWorker(options: WorkerOptions): Promise<void> {
  const { context, queue, concurrency, signal, holder, run } = options
  const hear = (id: string) => runIfClaimed(context, id, holder, run)
  await Promise.all([queue.listen(hear, { concurrency, signal }), sweep(options)])
}

/** Requests that wait, and those whose lease has ended, one after the other. */
async function sweep({ context, sweepSeconds, signal, holder, run }: WorkerOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      const where = { status: { in: ['pending', 'in_processing'] as const } }
      for (const { id } of await context.storage.table('privacyRequest').find({ where })) {
        if (!signal.aborted) await runIfClaimed(context, id, holder, run)
      }
    } catch {
      // A storage that is away is asked again next time.
    }
    await pause(sweepSeconds * 1_000, signal)
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, milliseconds).unref()
    signal.addEventListener('abort', wake, { once: true })
  })
}

/** Runs one request unless another has it, or it has ended. */
export async function runIfClaimed(
  context: ActionContext,
  id: string,
  holder: string,
  run: (row: PrivacyRequestRow) => Promise<void>,
): Promise<void> {
  const claimed = await claimRequest(context, id, holder)
  if (claimed) await run(claimed)
}
