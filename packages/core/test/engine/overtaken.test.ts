import { type Blobs, memoryBlobs, memoryStorage, type RowKind, searchable, systemRuntime } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { collection, field, id, refer, shopOf, table } from './described.js'
import { openService } from './service-run.js'

const ann = { email: 'ann@example.com' }

/** customer → orders → line. The rows of orders are more than a spool keeps in memory. */
const shop = () =>
  shopOf(
    [
      collection('customer', [id, field('email', { identity: 'email' })]),
      collection('orders', [id, refer('customer_id', 'customer.id'), field('note')]),
      collection('line', [id, refer('order_id', 'orders.id'), field('title')]),
    ],
    {
      customer: table({ id: 'integer', email: 'string' }, [[1, 'ann@example.com']]),
      orders: table(
        { id: 'integer', customer_id: 'integer', note: 'string' },
        Array.from({ length: 5_000 }, (_, at) => [at, 1, 'x'.repeat(150)]),
      ),
      line: table({ id: 'integer', order_id: 'integer', title: 'string' }, [[1, 1, 'a line']]),
    },
  )

/** One whose clock is so far ahead that every other one's lease has ended. */
const ahead = (minutes: number) => ({
  ...systemRuntime,
  now: () => new Date(Date.now() + minutes * 60_000),
})

/** Two services over one storage, as two processes have it; the second takes over what the first one is running. */
async function world(throughBlobs = (blobs: Blobs) => blobs) {
  const kept = new Set<string>()
  const inner = memoryBlobs()
  const blobs: Blobs = {
    ...inner,
    async write(key, bytes) {
      await inner.write(key, bytes)
      kept.add(key)
    },
    async delete(prefix) {
      for (const key of kept) if (key === prefix || key.startsWith(`${prefix}/`)) kept.delete(key)
      await inner.delete(prefix)
    },
  }
  const storage = memoryStorage()
  const slow = shop()
  const first = await openService([slow], { storage, blobs: throughBlobs(blobs) })
  const overtake = () => openService([shop()], { storage, blobs, runtime: ahead(2), execution: { sweepSeconds: 0.02 } })
  /** Everything that is stored, and the names of all blobs. */
  const everything = async () => {
    const rows: Record<string, unknown> = {}
    for (const kind of Object.keys(searchable) as RowKind[]) rows[kind] = await storage.table(kind).find()
    return { rows, blobs: [...kept].sort() }
  }
  return { first, storage, kept, connector: slow.connector, submit: () => first.submit(ann), overtake, everything }
}

const gate = () => {
  let open = () => {}
  let reach = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const pass = () => {
    reach()
    return opened
  }
  return { open: () => open(), reached, pass }
}

