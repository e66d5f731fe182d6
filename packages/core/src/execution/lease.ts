import { setMaxListeners } from 'node:events'
import type { ActionContext } from '../actions/context.js'
import { moveRequest } from '../actions/request-rows.js'
import { PrivacyError } from '../errors.js'
import type { PrivacyRequestRow } from '../ports/rows.js'
import type { Runtime } from '../ports/runtime.js'
import { nextStatus } from '../rules/request-lifecycle.js'

/** How long a run may be silent before another worker takes its request over. */
const leaseSeconds = 60

function leaseUntil(runtime: Runtime): string {
  return new Date(runtime.now().getTime() + leaseSeconds * 1_000).toISOString()
}

/** Takes a request for running, so that nobody else runs it; undefined when there is nothing to run or another has it. */
export async function claimRequest(
  { storage, runtime }: Pick<ActionContext, 'storage' | 'runtime'>,
  id: string,
  holder: string,
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
    return nextStatus(row.status, 'run') && moveRequest(storage, row, 'run', changes)
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
    if (await table.replace(next)) held = next
    else overtaken.abort(lossOf(row.id, await table.get(row.id)))
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

function lossOf(id: string, row: PrivacyRequestRow | undefined): PrivacyError {
  if (row?.status === 'canceled') return canceledError(id)
  return new PrivacyError('unavailable', `The run of request '${id}' was taken over.`)
}

/** Why what a run was doing has ended, for its log. */
export function canceledError(id: string): PrivacyError {
  return new PrivacyError('invalid_state', `Request '${id}' was canceled.`, { status: 'canceled', event: 'run' })
}
