import { tookEffect } from '../../actions/until-written.js'
import { PrivacyError } from '../../errors.js'
import type { ErasureLockRow } from '../../ports/erasure-rows.js'
import type { Storage } from '../../ports/storage.js'
import { foundForMs } from '../find/checkpoints.js'
import type { Lease } from '../run/hold-lease.js'
import { pause } from '../run/pause.js'

const waitMs = 200

/**
 * Keeps two requests about one person apart while one of them erases (docs/decisions/022). A lock is a row per
 * identity, and one for some of the rows that are erased; one whose request is not being run any more is nobody's.
 */
export function subjectLock(storage: Storage, requestId: string, now: () => Date) {
  const hashes = async (within: Storage, overlapping: readonly string[]) => {
    const rows = await within.table('requestIdentity').find({ where: { requestId: { equals: requestId } } })
    return [...rows.map(({ identityHash }) => identityHash), ...overlapping].sort()
  }

  /** Whoever waits may be what keeps a request without a worker from being run again: such a one is not waited for. */
  async function isAlive(within: Storage, { requestId: holder }: ErasureLockRow): Promise<boolean> {
    const row = await within.table('privacyRequest').get(holder)
    return row?.status === 'in_processing' && (row.leaseExpiresAt ?? '') > now().toISOString()
  }

  /** The request that erases something of the same person now, if there is one. */
  async function heldBy(within: Storage, overlapping: readonly string[] = []): Promise<string | undefined> {
    // Mostly nobody erases anything, and then nothing has to be known of the person.
    if ((await within.table('erasureLock').find({ limit: 1 })).length === 0) return undefined
    for (const hash of await hashes(within, overlapping)) {
      const lock = await within.table('erasureLock').get(hash)
      if (lock && lock.requestId !== requestId && (await isAlive(within, lock))) return lock.requestId
    }
    return undefined
  }

  return {
    /** Resolves once no other request erases anything of this person. */
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
     * Takes the locks, those of the rows it touches included, once nobody else has one of them. True where another erasure
     * has had one since `foundSince`, whether or not it was waited for: what was found is not what is there now.
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
          // Asked of each lock as it is now: somebody may have taken it since it was looked at.
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
     * Gives them back, unless the request is another run's, and notes that they were held, unless nothing was written.
     * What a crash leaves behind is taken over by the next one.
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

/** Forgets locks that were released before anything was found that is still to be erased. */
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

/** Undoes what was taken so far: it is tried again, and then sees who was faster. */
function overtaken(id: string): PrivacyError {
  return new PrivacyError('conflict', `Another request has begun to erase the same person's data before '${id}'.`, {
    ...{ kind: 'erasure lock', id },
  })
}