describe('a run that was overtaken and has not noticed', () => {
  it.each(['customer', 'orders', 'line'])('changes nothing when it hung before %s', async (place) => {
    const { submit, overtake, everything, first, connector } = await world()
    const held = connector.hold({ operation: 'read', collection: place })
    const requestId = await submit()
    await held.reached
    const second = await overtake()
    expect(await second.privacy.requests.settled(requestId)).toMatchObject({ status: 'complete' })
    const package_ = await second.read(requestId)
    expect(package_['shop:orders']).toHaveLength(5_000)
    await second.privacy.close()
    const before = await everything()
    held.open()
    await first.privacy.close()
    expect(await everything()).toEqual(before)
    const steps = [first, second].map(({ events }) =>
      events.flatMap((e) => (e.type === 'request' ? (e.step ?? []) : [])),
    )
    expect(steps).toEqual([
      ['submitted', 'claimed', 'lost'],
      ['taken_over', 'ended'],
    ])
    expect(before.blobs).toEqual([`requests/${requestId}/2/package/all/json.json`])
    const third = await overtake()
    const trail = (await third.privacy.requests.auditTrail(requestId)).items.map(({ action }) => action)
    expect(trail.filter((action) => action === 'request_completed')).toHaveLength(1)
    expect(await third.read(requestId)).toEqual(package_)
    await third.privacy.close()
  })

  it('leaves the package of its successor alone, and removes its own', async () => {
    const writing = gate()
    const { submit, overtake, everything, first } = await world((blobs) => ({
      ...blobs,
      async write(key, bytes) {
        if (key.includes('/package/')) await writing.pass()
        await blobs.write(key, bytes)
      },
    }))
    const requestId = await submit()
    await writing.reached
    const second = await overtake()
    await second.privacy.requests.settled(requestId)
    const package_ = await second.read(requestId)
    await second.privacy.close()
    const before = await everything()
    writing.open()
    await first.privacy.close()
    expect((await everything()).blobs).toEqual(before.blobs)
    const third = await overtake()
    expect(await third.read(requestId)).toEqual(package_)
    await third.privacy.close()
  })

  it('deletes nothing that its successor, still running, has spooled', async () => {
    const deleting = gate()
    const { submit, kept, first } = await world((blobs) => ({
      ...blobs,
      async delete(prefix) {
        await deleting.pass()
        await blobs.delete(prefix)
      },
    }))
    const requestId = await submit()
    // All is read and packed; what was spooled is about to go.
    await deleting.reached
    const slow = shop()
    const held = slow.connector.hold({ operation: 'read', collection: 'line' })
    const second = await openService([slow], {
      storage: first.storage,
      blobs: first.blobs,
      runtime: ahead(2),
      execution: { sweepSeconds: 0.02 },
    })
    await held.reached
    deleting.open()
    await first.privacy.close()
    expect([...kept].filter((key) => key.startsWith(`requests/${requestId}/2/spool/`))).not.toEqual([])
    held.open()
    expect(await second.privacy.requests.settled(requestId)).toMatchObject({ status: 'complete' })
    expect((await second.read(requestId))['shop:orders']).toHaveLength(5_000)
    await second.privacy.close()
    expect([...kept].filter((key) => key.includes('/spool/'))).toEqual([])
  })

  it('saves no checkpoint: what its successor has saved stays', async () => {
    const { submit, first, connector, storage, kept } = await world()
    const held = connector.hold({ operation: 'read', collection: 'line' })
    const requestId = await submit()
    await held.reached
    const failing = shop()
    failing.connector.failNext({ operation: 'read', collection: 'line' })
    const second = await openService([failing], {
      storage,
      blobs: first.blobs,
      runtime: ahead(2),
      execution: { sweepSeconds: 0.02 },
    })
    expect(await second.privacy.requests.settled(requestId)).toMatchObject({ status: 'error' })
    const saved = await storage.table('checkpoint').find()
    expect(saved.map((row) => row.id)).toEqual([`${requestId}/shop:customer`, `${requestId}/shop:orders`])
    connector.failNext({ operation: 'read', collection: 'line' })
    held.open()
    await first.privacy.close()
    expect(await storage.table('checkpoint').find()).toEqual(saved)
    await second.privacy.requests.retry(requestId)
    expect(await second.privacy.requests.settled(requestId)).toMatchObject({ status: 'complete' })
    const read = failing.connector.calls.flatMap((call) => call.read?.collection ?? [])
    expect(read.filter((each) => each !== 'line')).toEqual(['customer', 'orders'])
    await second.privacy.close()
    expect([...kept]).toEqual([`requests/${requestId}/3/package/all/json.json`])
  })
})

describe('a request that another process was running when it was killed', () => {
  it('is found by the sweep, as is one that was never started', async () => {
    const { submit, first, storage, connector } = await world()
    const held = connector.hold({ operation: 'read', collection: 'orders' })
    const running = await submit()
    await held.reached
    const silent = await openService([shop()], { storage, blobs: first.blobs, execution: { immediate: false } })
    const waiting = await silent.submit(ann)
    const second = await openService([shop()], {
      storage,
      blobs: first.blobs,
      runtime: ahead(2),
      execution: { sweepSeconds: 0.02 },
    })
    for (const requestId of [running, waiting]) {
      expect(await second.privacy.requests.settled(requestId)).toMatchObject({ status: 'complete' })
    }
    held.open()
    for (const { privacy } of [first, silent, second]) await privacy.close()
  })

  it('is found although another one has been running in the sweep for long', async () => {
    const { submit, first, storage, connector } = await world()
    const held = connector.hold({ operation: 'read', collection: 'orders' })
    await submit()
    await held.reached
    const slow = shop()
    const long = slow.connector.hold({ operation: 'read', collection: 'orders' })
    const second = await openService([slow], {
      storage,
      blobs: first.blobs,
      runtime: ahead(2),
      execution: { sweepSeconds: 0.02, concurrency: 2 },
    })
    await long.reached
    const silent = await openService([shop()], { storage, blobs: first.blobs, execution: { immediate: false } })
    slow.connector.hold({ operation: 'read', collection: 'orders' })
    const waiting = await silent.submit(ann)
    await expect.poll(async () => (await storage.table('privacyRequest').get(waiting))?.status).toBe('in_processing')
    long.open()
    held.open()
    for (const { privacy } of [first, silent, second]) await privacy.close()
  })
})
