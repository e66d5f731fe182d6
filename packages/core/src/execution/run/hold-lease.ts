import { setMaxListeners } from 'node:events'
import type { ActionContext } from '../../actions/action-context.js'
import { auditedTransaction } from '../../actions/proof/audit-actions.js'
import { moveRequest } from '../../actions/requests/move-request.js'
import { untilWritten } from '../../actions/until-written.js'
import { writeAll } from '../../actions/write-all.js'
import { PrivacyError } from '../../errors.js'
import type { Fence } from '../../ports/call-options.js'
import type { ExecutionLogRow, PrivacyRequestRow } from '../../ports/rows.js'
import type { Runtime } from '../../ports/runtime.js'
import type { Storage, Write } from '../../ports/storage.js'
import { isReady } from '../../rules/request/request-lifecycle.js'
import { deathsOf } from './repeated-deaths.js'

export interface LeaseOptions {
  /** How long a run may be silent before another worker takes its request over. Default: 60. */
  readonly leaseSeconds?: number | undefined
}

export const defaultLeaseSeconds = 60

function leaseUntil(runtime: Runtime, leaseSeconds: number): string {
  return new Date(runtime.now().getTime() + leaseSeconds * 1_000).toISOString()
}

export interface ClaimOptions extends LeaseOptions {
  /** The name of the run. No two runs share it. */
  readonly holder: string
  /** True when a pending request waits for its approval. */
  readonly approvalRequired: boolean
  /** False: the next attempt of a request that failed is made at once. Default: true. */
  readonly waits?: boolean | undefined
  /** Whether the worker takes a large request now. Absent: it does. */
  readonly takesLarge?: (() => boolean) | undefined
}

/** Claims a request, so that nobody else runs it. Returns undefined when it is not ready or another run has it. */
export async function claimRequest(
  { storage, runtime, failures }: Pick<ActionContext, 'storage' | 'runtime' | 'failures'>,
  id: string,
  { holder, approvalRequired, waits = true, leaseSeconds = defaultLeaseSeconds, takesLarge = () => true }: ClaimOptions,
): Promise<PrivacyRequestRow | undefined> {
  const row = await storage.table('privacyRequest').get(id)
  if (!row) return undefined
  const now = runtime.now().toISOString()
  const isTaken = ({ lane }: PrivacyRequestRow) => lane !== 'large' || takesLarge()
  const changes = {
    leaseHolder: holder,
    leaseExpiresAt: leaseUntil(runtime, leaseSeconds),
    fencingToken: (row.fencingToken ?? 0) + 1,
    startedProcessingAt: row.startedProcessingAt ?? now,
    stepsAtClaim: row.steps ?? 0,
  }
  if (row.status !== 'in_processing') {
    if (!isReady(row, approvalRequired) || !isTaken(row)) return undefined
    return moveRequest({ storage, runtime }, row, { event: 'run', actor: 'system', changes })
  }
  if (isLeased(row, now) || (waits && waitsForRetry(row, now)) || !isTaken(row)) return undefined
  // A run that still holds a request after its lease has ended said nothing: its process was killed, or stands still.
  // While the storage was away, no run could say anything.
  const began = Date.parse(row.leaseExpiresAt ?? now) - leaseSeconds * 1_000
  const wasAway = (failures?.storageFailedAt()?.getTime() ?? 0) >= began
  const silent = row.leaseHolder !== undefined && !wasAway && { deaths: await deathsOf(storage, row, now) }
  const claimed = { ...row, ...changes, ...silent, version: row.version + 1 }
  return (await storage.table('privacyRequest').replace(claimed)) ? claimed : undefined
}

/** Returns whether the next attempt of a request is still to come. */
export function waitsForRetry({ status, retry }: PrivacyRequestRow, now: string): boolean {
  return status === 'in_processing' && retry !== undefined && retry.at > now
}

/** Returns whether somebody runs the request, as far as others can know. */
export function isLeased({ status, leaseHolder, leaseExpiresAt = '' }: PrivacyRequestRow, now: string): boolean {
  return status === 'in_processing' && leaseHolder !== undefined && leaseExpiresAt > now
}

/** What a run changes in the row of its request. */
export type LeaseChanges = Partial<
  Pick<
    PrivacyRequestRow,
    'erasingSince' | 'erasureNotes' | 'ownIdentityHashes' | 'stopsForHold' | 'preparedPackages' | 'steps' | 'lane'
  >
>

/** How long a note may wait for another write. */
const gatherMs = 10

export interface Lease {
  /** The request as this run knows it. */
  readonly row: PrivacyRequestRow
  /** Aborts when the run has to stop, because the service stops or the request is lost. */
  readonly signal: AbortSignal
  /** Aborts when the request no longer belongs to this run, because it was canceled or taken over. */
  readonly lost: AbortSignal
  /** Asks whether the request still belongs to this run. Rejects when it does not. */
  confirm(): Promise<void>
  /**
   * Does `work` in one transaction, which first makes sure by compare-and-set that the request still belongs to this run,
   * and renews the lease. Rejects when it does not. A run writes everything about itself in this way, so that a run that was
   * overtaken without noticing overwrites nothing of its successor. Writes run one after the other. `work` may run again,
   * and must have no other effect than its writes.
   */
  write<Result>(work: (within: Storage) => Promise<Result>): Promise<Result>
  /** Does the same with writes that are known from the start, and changes the row of the request with them. */
  store(writes: readonly Write[], changes?: LeaseChanges): Promise<void>
  /** Does the same with writes on which a later run builds, so that a run that dies afterwards got further. */
  step(writes: readonly Write[]): Promise<void>
  /** Changes the row of the request with the next write of the run, whichever that is. */
  mark(changes: LeaseChanges): void
  /** Puts an entry of the log into the next write of the run, which comes soon. `flush` resolves once all are stored. */
  note(entry: ExecutionLogRow): void
  flush(): Promise<void>
  /** Keeps writes to people's databases from taking effect once the request no longer belongs to this run. */
  readonly fence: Fence
  /** Stops renewing. Resolves with the row as it is now, or undefined when the request was lost. */
  end(): Promise<PrivacyRequestRow | undefined>
}

