import { expect, it } from 'vitest'
import { memoryStorage } from '../../builtin/memory-storage.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Runtime } from '../../ports/runtime.js'
import { holdLease } from '../run/hold-lease.js'
import { subjectLock } from './subject-lock.js'

it('a run that comes back after its locks were taken over is lost, and releases nothing', async () => {
  let at = Date.parse('2030-01-01T00:00:00Z')
  const runtime: Runtime = { now: () => new Date(at), newId: () => '', randomBytes: (size) => new Uint8Array(size) }
  const storage = memoryStorage()
  const leased = () => new Date(at + 60_000).toISOString()
  const begin = async (id: string) => {
    const row = {
      ...{
        id,
        version: 1,
        status: 'in_processing',
        leaseHolder: `run of ${id}`,
        leaseExpiresAt: leased(),
        fencingToken: 1,
      },
    } as PrivacyRequestRow
    await storage.table('privacyRequest').insert(row)
    const identity = { id: `${id} mail`, version: 1, requestId: id, identityHash: 'person' }
    await storage.table('requestIdentity').insert(identity as never)
    const stop = new AbortController().signal
    const lease = holdLease({ storage, runtime }, row, { stop, canceled: stop })
    return { lease, lock: subjectLock(storage, row, runtime.now) }
  }
  const silent = await begin('silent')
  await silent.lock.take(silent.lease, [], '')
  at += 61_000
  const next = await begin('next')
  try {
    expect(await next.lock.take(next.lease, [], '')).toBe(true)
    await expect(silent.lease.fence.confirm()).rejects.toThrow("The run of request 'silent' was taken over.")
    await silent.lock.release(silent.lease)
    expect((await storage.table('erasureLock').find()).map(({ requestId }) => requestId)).toEqual(['next'])
    await next.lock.release(next.lease)
    expect(await storage.table('erasureLock').find()).toEqual([])
  } finally {
    await Promise.all([silent.lease.end(), next.lease.end()])
  }
})
