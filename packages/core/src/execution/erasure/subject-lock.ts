import { tookEffect } from '../../actions/compare-and-set.js'
import { PrivacyError } from '../../errors.js'
import type { Storage } from '../../ports/storage.js'
import type { Lease } from '../lease.js'
import { pause } from '../pause.js'

const waitMs = 200

/**
 * Keeps two requests about one person apart while one of them erases (§7.12). A lock is a row per identity; one whose
 * request is not being run any more is nobody's.
 */
export function subjectLock(storage: Storage, requestId: string, now: () => Date) {
  const hashes = async (within: Storage) => {
    const rows = await within.table('requestIdentity').find({ where: { requestId: { equals: requestId } } })
    return rows.map(({ identityHash }) => identityHash).sort()
  }

  /** The request that erases something of the same person now, if there is one. */
  async function heldBy(within: Storage): Promise<string | undefined> {
    // Mostly nobody erases anything, and then nothing has to be known of the person.
    if ((await within.table('erasureLock').find({ limit: 1 })).length === 0) return undefined
    for (const hash of await hashes(within)) {
      const lock = await within.table('erasureLock').get(hash)
      if (!lock || lock.requestId === requestId) continue
      const holder = await within.table('privacyRequest').get(lock.requestId)
      // Whoever waits may be what keeps a request without a worker from being run again: it is not waited for.
      if (holder?.status === 'in_processing' && (holder.leaseExpiresAt ?? '') > now().toISOString())
        return lock.requestId
    }
    return undefined
  }

  return {
    /** Resolves once no other request erases anything of this person. */
    async wait(signal: AbortSignal, waiting: (requestId: string) => void): Promise<void> {
      for (let told = false; ; told = true) {
        signal.throwIfAborted()
        const other = await heldBy(storage)
        if (other === undefined) return
        if (!told) waiting(other)
        await pause(waitMs, signal)
      }
    },

    /** Takes the locks, once nobody else has them. */
    async take(lease: Lease): Promise<void> {
      for (;;) {
        lease.signal.throwIfAborted()
        const taken = await tookEffect(() =>
          lease.write(async (within) => {
            if ((await heldBy(within)) !== undefined) return false
            const table = within.table('erasureLock')
            for (const id of await hashes(within)) {
              const known = await table.get(id)
              if (!known) await table.insert({ id, version: 1, requestId })
              else if (
                known.requestId !== requestId &&
                !(await table.replace({ ...known, requestId, version: known.version + 1 }))
              )
                throw overtaken(requestId)
            }
            return true
          }),
        )
        if (taken) return
        await pause(waitMs, lease.signal)
      }
    },

    /** Gives them back, unless the request is another run's. What a crash leaves behind is taken over by the next one. */
    async release(lease: Lease): Promise<void> {
      if (lease.lost.aborted) return
      await lease.write(async (within) => {
        const table = within.table('erasureLock')
        for (const { id } of await table.find({ where: { requestId: { equals: requestId } } })) await table.take(id)
      })
    },
  }
}

/** Undoes what was taken so far: it is tried again, and then sees who was faster. */
function overtaken(id: string): PrivacyError {
  return new PrivacyError('conflict', `Another request has begun to erase the same person's data before '${id}'.`, {
    ...{ kind: 'erasure lock', id },
  })
}
