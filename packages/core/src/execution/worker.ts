import type { ActionContext } from '../actions/context.js'
import { claimRequest } from '../actions/requests.js'
import type { Queue } from '../ports/queue.js'
import type { PrivacyRequestRow } from '../ports/rows.js'

/** Listens for hints and runs what can be claimed, until `signal` aborts. Resolves when the last run has ended. */
export function startWorker(options: {
  readonly context: ActionContext
  readonly queue: Queue
  readonly concurrency: number
  readonly signal: AbortSignal
  /** Who claims. */
  readonly holder: string
  readonly run: (row: PrivacyRequestRow) => Promise<void>
}): Promise<void> {
  const { context, queue, concurrency, signal, holder } = options
  return queue.listen((id) => runIfClaimed(context, id, holder, options.run), { concurrency, signal })
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
