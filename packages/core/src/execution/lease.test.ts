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

const by = (holder: string) => ({ holder, approvalRequired: false })
const system = { actor: 'system' }
const claim = async () => (await claimRequest(context, id, by('worker'))) as PrivacyRequestRow
const minutesFrom = (minutes: number) => ({
  ...systemRuntime,
  now: () => new Date(Date.now() + minutes * 60_000),
})

describe('claiming', () => {
  it('has one winner of fifty', async () => {
    const claims = await Promise.all(Array.from({ length: 50 }, claim))
    expect(claims.filter(Boolean)).toHaveLength(1)
    expect(await claimRequest(context, id, by('late'))).toBeUndefined()
    expect(await claimRequest(context, 'pri_none', by('worker'))).toBeUndefined()
  })

  it('of a doubled or late hint runs nothing twice', async () => {
    await moveRequest(context, await claim(), { ...system, event: 'fail', changes: { failure: 'It failed.' } })
    expect(await claim()).toBeUndefined()
    await moveOrRefuse(context, id, { ...system, event: 'retry' })
    expect(await claim()).toMatchObject({ status: 'in_processing', leaseHolder: 'worker' })
    await moveOrRefuse(context, id, { ...system, event: 'cancel' })
    expect(await claim()).toBeUndefined()
  })

  it('leaves alone what waits for an approval, and runs what has it', async () => {
    const table = context.storage.table('privacyRequest')
    expect(await claimRequest(context, id, { ...by('worker'), approvalRequired: true })).toBeUndefined()
    await table.replace({ ...(await requestRow(context.storage, id)), reviewAgain: true, version: 2 })
    expect(await claim()).toBeUndefined()
    await moveOrRefuse(context, id, { actor: 'host', event: 'approve', drop: ['reviewAgain'] })
    expect(await claimRequest(context, id, { ...by('worker'), approvalRequired: true })).toBeDefined()
  })

  it('takes over what has not been renewed for a minute', async () => {
    await claim()
    expect(await claimRequest({ ...context, runtime: minutesFrom(0.9) }, id, by('other'))).toBeUndefined()
    expect(await claimRequest({ ...context, runtime: minutesFrom(1.1) }, id, by('other'))).toMatchObject({
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
    await moveOrRefuse(context, id, { ...system, event: 'cancel' })
    expect(lease.signal.aborted).toBe(false)
    await renewal()
    expect(lease.signal.aborted && lease.lost.aborted).toBe(true)
    expect(lease.signal.reason).toMatchObject({ code: 'invalid_state', details: { status: 'canceled' } })
    expect(await lease.end()).toBeUndefined()
  })

  it('notices when it asks', async () => {
    const { lease } = await hold()
    await moveOrRefuse(context, id, { ...system, event: 'cancel' })
    await expect(lease.confirm()).rejects.toMatchObject({ message: expect.stringContaining('canceled') })
  })

  it('notices that another worker has taken the request over', async () => {
    const { lease } = await hold()
    await claimRequest({ ...context, runtime: minutesFrom(2) }, id, by('other'))
    await renewal()
    expect(lease.lost.reason).toMatchObject({ code: 'unavailable' })
    expect(await lease.end()).toBeUndefined()
    expect((await requestRow(context.storage, id)).leaseHolder).toBe('other')
  })

  it('is not lost to somebody who changes something else', async () => {
    const { lease } = await hold()
    const table = context.storage.table('privacyRequest')
    const row = await requestRow(context.storage, id)
    await table.replace({ ...row, extensionReason: 'Many systems.', version: row.version + 1 })
    await lease.confirm()
    await renewal()
    expect(await lease.end()).toMatchObject({ extensionReason: 'Many systems.', leaseHolder: 'worker' })
  })

  it('keeps the request while the service closes, and loses it when it is canceled here', async () => {
    const closing = await hold()
    closing.stop.abort()
    expect([closing.lease.signal.aborted, closing.lease.lost.aborted]).toEqual([true, false])
    const held = await closing.lease.end()
    expect(held).toMatchObject({ status: 'in_processing' })
    await moveRequest(context, held as PrivacyRequestRow, { ...system, event: 'fail' })
    await moveOrRefuse(context, id, { ...system, event: 'retry' })
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
