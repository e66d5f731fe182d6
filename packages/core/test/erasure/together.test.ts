import {
  type Connector,
  createPrivacyService,
  type Identity,
  memoryBlobs,
  memoryStorage,
  systemRuntime,
  type Value,
} from '@habeas/core'
import { memoryConnector } from '@habeas/testkit'
import { expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { key, shopWorld, tableWith } from './described-erasure.js'
import { describeErasures, erasedOf } from './erasure-world.js'

const ann = 'ann@example.com'
const collections = [
  collection('customer', [
    key,
    field('email', { identity: 'email' }, []),
    field('phone', { identity: 'phone' }, []),
    field('name'),
  ]),
  collection('orders', [key, refer('customer_id', 'customer.id', { direction: 'from' }), field('note')], {
    erase: 'delete',
  }),
]
const databaseOf = () => ({
  customer: tableWith({ id: 'integer', email: 'string', phone: 'string', name: 'string' }, [
    [1, ann, '1', 'Ann'],
    [2, null, '2', 'Bob'],
    [3, ann, '2', 'Both'],
  ]),
  orders: tableWith(
    { id: 'integer', customer_id: 'integer', note: 'string' },
    Array.from({ length: 12 }, (_, at): Value[] => [at, (at % 3) + 1, 'note']),
  ),
})

test('erasures of people who overlap, in several processes, end alike and touch no row twice', async () => {
  const database = databaseOf()
  const connector = memoryConnector({ database, capabilities: { maxErased: 2 } })
  const [storage, blobs] = [memoryStorage(), memoryBlobs()]
  const open = () =>
    createPrivacyService({
      encryptionKey: Buffer.alloc(32, 5).toString('base64'),
      connectors: [connector],
      storage,
      blobs,
      execution: { immediate: false, retryMinutes: 0 },
    })
  const processes = [open(), open(), open()]
  const [first] = processes as [(typeof processes)[number]]
  await describeErasures(first, 'postgres', [{ service_key: 'shop', collections }])
  const asked = [{ email: ann }, { email: ann }, { phone: '2' }]
  const ids: string[] = []
  for (const identity of asked)
    ids.push((await first.requests.submit({ policyKey: 'erase', identities: [identity] })).id)
  await Promise.all(ids.map((id, at) => processes[at]?.requests.run(id)))
  for (const [at, id] of ids.entries()) {
    for (let attempt = 0; attempt < 3 && (await first.requests.get(id)).status === 'error'; attempt++) {
      await first.requests.retry(id)
      await processes[at]?.requests.run(id)
    }
  }
  const requests = await Promise.all(ids.map((id) => first.requests.get(id)))
  expect(requests.map(({ status, failure }) => [status, failure])).toEqual(ids.map(() => ['complete', undefined]))
  expect(database.customer.rows.map(({ name }) => name)).toEqual([null, null, null])
  expect(database.orders.rows).toEqual([])
  const erased = requests
    .map((request) => /erased (\d+)/.exec(erasedOf(request)['shop:orders'] ?? '')?.[1] ?? 0)
    .reduce<number>((sum, count) => sum + Number(count), 0)
  expect(erased).toBe(12)
  expect(await storage.table('erasureLock').count()).toBe(0)
  for (const each of processes) await each.close()
})

test.each(['mask', 'delete'] as const)(
  'a request that knows the same person by another identity waits, and then finds what is left: %s',
  async (erase) => {
    const hashed = { masking_strategy: { strategy: 'hash' } }
    const fields = [
      key,
      field('email', { identity: 'email' }, []),
      field('phone', { identity: 'phone' }, []),
      field('name', hashed),
    ]
    const database = {
      customer: tableWith({ id: 'integer', email: 'string', phone: 'string', name: 'string' }, [
        [1, ann, '1', 'Ann'],
        [2, ann, '1', 'Anne'],
        [3, 'bob@example.com', '2', 'Bob'],
      ]),
    }
    await using world = await shopWorld({ database, collections: [collection('customer', fields, { erase })] })
    const { requests } = world.privacy
    const reads = [1, 2].map(() => world.connector.hold({ operation: 'read' }))
    const ids: string[] = []
    for (const identity of [{ email: ann }, { phone: '1' }])
      ids.push((await requests.submit({ policyKey: 'erase', identities: [identity] })).id)
    await expect.poll(() => world.connector.calls.filter(({ operation }) => operation === 'read').length).toBe(2)
    const writing = world.connector.hold({ operation: 'erase', rollBack: false })
    for (const gate of reads) gate.open()
    await writing.reached
    expect(writing.waiting).toBe(1)
    writing.open()
    const ends = await Promise.all(ids.map((id) => requests.settled(id)))
    expect(ends.map(({ status, failure }) => [status, failure])).toEqual(ids.map(() => ['complete', undefined]))
    const told = ends.map((end) => erasedOf(end)['shop:customer'])
    if (erase === 'delete') expect(told.sort()).toEqual(['erased 2', 'nothing_found 0'])
    else expect(told).toEqual(['masked 2', 'masked 2'])
    expect(database.customer.rows.at(-1)).toEqual({ id: 3, email: 'bob@example.com', phone: '2', name: 'Bob' })
    expect(await world.storage.table('erasureLock').count()).toBe(0)
  },
)

test('rows that were found before another erasure ended are found again, also where the request did not wait', async () => {
  const database = databaseOf()
  const [storage, blobs] = [memoryStorage(), memoryBlobs()]
  const connectors = [1, 2].map(() => memoryConnector({ database }))
  const open = (connector: Connector | undefined, now = () => new Date()) =>
    createPrivacyService({
      encryptionKey: Buffer.alloc(32, 5).toString('base64'),
      connectors: connector ? [connector] : [],
      storage,
      blobs,
      runtime: { ...systemRuntime, now },
      execution: { immediate: false, retryMinutes: 0 },
      catalogueSeconds: 0,
    })
  const processes = connectors.map((connector) => open(connector))
  const [first, second] = processes as [(typeof processes)[number], (typeof processes)[number]]
  const connector = connectors[1] as (typeof connectors)[number]
  await describeErasures(first, 'postgres', [{ service_key: 'shop', collections }])
  const submit = async (identity: Identity) =>
    (await first.requests.submit({ policyKey: 'erase', identities: [identity] })).id
  const [quick, late] = [await submit({ email: ann }), await submit({ phone: '1' })]

  // The late one has read its rows, and looks at the tables once more before it writes.
  const reads = connector.hold({ operation: 'read' })
  const running = second.requests.run(late)
  await reads.reached
  const looks = connector.hold({ operation: 'describe' })
  reads.open()
  await looks.reached
  await first.requests.run(quick)
  expect((await first.requests.get(quick)).status).toBe('complete')
  looks.open()
  await running

  const end = await first.requests.get(late)
  expect([end.status, end.failure]).toEqual(['complete', undefined])
  expect(erasedOf(end)['shop:orders']).toBe('nothing_found 0')
  expect(await storage.table('erasureLock').count()).toBe(0)

  // That a lock was released is noted no longer than somebody may have to know.
  expect(await storage.table('releasedLock').count()).toBeGreaterThan(0)
  await first.requests.run()
  expect(await storage.table('releasedLock').count()).toBeGreaterThan(0)
  const later = open(undefined, () => new Date(Date.now() + 2 * 3_600_000))
  await later.requests.run()
  expect(await storage.table('releasedLock').count()).toBe(0)
  for (const each of [...processes, later]) await each.close()
})

test('a request does not wait for an erasure that nobody runs any more', async () => {
  await using world = await shopWorld({ database: databaseOf(), collections })
  const gate = world.connector.hold({ operation: 'read' })
  const waiting = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  await gate.reached
  const stale = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  // A process has died with the lock in hand.
  const [identity] = await world.storage.table('requestIdentity').find({ where: { requestId: { equals: stale.id } } })
  await world.storage.table('erasureLock').insert({ id: identity?.identityHash ?? '', version: 1, requestId: stale.id })
  gate.open()
  const ends = await Promise.all([waiting, stale].map(({ id }) => world.privacy.requests.settled(id)))
  expect(ends.map(({ status }) => status)).toEqual(['complete', 'complete'])
})

test('a legal hold keeps everything as it is, and its release lets the erasure go on', async () => {
  await using world = await shopWorld({ database: databaseOf(), collections })
  const hold = await world.privacy.holds.create({ identities: [{ email: ann }], reason: 'a case' })
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  const held = async () => {
    for (;;) {
      const request = await world.privacy.requests.get(id)
      if (request.status !== 'pending' && request.status !== 'in_processing') return request
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  expect((await held()).status).toBe('paused')
  expect(world.rows()).toEqual(world.before)
  await world.privacy.holds.release(hold.id)
  const end = await world.privacy.requests.settled(id)
  expect([end.status, end.failure]).toEqual(['complete', undefined])
  expect(world.rows()['orders']?.filter((row) => row['customer_id'] !== 2)).toEqual([])
})

test('nothing personal is in results, logs, events, errors or stored rows', async () => {
  const planted = ['PLANTED-NAME', 'PLANTED-NOTE', 'planted@example.com']
  const database = {
    customer: tableWith({ id: 'integer', email: 'string', phone: 'string', name: 'string' }, [
      [1, 'planted@example.com', '1', 'PLANTED-NAME'],
    ]),
    orders: tableWith({ id: 'integer', customer_id: 'integer', note: 'string' }, [[1, 1, 'PLANTED-NOTE']], {
      checks: [{ name: 'kept', holds: () => true }],
    }),
  }
  await using world = await shopWorld({ database, collections })
  const heard: unknown[] = []
  world.privacy.on((event) => void heard.push(event))
  world.connector.failNext({ operation: 'erase', collection: 'orders', rollBack: false, afterWriting: true })
  const { id } = await world.privacy.requests.submit({
    policyKey: 'erase',
    identities: [{ email: 'planted@example.com' }],
  })
  const first = await world.privacy.requests.settled(id)
  expect(first.status).toBe('error')
  const stored = async () => {
    const kinds = [
      'privacyRequest',
      'requestPlan',
      'checkpoint',
      'erasureProgress',
      'executionLog',
      'auditEntry',
    ] as const
    return JSON.stringify(await Promise.all(kinds.map((kind) => world.storage.table(kind).find())))
  }
  const texts = [await stored()]
  await world.privacy.requests.retry(id)
  const end = await world.privacy.requests.settled(id)
  expect([end.failure, erasedOf(end)]).toEqual([undefined, { 'shop:customer': 'masked 1', 'shop:orders': 'erased 1' }])
  texts.push(await stored(), JSON.stringify([first, end, heard]))
  for (const text of texts) for (const value of planted) expect(text).not.toContain(value)
})
