import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { failureWatch } from '../../actions/failure-watch.js'
import { moveOrRefuse, moveRequest, requestRow } from '../../actions/requests/move-request.js'
import { memoryStorage } from '../../builtin/memory-storage.js'
import { systemRuntime } from '../../builtin/system-runtime.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import { claimRequest, holdLease } from './hold-lease.js'

const id = 'pri_1'
let context: { storage: Storage; runtime: typeof systemRuntime }

beforeEach(async () => {
  context = { storage: memoryStorage(), runtime: systemRuntime }
  const now = new Date().toISOString()
  const times = { createdAt: now, requestedAt: now }
  const row = { id, version: 1, status: 'pending' as const, policyKey: 'p', encrypted: false }
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
  it('succeeds for one of fifty workers', async () => {
    const fencingToken = await Promise.all(Array.from({ length: 50 }, claim))
    expect(fencingToken.filter(Boolean)).toHaveLength(1)
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

  it('skips a request that waits for an approval, and takes one that has it', async () => {
    const table = context.storage.table('privacyRequest')
    expect(await claimRequest(context, id, { ...by('worker'), approvalRequired: true })).toBeUndefined()
    await table.replace({ ...(await requestRow(context.storage, id)), needsReview: true, version: 2 })
    expect(await claim()).toBeUndefined()
    await moveOrRefuse(context, id, { actor: 'host', event: 'approve', drop: ['needsReview'] })
    expect(await claimRequest(context, id, { ...by('worker'), approvalRequired: true })).toBeDefined()
  })

  it('takes over a request whose lease was not renewed for a minute', async () => {
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

  it('stores a mark with the next write, and gives it to whoever ends the run before that', async () => {
    const { lease } = await hold()
    lease.mark({ lane: 'large' })
    expect((await requestRow(context.storage, id)).lane).toBeUndefined()
    expect(lease.row.lane).toBeUndefined()
    await renewal()
    expect((await requestRow(context.storage, id)).lane).toBe('large')
    lease.mark({ stopsForHold: true })
    expect(await lease.end()).toMatchObject({ lane: 'large', stopsForHold: true })
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

  it('goes on when somebody changes something else of the request', async () => {
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

  it('asks a storage again that cannot be reached for a moment', async () => {
    const { lease } = await hold()
    const { transaction, table, close } = context.storage
    let away = true
    const lossy = {
      transaction,
      close,
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

describe('writing', () => {
  const hold = async (held = context) => {
    const signal = new AbortController().signal
    return holdLease(held, await claim(), { stop: signal, canceled: signal })
  }
  const checkpoint = (step: number) => ({ id: `${id}/c`, version: step, requestId: id, signature: 's', state: step })
  const saved = () => context.storage.table('checkpoint').get(`${id}/c`)

  it('renews the lease in the same transaction, and returns what work returns', async () => {
    const lease = await hold()
    const result = await lease.write(async (within) => {
      await within.table('checkpoint').insert(checkpoint(1))
      return within.table('privacyRequest').get(id)
    })
    expect(result).toMatchObject({ version: 3, leaseHolder: 'worker' })
    expect(await lease.end()).toStrictEqual(result)
    expect(await saved()).toMatchObject({ state: 1 })
  })

  it('says how long it is held, for servers that have to end a write by then', async () => {
    const claimed = await claim()
    const { signal } = new AbortController()
    const expires = Date.parse(claimed.leaseExpiresAt as string)
    const leftAt = (at: number) => {
      const runtime = { ...systemRuntime, now: () => new Date(at) }
      return holdLease({ ...context, runtime }, claimed, { stop: signal, canceled: signal }).fence.leftMs?.()
    }
    expect([leftAt(expires - 60_000), leftAt(expires - 1), leftAt(expires), leftAt(expires + 60_000)]).toEqual([
      60_000, 1, 0, 0,
    ])
  })

  it('rejects when the request was taken over, and nothing is written', async () => {
    const lease = await hold()
    await claimRequest({ ...context, runtime: minutesFrom(2) }, id, by('other'))
    let worked = false
    const writing = lease.write(async () => {
      worked = true
    })
    await expect(writing).rejects.toMatchObject({ code: 'unavailable' })
    expect([worked, lease.lost.aborted]).toEqual([false, true])
    await expect(lease.write(async () => {})).rejects.toMatchObject({ code: 'unavailable' })
    expect(await requestRow(context.storage, id)).toMatchObject({ leaseHolder: 'other', version: 3, fencingToken: 2 })
  })

  it('rejects when the request was canceled meanwhile', async () => {
    const lease = await hold()
    await moveOrRefuse(context, id, { ...system, event: 'cancel' })
    const writing = lease.write((within) => within.table('checkpoint').insert(checkpoint(1)))
    await expect(writing).rejects.toMatchObject({ code: 'invalid_state', details: { status: 'canceled' } })
    expect(await saved()).toBeUndefined()
  })

  it('keeps what others write to the row, and writes once', async () => {
    const lease = await hold()
    const row = await requestRow(context.storage, id)
    const extended = { ...row, extensionReason: 'Many systems.', version: row.version + 1 }
    await context.storage.table('privacyRequest').replace(extended)
    await lease.write((within) => within.table('checkpoint').insert(checkpoint(1)))
    expect(await lease.end()).toMatchObject({ extensionReason: 'Many systems.', version: 4 })
  })

  it('happens one after the other, renewals included, and each failure is its own', async () => {
    const lease = await hold()
    const order: number[] = []
    const write = (step: number) =>
      lease.write(async (within) => {
        await new Promise((resolve) => setTimeout(resolve, 5 - step))
        order.push(step)
        if (step === 1) await within.table('checkpoint').insert(checkpoint(1))
        else if (!(await within.table('checkpoint').replace(checkpoint(step)))) throw new Error('out of order')
        if (step === 2) throw new Error('thrown by work')
      })
    const [one, two, asked, again] = await Promise.allSettled([write(1), write(2), lease.confirm(), write(2)])
    expect([one.status, two.status, asked.status, again.status]).toEqual([
      ...['fulfilled', 'rejected', 'fulfilled', 'rejected'],
    ])
    expect(order).toEqual([1, 2, 2])
    expect(await saved()).toMatchObject({ version: 1 })
    expect(await lease.end()).toMatchObject({ version: 4 })
  })

  it('counts no silent run while the storage was away, since none could say anything', async () => {
    const entry = { id: 'entry', version: 1, requestId: id, createdAt: new Date().toISOString(), dataset: 'shop' }
    await context.storage
      .table('executionLog')
      .insert({ ...entry, collection: 'orders', status: 'in_processing' } as never)
    await claim()
    const failures = { ...failureWatch(() => {}, minutesFrom(1.5)), storageFailedAt: () => minutesFrom(1.5).now() }
    const after = { ...context, runtime: minutesFrom(2), failures }
    expect((await claimRequest(after, id, by('second')))?.deaths).toBeUndefined()
    // that was long ago
    const later = { ...after, runtime: minutesFrom(5) }
    expect((await claimRequest(later, id, by('third')))?.deaths).toMatchObject({ count: 1, at: ['shop:orders'] })
  })

  it('counts its claims, so that no two runs of a request have the same number', async () => {
    const numbers = []
    for (const minutes of [2, 4, 6]) {
      const row = await claimRequest({ ...context, runtime: minutesFrom(minutes) }, id, by(`worker ${minutes}`))
      numbers.push(row?.fencingToken)
    }
    expect(numbers).toEqual([1, 2, 3])
  })
})