/**
 * Keeps a claimed request while it runs, so that no other worker takes it for abandoned. A run that loses its claim must
 * stop and leave the request to the new holder. `canceled` is for cancellations in this process. Those in other processes
 * show when the claim is renewed.
 */
export function holdLease(
  { storage, runtime }: Pick<ActionContext, 'storage' | 'runtime'>,
  row: PrivacyRequestRow,
  {
    stop,
    canceled,
    leaseSeconds = defaultLeaseSeconds,
  }: LeaseOptions & { readonly stop: AbortSignal; readonly canceled: AbortSignal },
): Lease {
  const table = storage.table('privacyRequest')
  const overtaken = new AbortController()
  const lost = AbortSignal.any([canceled, overtaken.signal])
  const signal = AbortSignal.any([stop, lost])
  setMaxListeners(0, lost, signal)
  let held = row
  let last: Promise<unknown> = Promise.resolve()
  /** Does work one after the other, since each depends on the version that the one before it has written. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
  let marked: LeaseChanges = {}
  const renewed = () => ({
    ...held,
    ...marked,
    leaseExpiresAt: leaseUntil(runtime, leaseSeconds),
    version: held.version + 1,
  })
  const look = async () => {
    const now = await table.get(row.id)
    // Extending a deadline writes to the row as well, and does not take the claim away.
    if (now && isHeldBy(now, row)) held = now
    else overtaken.abort(lossOf(row.id, now))
  }
  const renew = async () => {
    if (lost.aborted) return
    const next = renewed()
    if (await table.replace(next)) held = next
    else await look()
  }
  // A storage that cannot be reached for a moment is asked again before the lease ends.
  const renewSoon = (): Promise<void> => inTurn(renew).catch(() => {})
  const timer = setInterval(() => void renewSoon(), (leaseSeconds * 1_000) / 3).unref()
  const write: Lease['write'] = (work) =>
    inTurn(async () => {
      const written = await untilWritten('privacy request', row.id, async () => {
        lost.throwIfAborted()
        const next = renewed()
        const done = await auditedTransaction(storage, async (within) => {
          if (!(await within.table('privacyRequest').replace(next))) return undefined
          return { result: await work(within) }
        })
        if (done) held = next
        else await look()
        return done
      })
      return written.result
    })
  let notes: ExecutionLogRow[] = []
  let noting: NodeJS.Timeout | undefined
  const storeNow = async (writes: readonly Write[], changes: LeaseChanges) => {
    await untilWritten('privacy request', row.id, async () => {
      lost.throwIfAborted()
      const next = { ...renewed(), ...changes }
      const noted = notes
      // Whether an earlier attempt has stored them may be unknown.
      const logged = { kind: 'executionLog', put: noted } as const
      const done = await writeAll(storage, [{ kind: 'privacyRequest', replace: next }, logged, ...writes])
      if (done) {
        held = next
        notes = notes.slice(noted.length)
      } else await look()
      return done || undefined
    })
  }
  const store: Lease['store'] = (writes, changes = {}) => inTurn(() => storeNow(writes, changes))
  /** What cannot be stored now goes with the next write. */
  const storeNotes = () =>
    inTurn(async () => {
      noting = undefined
      if (notes.length > 0) await storeNow([], {})
    })
  return {
    get row() {
      return held
    },
    signal,
    lost,
    async confirm() {
      // The entries that wait go along. A storage that cannot be reached for a moment is asked again before the lease ends.
      await store([]).catch(() => {})
      lost.throwIfAborted()
    },
    write,
    store,
    step: (writes) => inTurn(() => storeNow(writes, { steps: (held.steps ?? 0) + 1 })),
    mark(changes) {
      marked = { ...marked, ...changes }
    },
    note(entry) {
      notes = [...notes, entry]
      noting ??= setTimeout(() => void storeNotes().catch(() => {}), gatherMs)
    },
    async flush() {
      clearTimeout(noting)
      await storeNotes()
    },
    fence: {
      lock: fenceLock(row.id),
      async confirm() {
        lost.throwIfAborted()
        await inTurn(look)
        lost.throwIfAborted()
      },
      leftMs: () => Math.max(0, Date.parse(held.leaseExpiresAt ?? '') - runtime.now().getTime()),
    },
    async end() {
      clearInterval(timer)
      clearTimeout(noting)
      await last
      return lost.aborted ? undefined : { ...held, ...marked }
    },
  }
}

/** Returns the name of the lock under which an erasure writes. */
export function fenceLock(requestId: string): string {
  return `habeas:${requestId}`.slice(0, 64)
}

/** Returns whether a row still belongs to the run that claimed it as `claimed`. */
export function isHeldBy(row: PrivacyRequestRow, claimed: PrivacyRequestRow): boolean {
  return row.status === claimed.status && row.leaseHolder === claimed.leaseHolder
}

function lossOf(id: string, row: PrivacyRequestRow | undefined): PrivacyError {
  if (row?.status === 'canceled') return canceledError(id)
  return new PrivacyError('unavailable', `The run of request '${id}' was taken over.`)
}

/** Returns the error that tells the log why the run of a canceled request has ended. */
export function canceledError(id: string): PrivacyError {
  return new PrivacyError('invalid_state', `Request '${id}' was canceled.`, { status: 'canceled', event: 'run' })
}
