import { tookEffect } from '../../actions/until-written.js'
import { writeAll } from '../../actions/write-all.js'
import { PrivacyError } from '../../errors.js'
import type { ErasureLockRow } from '../../ports/erasure-rows.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import { foundForMs } from '../find/checkpoints.js'
import { isLeased, type Lease, type LeaseChanges } from '../run/hold-lease.js'
import { pause } from '../run/pause.js'

const waitMs = 200

/**
 * Keeps two requests about one person from erasing at the same time (docs/decisions/022). A lock is one row per identity,
 * and one for some of the erased rows. The lock of a request that no longer runs is free.
 */
export function subjectLock(
  storage: Storage,
  { id: requestId, fencingToken }: Pick<PrivacyRequestRow, 'id' | 'fencingToken'>,
  now: () => Date,
) {
  /** The locks that this run has taken. An earlier one may have left others. */
  const mine = new Set<string>()
  let own: Promise<readonly string[]> | undefined
  /** The identities of a request never change. */
  const ownHashes = (): Promise<readonly string[]> => {
    own ??= storage
      .table('requestIdentity')
      .find({ where: { requestId: { equals: requestId } } })
      .then((rows) => rows.map(({ identityHash }) => identityHash))
    own.catch(() => {
      own = undefined
    })
    return own
  }
  const locksOf = async (overlapping: readonly string[]) => {
    const wanted = [...new Set([...(await ownHashes()), ...overlapping])].sort()
    const found = await storage.table('erasureLock').find({ where: { id: { in: wanted } } })
    return { wanted, found, others: found.filter((lock) => lock.requestId !== requestId) }
  }

  /** A waiting run may occupy the worker that the other request needs, so it waits only for requests that run now. */
  const isAlive = (row: PrivacyRequestRow | undefined) => row !== undefined && isLeased(row, now().toISOString())

  async function firstAlive(locks: readonly ErasureLockRow[]): Promise<string | undefined> {
    for (const { requestId: holder } of locks)
      if (isAlive(await storage.table('privacyRequest').get(holder))) return holder
    return undefined
  }

  /**
   * Ends the claim of a run that has fallen silent, so that it cannot come back and go on without its locks. Its request
   * stays silent for those who claim it. Returns false where it came back before.
   */
  async function endClaim(within: Storage, holder: string): Promise<boolean> {
    const table = within.table('privacyRequest')
    const row = await table.get(holder)
    if (isAlive(row)) return false
    if (row?.status !== 'in_processing' || row.leaseHolder === undefined) return true
    return table.replace({ ...row, leaseHolder: `locks taken by ${requestId}`, version: row.version + 1 })
  }

  /** The request that erases data of the same person now, if there is one. */
  async function heldBy(): Promise<string | undefined> {
    // Mostly there are no locks at all, and then the identities need not be read.
    if ((await storage.table('erasureLock').find({ limit: 1 })).length === 0) return undefined
    return firstAlive((await locksOf([])).others)
  }

  /** Takes over the locks of requests that no longer run, and takes those that are free. */
  async function takeOver(lease: Lease, left: readonly ErasureLockRow[], free: readonly ErasureLockRow[]) {
    await lease.write(async (within) => {
      const table = within.table('erasureLock')
      for (const holder of new Set(left.map((lock) => lock.requestId)))
        if (!(await endClaim(within, holder))) throw overtaken(requestId)
      for (const lock of left) {
        // Another request may have taken the lock since.
        const taken = { ...lock, requestId, version: lock.version + 1 }
        if (!(await table.replace(taken))) throw overtaken(requestId)
      }
      await table.insertMany(free)
    })
  }

  return {
    /** Resolves when no other request erases data of this person. */
    async wait(signal: AbortSignal, waiting: (requestId: string) => void): Promise<void> {
      for (let notified = false; ; notified = true) {
        signal.throwIfAborted()
        const other = await heldBy()
        if (other === undefined) return
        if (!notified) waiting(other)
        await pause(waitMs, signal)
      }
    },

    /**
     * Takes all locks, including those of erased rows, when they are free. Resolves to true if another erasure has held one
     * of them since `foundSince`, because the found rows may have changed then. `changes` are stored with the locks, or after
     * those that were taken over.
     */
    async take(
      lease: Lease,
      overlapping: readonly string[],
      foundSince: string,
      changes: LeaseChanges = {},
    ): Promise<boolean> {
      for (let waited = false; ; waited = true) {
        lease.signal.throwIfAborted()
        const { wanted, found, others } = await locksOf(overlapping)
        const known = new Set(found.map(({ id }) => id))
        const missing = wanted.filter((id) => !known.has(id))
        const free = missing.map((id) => ({ id, requestId, version: 1 }))
        const taking = async () => {
          const isLeft = others.length > 0
          if (isLeft) await takeOver(lease, others, free)
          await lease.store([{ kind: 'erasureLock', insert: isLeft ? [] : free }], changes)
          for (const id of wanted) mine.add(id)
        }
        if ((await firstAlive(others)) === undefined && (await tookEffect(taking))) {
          if (waited || others.length > 0) return true
          // Another erasure may have taken and released a lock until just now.
          const released = await storage.table('releasedLock').find({ where: { id: { in: missing } } })
          return released.some((each) => each.requestId !== requestId && each.releasedAt > foundSince)
        }
        await pause(waitMs, lease.signal)
      }
    },

    /**
     * Releases the locks if this run still holds the request, and notes the release if rows were written. The next erasure
     * takes over locks that a crash has left.
     */
    async release(lease: Lease): Promise<void> {
      if (lease.lost.aborted) return
      const releasedAt = now().toISOString()
      const where = { requestId: { equals: requestId } }
      const left = fencingToken === 1 ? [] : await storage.table('erasureLock').find({ where })
      const ids = [...new Set([...mine, ...left.map(({ id }) => id)])]
      const notes = lease.row.erasingSince === undefined ? [] : ids
      await lease.store([
        { kind: 'erasureLock', take: ids },
        { kind: 'releasedLock', put: notes.map((id) => ({ id, version: 1, requestId, releasedAt })) },
      ])
    },
  }
}

/** Deletes notes of released locks that are older than all found rows of running requests. Returns their number. */
export async function forgetReleases(storage: Storage, now: Date): Promise<number> {
  const table = storage.table('releasedLock')
  if ((await table.find({ limit: 1 })).length === 0) return 0
  const [oldest] = await storage.table('privacyRequest').find({
    where: { status: { equals: 'in_processing' }, startedProcessingAt: { isNull: false } },
    orderBy: [{ field: 'startedProcessingAt' }],
    limit: 1,
  })
  const since = Math.min(now.getTime(), Date.parse(oldest?.startedProcessingAt ?? now.toISOString())) - foundForMs
  const where = { releasedAt: { lt: new Date(since).toISOString() } }
  const old = await table.find({ where })
  await writeAll(storage, [{ kind: 'releasedLock', take: old.map(({ id }) => id) }])
  return old.length
}

/** The error that rolls back locks taken so far. `take` then tries again and waits for the other request. */
function overtaken(id: string): PrivacyError {
  return new PrivacyError('conflict', `Another request has begun to erase the same person's data before '${id}'.`, {
    kind: 'erasure lock',
    id,
  })
}
