import type { ActionContext } from '../../actions/action-context.js'
import { erasureEnd } from '../../actions/proof/erasure-end.js'
import { proofOfRun, type RunProof } from '../../actions/proof/evidence-actions.js'
import { moveRequest } from '../../actions/requests/move-request.js'
import { retryWithBackOff } from '../../async/retry-with-back-off.js'
import type { PrivacyRequest } from '../../model/privacy-request.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Write } from '../../ports/storage.js'
import type { RunEnd } from './run-end.js'
import { writeWhileHeld } from './write-while-held.js'

export interface FinishOptions {
  readonly context: ActionContext
  /** Returns what is written together with the end of a request that is complete. */
  readonly completing: (
    row: PrivacyRequestRow,
    changes: Partial<PrivacyRequest>,
    options?: { readonly whateverHappens?: boolean },
  ) => Promise<readonly Write[]>
}

/**
 * Writes the end of a run. A storage that cannot be reached for a moment must not undo the run, so it tries again. When that
 * fails, the lease ends and the run is repeated. `known`: the plan that the run has stored.
 */
export async function finishRun(
  held: PrivacyRequestRow,
  { erased, discards, tidy: _, afterwards: __, mayPass: ___, error: ____, ...end }: RunEnd,
  { context, completing }: FinishOptions,
  known?: RunProof,
): Promise<PrivacyRequestRow | undefined> {
  const hasEnded = end.event === 'complete' || end.event === 'fail'
  const now = context.runtime.now().toISOString()
  const finishedAt = hasEnded && { finishedProcessingAt: now }
  const write = (options?: { readonly whateverHappens: boolean }) => completing(held, end.changes ?? {}, options)
  // A mail that cannot be written must not keep the request from completing.
  const writes = async () => retryWithBackOff(write).catch(() => write({ whateverHappens: true }))
  const completion = end.event === 'complete' ? await writes() : []
  const proof = await retryWithBackOff(() => proofOfRun(context.storage, held.id, known))
  const useless = discards ? await retryWithBackOff(discards) : []
  const { results = [], residualHits, failure } = end.changes ?? {}
  const source = erased && {
    request: held,
    ...erased,
    results,
    residualHits,
    failure,
    finishedAt: now,
    doubts: end.changes,
  }
  const proven = source && (await retryWithBackOff(() => erasureEnd(context, source)))
  const move = {
    ...end,
    actor: 'system',
    changes: { ...end.changes, ...finishedAt },
    detail: { ...proof, ...proven?.detail, ...end.detail },
    writes: [...completion, ...(proven?.writes ?? []), ...useless],
  }
  return writeWhileHeld(context.storage, held, (row) => moveRequest(context, row, move))
}
