import { setMaxListeners } from 'node:events'
import type { ActionContext } from '../actions/context.js'
import { moveRequest } from '../actions/request-rows.js'
import { PrivacyError } from '../errors.js'
import type { PrivacyRequestRow } from '../ports/rows.js'
import type { Runtime } from '../ports/runtime.js'
import { readyStatuses } from '../rules/request-lifecycle.js'

/** How long a run may be silent before another worker takes its request over. */
const leaseSeconds = 60

function leaseUntil(runtime: Runtime): string {
  return new Date(runtime.now().getTime() + leaseSeconds * 1_000).toISOString()
}

export interface ClaimOptions {
  /** Who runs: a name that no two runs share. */
  readonly holder: string
  /** True: a pending request waits for its approval. */
  readonly approvalRequired: boolean
}

/** Takes a request for running, so that nobody else runs it; undefined when there is nothing to run or another has it. */
export async function claimRequest(
  { storage, runtime }: Pick<ActionContext, 'storage' | 'runtime'>,
  id: string,
  { holder, approvalRequired }: ClaimOptions,
): Promise<PrivacyRequestRow | undefined> {
  const row = await storage.table('privacyRequest').get(id)
  if (!row) return undefined
  const now = runtime.now().toISOString()
  const changes = {
    leaseHolder: holder,
    leaseExpiresAt: leaseUntil(runtime),
    startedProcessingAt: row.startedProcessingAt ?? now,
  }
  if (row.status !== 'in_processing') {
    // One whose plan is not the one that was approved waits for somebody, whether or not others do.
    if (!readyStatuses(approvalRequired || row.reviewAgain === true).includes(row.status)) return undefined
    return moveRequest({ storage, runtime }, row, { event: 'run', actor: 'system', changes })
  }
  const isHeld = row.leaseHolder !== undefined && (row.leaseExpiresAt ?? '') > now
  if (isHeld) return undefined
  const claimed = { ...row, ...changes, version: row.version + 1 }
  return (await storage.table('privacyRequest').replace(claimed)) ? claimed : undefined
}

export interface Lease {
  /** Aborts when the run has to stop: with the service, or since it has lost the request. */
  readonly signal: AbortSignal
  /** Aborts when the request is not this run's any more: it was canceled, or taken over. */
  readonly lost: AbortSignal
  /** Asks whether the request is still this run's; rejects when it is not. */
  confirm(): Promise<void>
  /** Stops renewing. Resolves with the row as it is now, or undefined when the request was lost. */
  end(): Promise<PrivacyRequestRow | undefined>
}

/**
 * Keeps a claimed request while it runs, so that nobody takes it for abandoned. Whoever loses it all the same must leave
 * it to whoever has it. `canceled` says that it was canceled in this process; of other processes renewing tells.
 */
export function holdLease(
  { storage, runtime }: Pick<ActionContext, 'storage' | 'runtime'>,
  row: PrivacyRequestRow,
  { stop, canceled }: { readonly stop: AbortSignal; readonly canceled: AbortSignal },
): Lease {
  const table = storage.table('privacyRequest')
  const overtaken = new AbortController()
  const lost = AbortSignal.any([canceled, overtaken.signal])
  const signal = AbortSignal.any([stop, lost])
  setMaxListeners(0, lost, signal)
  let held = row
  let renewing: Promise<void> = Promise.resolve()
  const renew = async () => {
    if (lost.aborted) return
    const next = { ...held, leaseExpiresAt: leaseUntil(runtime), version: held.version + 1 }
    if (await table.replace(next)) {
      held = next
      return
    }
    const now = await table.get(row.id)
    // Whoever extends a deadline writes to the row as well, and takes nothing from the run.
    if (now && isHeldBy(now, row)) held = now
    else overtaken.abort(lossOf(row.id, now))
  }
  const renewSoon = (): Promise<void> => {
    // A storage that is away for a moment is asked again before the lease ends.
    renewing = renewing.then(renew).catch(() => {})
    return renewing
  }
  const timer = setInterval(() => void renewSoon(), (leaseSeconds * 1_000) / 3).unref()
  return {
    signal,
    lost,
    async confirm() {
      await renewSoon()
      lost.throwIfAborted()
    },
    async end() {
      clearInterval(timer)
      await renewing
      return lost.aborted ? undefined : held
    },
  }
}

/** Whether a row is still in the hands of the run that claimed it as `claimed`. */
export function isHeldBy(row: PrivacyRequestRow, claimed: PrivacyRequestRow): boolean {
  return row.status === claimed.status && row.leaseHolder === claimed.leaseHolder
}

function lossOf(id: string, row: PrivacyRequestRow | undefined): PrivacyError {
  if (row?.status === 'canceled') return canceledError(id)
  return new PrivacyError('unavailable', `The run of request '${id}' was taken over.`)
}

/** Why what a run was doing has ended, for its log. */
export function canceledError(id: string): PrivacyError {
  return new PrivacyError('invalid_state', `Request '${id}' was canceled.`, { status: 'canceled', event: 'run' })
}
