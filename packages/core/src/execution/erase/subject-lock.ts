import { tookEffect } from '../../actions/until-written.js'
import { PrivacyError } from '../../errors.js'
import type { ErasureLockRow } from '../../ports/erasure-rows.js'
import type { Storage } from '../../ports/storage.js'
import { foundForMs } from '../find/checkpoints.js'
import type { Lease } from '../run/hold-lease.js'
import { pause } from '../run/pause.js'

const waitMs = 200

/**
 * Keeps two requests about one person from erasing at the same time (docs/decisions/022). A lock is one row per identity,
 * and one for some of the erased rows. The lock of a request that no longer runs is free.
 */
export function subjectLock(storage: Storage, requestId: string, now: () => Date) {
  const hashes = async (within: Storage, overlapping: readonly string[]) => {
    const rows = await within.table('requestIdentity').find({ where: { requestId: { equals: requestId } } })
    return [...rows.map(({ identityHash }) => identityHash), ...overlapping].sort()
  }

  /** A waiting run may occupy the worker that the other request needs, so it waits only for requests that run now. */
  async function isAlive(within: Storage, { requestId: holder }: ErasureLockRow): Promise<boolean> {
    const row = await within.table('privacyRequest').get(holder)
    return row?.status === 'in_processing' && (row.leaseExpiresAt ?? '') > now().toISOString()
  }

  /** The request that erases data of the same person now, if there is one. */
  async function heldBy(within: Storage, overlapping: readonly string[] = []): Promise<string | undefined> {
    // Mostly there are no locks at all, and then the identities need not be read.
    if ((await within.table('erasureLock').find({ limit: 1 })).length === 0) return undefined
    for (const hash of await hashes(within, overlapping)) {
      const lock = await within.table('erasureLock').get(hash)
      if (lock && lock.requestId !== requestId && (await isAlive(within, lock))) return lock.requestId
    }
    return undefined
  }

  return {
    /** Resolves when no other request erases data of this person. */
    async wait(signal: AbortSignal, waiting: (requestId: string) => void): Promise<void> {
      for (let notified = false; ; notified = true) {
        signal.throwIfAborted()
        const other = await heldBy(storage)
        if (other === undefined) return
        if (!notified) waiting(other)
        await pause(waitMs, signal)
      }
    },

    /**
     * Takes all locks, including those of erased rows, when they are free. Resolves to true if another erasure has held one
     * of them since `foundSince`, because the found rows may have changed then.
     */
    async take(lease: Lease, overlapping: readonly string[], foundSince: string): Promise<boolean> {
      let isOld = false
      const takeAll = async (within: Storage): Promise<void> => {
        isOld = false
        const table = within.table('erasureLock')
        for (const id of await hashes(within, overlapping)) {
          const known = await table.get(id)
          const mine = { ...known, id, requestId, version: (known?.version ?? 0) + 1 }
          if (!known) await table.insert(mine)
          else if (known.requestId === requestId) continue
          // Each lock is checked again here, because another request may have taken it since `heldBy`.
          else if ((await isAlive(within, known)) || !(await table.replace(mine))) throw overtaken(requestId)
          else isOld = true
          const released = await within.table('releasedLock').get(id)
          if (released && released.requestId !== requestId && released.releasedAt > foundSince) isOld = true
        }
      }
      for (let waited = false; ; waited = true) {
        lease.signal.throwIfAborted()
        const isFree = (await heldBy(storage, overlapping)) === undefined
        if (isFree && (await tookEffect(() => lease.write(takeAll)))) return waited || isOld
        await pause(waitMs, lease.signal)
      }
    },

    /**
     * Releases the locks if this run still holds the request, and notes the release if rows were written. The next erasure
     * takes over locks that a crash has left.
     */
    async release(lease: Lease): Promise<void> {
      if (lease.lost.aborted) return
      const hasWritten = lease.row.erasingSince !== undefined
      await lease.write(async (within) => {
        const table = within.table('erasureLock')
        const releases = within.table('releasedLock')
        const releasedAt = now().toISOString()
        for (const { id } of await table.find({ where: { requestId: { equals: requestId } } })) {
          await table.take(id)
          if (!hasWritten) continue
          await releases.take(id)
          await releases.insert({ id, version: 1, requestId, releasedAt })
        }
      })
    },
  }
}

/** Deletes notes of released locks that are older than all found rows of running requests. */
export async function forgetReleases(storage: Storage, now: Date): Promise<void> {
  const table = storage.table('releasedLock')
  if ((await table.find({ limit: 1 })).length === 0) return
  const [oldest] = await storage.table('privacyRequest').find({
    where: { status: { equals: 'in_processing' }, startedProcessingAt: { isNull: false } },
    orderBy: [{ field: 'startedProcessingAt' }],
    limit: 1,
  })
  const since = Math.min(now.getTime(), Date.parse(oldest?.startedProcessingAt ?? now.toISOString())) - foundForMs
  const where = { releasedAt: { lt: new Date(since).toISOString() } }
  for (const { id } of await table.find({ where })) await table.take(id)
}

/** The error that rolls back locks taken so far. `take` then tries again and waits for the other request. */
function overtaken(id: string): PrivacyError {
  return new PrivacyError('conflict', `Another request has begun to erase the same person's data before '${id}'.`, {
    kind: 'erasure lock',
    id,
  })
}
