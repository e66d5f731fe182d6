import { type Identity, PrivacyError } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { collection, field, id, refer, shopOf, table } from './described.js'
import { openService, resultsOf } from './service-run.js'

const ann: Identity = { email: 'ann@example.com' }

/** customer → orders → line, customer → visits; customer → address. */
function shop() {
  return shopOf(
    [
      collection('customer', [
        id,
        field('email', { identity: 'email' }),
        refer('address_id', 'address.id', { direction: 'to' }),
      ]),
      collection('address', [id, field('street')]),
      collection('orders', [id, refer('customer_id', 'customer.id'), field('note')]),
      collection('line', [id, refer('order_id', 'orders.id'), field('title')]),
      collection('visits', [id, refer('customer_id', 'customer.id'), field('place')]),
    ],
    {
      customer: table({ id: 'integer', email: 'string', address_id: 'integer' }, [[1, 'ann@example.com', 5]]),
      address: table({ id: 'integer', street: 'string' }, [[5, 'Main']]),
      orders: table(
        { id: 'integer', customer_id: 'integer', note: 'string' },
        [1, 2, 3, 4, 5].map((at) => [at, 1, `note ${at}`]),
      ),
      line: table(
        { id: 'integer', order_id: 'integer', title: 'string' },
        [1, 2, 3].map((at) => [at, at, `line ${at}`]),
      ),
      visits: table({ id: 'integer', customer_id: 'integer', place: 'string' }, [[1, 1, 'here']]),
    },
  )
}

type Shop = ReturnType<typeof shop>
const readsOf = ({ connector }: Shop) =>
  connector.calls.flatMap(({ operation, read }) => (operation === 'read' ? (read?.collection ?? []) : []))

async function run(given: Shop, options = {}) {
  const service = await openService([given], options)
  const requestId = await service.submit(ann)
  const request = await service.privacy.requests.settled(requestId)
  return { ...service, requestId, request }
}

describe('failure of one collection', () => {
  it('lets independent ones run, skips those that depend on it, and says what happened to each', async () => {
    const given = shop()
    given.connector.failNext({ operation: 'read', collection: 'orders', afterBatches: 1 })
    const { request, privacy, requestId } = await run(given)
    expect(request.status).toBe('error')
    expect(request.failure).toMatch(/shop:orders.*Retry reads only what is missing/)
    expect(resultsOf(request)).toEqual({
      'shop:customer': 'delivered 1',
      'shop:address': 'delivered 1',
      'shop:orders': 'failed 0',
      'shop:line': 'failed 0',
      'shop:visits': 'delivered 1',
    })
    const { items: log } = await privacy.requests.log(requestId)
    const states = (name: string) => log.filter((entry) => entry.collection === name).map(({ status }) => status)
    expect(states('orders')).toEqual(['in_processing', 'error'])
    expect(states('line')).toEqual(['skipped'])
    expect(states('visits')).toEqual(['in_processing', 'complete'])
    await expect(privacy.requests.readPackage(requestId)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'not_found',
    })
    await privacy.close()
  })

  it('is retried by reading only what is missing', async () => {
    const given = shop()
    given.connector.failNext({ operation: 'read', collection: 'orders', afterBatches: 2 })
    const { privacy, requestId, read } = await run(given)
    const before = readsOf(given).length
    await privacy.requests.retry(requestId)
    expect((await privacy.requests.settled(requestId)).status).toBe('complete')
    expect(readsOf(given).slice(before)).toEqual(['orders', 'line'])
    const rows = await read(requestId)
    expect(Object.entries(rows).map(([address, each]) => [address, each.length])).toEqual([
      ['shop:address', 1],
      ['shop:customer', 1],
      ['shop:line', 3],
      ['shop:orders', 5],
      ['shop:visits', 1],
    ])
    const { items: log } = await privacy.requests.log(requestId)
    expect(log.filter((entry) => entry.collection === 'orders').map(({ status }) => status)).toEqual([
      'in_processing',
      'error',
      'retrying',
      'complete',
    ])
    expect(log.filter((entry) => entry.collection === 'customer').map(({ status }) => status)).toEqual([
      'in_processing',
      'complete',
    ])
    await privacy.close()
  })

  it('is retried by reading again what its definition changed, and what depends on that', async () => {
    const given = shop()
    given.connector.failNext({ operation: 'read', collection: 'visits' })
    const { privacy, requestId } = await run(given)
    const before = readsOf(given).length
    const orders = given.document.collections[2] as { fields: { name: string }[] }
    const changed = given.document.collections.map((each) =>
      each === orders ? { ...orders, fields: orders.fields.filter(({ name }) => name !== 'note') } : each,
    )
    await privacy.datasets.put({ ...given.document, collections: changed as never })
    await privacy.requests.retry(requestId)
    expect((await privacy.requests.settled(requestId)).status).toBe('complete')
    expect(readsOf(given).slice(before).sort()).toEqual(['line', 'orders', 'visits'])
    await privacy.close()
  })

  it('at any call, once or several times, ends in the same package after a retry', async () => {
    const whole = shop()
    const complete = await run(whole)
    const expected = await complete.read(complete.requestId)
    await complete.privacy.close()
    const places = ['customer', 'address', 'orders', 'line', 'visits'].flatMap((name) =>
      [0, 1, 2].map((afterBatches) => ({ operation: 'read' as const, collection: name, afterBatches })),
    )
    const failures = [...places, { operation: 'connect' as const }, { operation: 'describe' as const }]
    for (const failure of failures) {
      const given = shop()
      const { privacy, submit, read } = await openService([given])
      given.connector.failNext({ ...failure, times: 2 })
      const requestId = await submit(ann)
      for (let retries = 0; (await privacy.requests.settled(requestId)).status === 'error' && retries < 4; retries++) {
        await privacy.requests.retry(requestId)
      }
      expect({ failure, rows: await read(requestId) }).toEqual({ failure, rows: expected })
      expect(given.connector.openReads).toBe(0)
      await privacy.close()
    }
  })

  it('of a blob or a row of the storage ends in error and can be retried as well', async () => {
    const given = shop()
    const service = await openService([given])
    let failures = 1
    const write = service.blobs.write.bind(service.blobs)
    service.blobs.write = async (key, bytes) => {
      if (failures-- > 0) throw new PrivacyError('unavailable', 'The disk is full.', {})
      return write(key, bytes)
    }
    const requestId = await service.submit(ann)
    expect((await service.privacy.requests.settled(requestId)).status).toBe('error')
    await service.privacy.requests.retry(requestId)
    expect((await service.privacy.requests.settled(requestId)).status).toBe('complete')
    expect(Object.keys(await service.read(requestId))).toHaveLength(5)
    await service.privacy.close()
  })
})

