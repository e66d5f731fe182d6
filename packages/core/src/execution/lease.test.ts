import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { moveOrRefuse, moveRequest, requestRow } from '../actions/request-rows.js'
import { memoryStorage } from '../builtin/memory-storage.js'
import { systemRuntime } from '../builtin/system-runtime.js'
import type { PrivacyRequestRow } from '../ports/rows.js'
import type { Storage } from '../ports/storage.js'
import { claimRequest, holdLease } from './lease.js'

const id = 'pri_1'
let context: { storage: Storage; runtime: typeof systemRuntime }

beforeEach(async () => {
  context = { storage: memoryStorage(), runtime: systemRuntime }
  const now = new Date().toISOString()
  const times = { createdAt: now, requestedAt: now }
  const row = { id, version: 1, status: 'pending' as const, policyKey: 'p', acceptUnsearched: false, encrypted: false }
  await context.storage.table('privacyRequest').insert({ ...row, ...times })
})

const claim = async () => (await claimRequest(context, id, 'worker')) as PrivacyRequestRow
const minutesFrom = (minutes: number) => ({
  ...systemRuntime,
  now: () => new Date(Date.now() + minutes * 60_000),
})

describe('claiming', () => {
  it('has one winner of fifty', async () => {
    const claims = await Promise.all(Array.from({ length: 50 }, claim))
    expect(claims.filter(Boolean)).toHaveLength(1)
    expect(await claimRequest(context, id, 'late')).toBeUndefined()
    expect(await claimRequest(context, 'pri_none', 'worker')).toBeUndefined()
  })

  it('of a doubled or late hint runs nothing twice', async () => {
    await moveRequest(context.storage, await claim(), 'fail', { failure: 'It failed.' })
    expect(await claim()).toBeUndefined()
    await moveOrRefuse(context.storage, id, 'retry')
    expect(await claim()).toMatchObject({ status: 'in_processing', leaseHolder: 'worker' })
    await moveOrRefuse(context.storage, id, 'cancel')
    expect(await claim()).toBeUndefined()
  })

  it('takes over what has not been renewed for a minute', async () => {
    await claim()
    expect(await claimRequest({ ...context, runtime: minutesFrom(0.9) }, id, 'other')).toBeUndefined()
    expect(await claimRequest({ ...context, runtime: minutesFrom(1.1) }, id, 'other')).toMatchObject({
      leaseHolder: 'other',
    })
  })
})

describe('holding', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Lets the lease be renewed once, as 20 seconds later. */
  const renewal = async () => {
    await vi.advanceTimersByTimeAsync(20_000)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const hold = async () => {
    const [stop, canceled] = [new AbortController(), new AbortController()]
    const lease = holdLease(context, await claim(), { stop: stop.signal, canceled: canceled.signal })
    return { stop, canceled, lease }
  }

  it('renews, and ends with the row as it is', async () => {
    const { lease } = await hold()
    await renewal()
    await renewal()
    expect((await requestRow(context.storage, id)).version).toBe(4)
    await lease.confirm()
    expect(await lease.end()).toStrictEqual(await requestRow(context.storage, id))
    await renewal()
    expect((await requestRow(context.storage, id)).version).toBe(5)
  })

  it('notices at the next renewal that another process has canceled the request', async () => {
    const { lease } = await hold()
    await moveOrRefuse(context.storage, id, 'cancel')
    expect(lease.signal.aborted).toBe(false)
    await renewal()
    expect(lease.signal.aborted && lease.lost.aborted).toBe(true)
    expect(lease.signal.reason).toMatchObject({ code: 'invalid_state', details: { status: 'canceled' } })
    expect(await lease.end()).toBeUndefined()
  })

  it('notices when it asks', async () => {
    const { lease } = await hold()
    await moveOrRefuse(context.storage, id, 'cancel')
    await expect(lease.confirm()).rejects.toMatchObject({ message: expect.stringContaining('canceled') })
  })

  it('notices that another worker has taken the request over', async () => {
    const { lease } = await hold()
    await claimRequest({ ...context, runtime: minutesFrom(2) }, id, 'other')
    await renewal()
    expect(lease.lost.reason).toMatchObject({ code: 'unavailable' })
    expect(await lease.end()).toBeUndefined()
    expect((await requestRow(context.storage, id)).leaseHolder).toBe('other')
  })

  it('keeps the request while the service closes, and loses it when it is canceled here', async () => {
    const closing = await hold()
    closing.stop.abort()
    expect([closing.lease.signal.aborted, closing.lease.lost.aborted]).toEqual([true, false])
    const held = await closing.lease.end()
    expect(held).toMatchObject({ status: 'in_processing' })
    await moveRequest(context.storage, held as PrivacyRequestRow, 'fail')
    await moveOrRefuse(context.storage, id, 'retry')
    const canceling = await hold()
    canceling.canceled.abort()
    expect(await canceling.lease.end()).toBeUndefined()
  })

  it('asks a storage again that is away for a moment', async () => {
    const { lease } = await hold()
    const { transaction, table, close } = context.storage
    let away = true
    const lossy = {
      ...{ transaction, close },
      table: ((kind: 'privacyRequest') => ({
        ...table(kind),
        replace: async (row: PrivacyRequestRow) => {
          if (away) throw new Error('away')
          return table(kind).replace(row)
        },
      })) as Storage['table'],
    }
    await lease.end()
    const row = await requestRow(context.storage, id)
    const stop = new AbortController().signal
    const second = holdLease({ ...context, storage: lossy }, row, { stop, canceled: stop })
    await renewal()
    await second.confirm()
    away = false
    await renewal()
    expect(await second.end()).toMatchObject({ version: row.version + 1 })
  })
})
