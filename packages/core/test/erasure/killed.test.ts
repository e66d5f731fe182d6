import {
  type ConnectorCapabilities,
  createPrivacyService,
  memoryBlobs,
  memoryStorage,
  PrivacyError,
  type Value,
} from '@habeas/core'
import { fakeRuntime, type MemoryDatabase, memoryConnector } from '@habeas/testkit'
import { expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { foreignKey, key, plain, rowsOf, tableWith } from './described-erasure.js'
import { describeErasures, erasedOf, erasureWorld } from './erasure-world.js'
import { type Death, mortal } from './mortal.js'

const ann = 'ann@example.com'
const bob = 'bob@example.com'

const databaseOfAll = (): MemoryDatabase => ({
  customer: tableWith({ id: 'integer', email: 'string', name: 'string', address_id: 'integer' }, [
    [0, ann, 'Ann', 1],
    [1, bob, 'Bob', 2],
    [2, ann, 'Anna', 3],
    [3, ann, null, 2],
  ]),
  address: tableWith({ id: 'integer', street: 'string' }, [
    [1, 'Ann Lane'],
    [2, 'Shared Street'],
    [3, 'Third Road'],
  ]),
  orders: tableWith(
    { id: 'integer', customer_id: 'integer', note: 'string' },
    [
      [10, 0, 'mine'],
      [11, 1, 'other'],
      [12, 0, 'mine'],
      [13, 2, 'mine'],
    ],
    { foreignKeys: [foreignKey('customer_id', 'customer', 'cascade')] },
  ),
  message: tableWith(
    { id: 'integer', customer_id: 'integer', answers: 'integer', body: 'string' },
    [
      [1, 0, null, 'a'],
      [2, 0, 1, 'b'],
      [3, 2, 2, 'c'],
      [4, 1, null, 'his'],
    ],
    { foreignKeys: [foreignKey('answers', 'message', 'cascade')] },
  ),
  visit: tableWith(
    { email: 'string', note: 'string' },
    [
      [ann, 'v'],
      [ann, 'v'],
      [bob, 'v'],
      [ann, 'w'],
      [ann, 'v'],
    ],
    { keys: [] },
  ),
})

const collections = [
  collection('customer', [
    key,
    field('email', { identity: 'email' }, []),
    field('name', { masking_strategy: { strategy: 'hash' } }),
    refer('address_id', 'address.id', { direction: 'to', meta: { masking_strategy: { strategy: 'null_rewrite' } } }),
  ]),
  collection('address', [key, field('street')]),
  collection('orders', [key, refer('customer_id', 'customer.id', { direction: 'from' }), field('note')], {
    erase: 'delete',
  }),
  collection(
    'message',
    [
      key,
      refer('customer_id', 'customer.id', { direction: 'from' }),
      refer('answers', 'message.id', { direction: 'to' }),
      field('body'),
    ],
    { erase: 'delete' },
  ),
  collection('visit', [
    plain('email', { identity: 'email' }),
    field('note', { masking_strategy: { strategy: 'random_string_rewrite' } }),
  ]),
]

/** Erases in a process that dies, and goes on in another one. */
async function run(capabilities: Partial<ConnectorCapabilities>, death?: Death) {
  const runtime = fakeRuntime({ seed: 'killed' })
  const database = databaseOfAll()
  const [storage, blobs] = [memoryStorage(), memoryBlobs()]
  const outside = mortal(death)
  const betweenRows = () => outside.reach('connection.row')
  const connector = memoryConnector({ database, capabilities, betweenRows })
  const options = {
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    runtime,
    execution: { immediate: false, retryMinutes: 0 },
  }
  const first = createPrivacyService({
    ...options,
    storage: outside.storage(storage),
    blobs: outside.blobs(blobs),
    connectors: [outside.connector(connector)],
  })
  const second = createPrivacyService({
    ...options,
    storage,
    blobs,
    connectors: [memoryConnector({ database, capabilities })],
  })
  await describeErasures(second, 'postgres', [{ service_key: 'shop', collections }])
  const { id } = await second.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  const began = outside.calls.length
  const finished = first.requests.run(id).then(() => 'finished')
  const died = async () => {
    while (!outside.isDead) await new Promise((resolve) => setImmediate(resolve))
    return 'dead'
  }
  const how = death ? await Promise.race([finished, died()]) : await finished
  if (how === 'dead') {
    // What it was waiting for may still be on its way.
    await new Promise((resolve) => setImmediate(resolve))
    for (let attempt = 0; attempt < 3; attempt++) {
      runtime.advance(61_000)
      const { status } = await second.requests.get(id)
      if (status === 'complete' || status === 'error') break
      await second.requests.run(id)
    }
  }
  const request = await second.requests.get(id)
  await second.close()
  return { request, erased: erasedOf(request), rows: rowsOf(database), calls: outside.calls.slice(began), began }
}

const unprotected = { transactions: false, rowLocks: false, enforcedKeys: false, fencing: false, sampled: true }

test.each<[string, Partial<ConnectorCapabilities>]>([
  ['', { maxErased: 2 }],
  [', without transactions, row locks, enforced keys and fences', { maxErased: 2, ...unprotected }],
])(
  'an erasure that is killed at any call and taken over by another process has the same end and counts%s',
  async (_, can) => {
    const whole = await run(can)
    expect(whole.request.failure).toBeUndefined()
    expect(whole.erased).toEqual({
      'shop:customer': 'masked 3',
      'shop:address': 'masked 2, retained 1 (shared with 1 row of shop:customer)',
      'shop:orders': 'erased 3',
      'shop:message': 'erased 3',
      'shop:visit': 'masked 4',
    })
    const stillThere = (whole.rows['message'] as { id: Value }[]).map(({ id }) => id)
    expect(stillThere).toEqual([4])
    const from = whole.calls.indexOf('connection.countEach')
    const step = Number(process.env['HABEAS_KILL_STEP'] ?? 3)
    for (let call = from; call <= whole.calls.length; call++) {
      if ((call - from) % step !== 0 && whole.calls[call - 1] !== 'connection.row') continue
      for (const moment of ['before', 'after'] as const) {
        const killed = await run(can, { call: whole.began + call, moment })
        const where = `${moment} call ${call} of ${whole.calls.length} (${whole.calls[call - 1]})`
        expect([where, killed.request.status, killed.request.failure]).toEqual([where, 'complete', undefined])
        expect([where, killed.erased]).toEqual([where, whole.erased])
        expect([where, killed.rows]).toEqual([where, whole.rows])
      }
    }
  },
  1_200_000,
)

test('a retry ends a batch in which a database without transactions has failed, and nothing is counted twice', async () => {
  const whole = await run(unprotected)
  const rows = whole.calls.filter((name) => name === 'connection.row').length
  for (let failing = 1; failing <= rows; failing++) {
    let left = failing
    const database = databaseOfAll()
    const betweenRows = async () => {
      if (--left === 0) throw new PrivacyError('connection_failed', 'The connection broke off', { reason: 'other' })
    }
    const connector = memoryConnector({ database, capabilities: unprotected, betweenRows })
    await using world = await erasureWorld(connector, [{ service_key: 'shop', collections }])
    const failed = await world.erase({ email: ann })
    expect([failing, failed.status]).toEqual([failing, 'error'])
    const counted = failed.results?.flatMap(({ outcomes }) => outcomes.map(({ rowCount }) => rowCount)) ?? []
    expect(counted.every((count) => count >= 0)).toBe(true)
    await world.privacy.requests.retry(failed.id)
    const ended = await world.privacy.requests.settled(failed.id)
    expect([failing, ended.failure, erasedOf(ended)]).toEqual([failing, undefined, whole.erased])
    expect([failing, (rowsOf(database)['message'] as unknown[]).length]).toEqual([failing, 1])
  }
})