describe('checkpoints', () => {
  it('of many collections are written while the run goes on, and a second service repeats nothing of them', async () => {
    const many = Array.from({ length: 20 }, (_, at) => `c${String(at).padStart(2, '0')}`)
    const chain = shopOf(
      many.map((name, at) =>
        collection(name, [
          id,
          at === 0 ? field('email', { identity: 'email' }) : refer('up', `${many[at - 1]}.id`),
          field('note'),
        ]),
      ),
      Object.fromEntries(
        many.map((name, at) => [
          name,
          table({ id: 'integer', [at === 0 ? 'email' : 'up']: at === 0 ? 'string' : 'integer', note: 'string' }, [
            [1, at === 0 ? 'ann@example.com' : 1, name],
            [2, 2 as never, 'else'],
          ]),
        ]),
      ),
    )
    for (const row of chain.connector.database['c00']?.rows ?? [])
      if (row['email'] === 2) row['email'] = 'ben@example.com'
    const service = await openService([chain])
    // Every collection is held up a little, so that writing behind the run has something to write.
    const gates = many.map((name) => chain.connector.hold({ operation: 'read', collection: name }))
    const requestId = await service.submit(ann)
    for (const [at, gate] of gates.entries()) {
      await gate.reached
      if (at === 15) break
      gate.open()
    }
    const checkpoints = { requestId: { equals: requestId } }
    await expect.poll(() => service.storage.table('checkpoint').count(checkpoints)).toBe(15)
    // The process goes away in mid-run; another one begins on the same storage.
    await service.privacy.close()
    for (const gate of gates) gate.open()
    const before = chain.connector.calls.length
    const second = await openService([chain], { storage: service.storage, blobs: service.blobs })
    expect((await second.privacy.requests.settled(requestId)).status).toBe('complete')
    const again = chain.connector.calls.slice(before).flatMap(({ read }) => read?.collection ?? [])
    expect(again).toEqual(many.slice(15))
    const rows = await second.read(requestId)
    expect(many.map((name) => rows[`shop:${name}`]?.length)).toEqual(many.map(() => 1))
    expect(await second.storage.table('checkpoint').count(checkpoints)).toBe(0)
    await second.privacy.close()
  })
})

describe('a run that is stopped', () => {
  it('by close is given back without hanging, frees its reads, and goes on where another service runs', async () => {
    const given = shop()
    const service = await openService([given])
    const gate = given.connector.hold({ operation: 'read', collection: 'orders' })
    const requestId = await service.submit(ann)
    await gate.reached
    await service.privacy.close()
    expect(given.connector.openReads).toBe(0)
    expect(given.connector.openConnections).toBe(0)
    gate.open()
    const row = await service.storage.table('privacyRequest').get(requestId)
    expect(row).toMatchObject({ status: 'in_processing' })
    expect(row).not.toHaveProperty('leaseHolder')
    const second = await openService([given], { storage: service.storage, blobs: service.blobs })
    expect((await second.privacy.requests.settled(requestId)).status).toBe('complete')
    await second.privacy.close()
  })

  it('while it waits for a connection ends as well', async () => {
    const given = shop()
    const narrow = shopOf(given.document.collections, given.connector.database, { concurrency: 1 })
    const service = await openService([narrow])
    const gate = narrow.connector.hold({ operation: 'read', collection: 'address' })
    const requestId = await service.submit(ann)
    await gate.reached
    await service.privacy.close()
    expect(await service.storage.table('privacyRequest').get(requestId)).not.toHaveProperty('leaseHolder')
    expect(narrow.connector.openReads).toBe(0)
  })

  it('keeps nobody waiting for ever: `settled` gives up when its signal aborts', async () => {
    const given = shop()
    const service = await openService([given])
    const gate = given.connector.hold({ operation: 'read' })
    const requestId = await service.submit(ann)
    await gate.reached
    const signal = AbortSignal.timeout(30)
    await expect(service.privacy.requests.settled(requestId, { signal })).rejects.toThrow()
    gate.open()
    expect((await service.privacy.requests.settled(requestId)).status).toBe('complete')
    await service.privacy.close()
  })

  it('leaves another request at the same time alone', async () => {
    const given = shop()
    given.connector.database['customer']?.rows.push({ id: 2, email: 'ben@example.com', address_id: null })
    const service = await openService([given])
    const [one, other] = await Promise.all([service.access(ann), service.access({ email: 'ben@example.com' })])
    expect(one.rows['shop:orders']).toHaveLength(5)
    expect(Object.keys(other.rows)).toEqual(['shop:customer'])
    await service.privacy.close()
  })
})
