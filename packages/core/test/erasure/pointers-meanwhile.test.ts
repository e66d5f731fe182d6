import { type MemoryDatabase, memoryConnector } from '@habeas/testkit'
import { describe, expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { kept, key, plain, rowsOf, tableWith } from './described-erasure.js'
import { erasedOf, erasureWorld } from './erasure-world.js'

const ann = 'ann@example.com'
const atAddress = plain('address_id', { references: [{ dataset: 'shop', field: 'address.id', direction: 'to' }] })
const database = (): MemoryDatabase => ({
  customer: tableWith({ id: 'integer', email: 'string', address_id: 'integer', name: 'string' }, [
    [0, ann, 1, 'Ann'],
    [1, 'bob@example.com', 3, 'Bob'],
    [2, ann, 2, 'Anna'],
  ]),
  address: tableWith({ id: 'integer', street: 'string', deed: 'string', bought: 'date' }, [
    [1, 'Ann Lane', null, '2001-01-01'],
    [2, 'Ann Road', 'sold', '2999-01-01'],
    [3, 'Bob Street', null, '2001-01-01'],
  ]),
  lead: tableWith({ id: 'integer', address_id: 'integer' }, [[0, 2]]),
})

/** The addresses of customers and, in another database, of leads. */
async function world(address: object = collection('address', [key, field('street')])) {
  const tables = database()
  const connector = memoryConnector({ database: tables })
  const customer = collection('customer', [key, plain('email', { identity: 'email' }), atAddress, field('name')])
  const shop = { service_key: 'shop', collections: [customer, address] }
  const crm = { service_key: 'crm', collections: [collection('lead', [key, atAddress])] }
  const made = await erasureWorld(connector, [shop, crm])
  const begin = async () =>
    (await made.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })).id
  const again = async (id: string) => {
    await made.privacy.requests.retry(id)
    return made.privacy.requests.settled(id)
  }
  return { ...made, tables, connector, begin, again }
}

const writing = { operation: 'erase', collection: 'address', rollBack: false } as const
const came = (name: string) => `1 row of '${name}' now refers to rows of 'shop:address', so these may belong`

describe('a row that comes to refer to a row to erase', () => {
  test('is counted by the batch itself on the same connection, and right before it on another one', async () => {
    await using given = await world()
    const { connector, privacy } = given
    const id = await given.begin()
    await privacy.requests.settled(id)
    const at = connector.calls.findIndex(({ erase, rollBack }) => erase?.collection === 'address' && !rollBack)
    const trial = connector.calls.findLastIndex(({ rollBack }) => rollBack === true)
    const counted = connector.calls.slice(trial, at).flatMap(({ countEach }) => countEach?.collection ?? [])
    expect(counted).toEqual(['lead'])
    const { pointers } = connector.calls[at]?.erase ?? {}
    expect(pointers).toEqual([
      { count: { collection: 'customer', group: expect.objectContaining({ values: [[1]] }) }, most: [1] },
    ])
    expect(rowsOf(given.tables)['address']?.map(({ street }) => street)).toEqual([null, 'Ann Road', 'Bob Street'])
  })

  test('keeps it at the moment of the write, and a retry finds it shared', async () => {
    await using given = await world()
    const { connector, privacy, tables } = given
    const gate = connector.hold(writing)
    const id = await given.begin()
    await gate.reached
    Object.assign(tables['customer']?.rows[1] ?? {}, { address_id: 1 })
    gate.open()
    const request = await privacy.requests.settled(id)
    expect([request.status, request.failure]).toEqual(['error', expect.stringContaining(came('shop:customer'))])
    expect(tables['address']?.rows[0]).toMatchObject({ street: 'Ann Lane' })
    const end = await given.again(id)
    const { 'shop:customer': customers, 'shop:address': addresses } = erasedOf(end)
    expect([end.failure, customers, addresses]).toEqual([
      undefined,
      'masked 2',
      'retained 1 (shared with 1 row of shop:customer), retained 1 (shared with 1 row of crm:lead)',
    ])
    expect(tables['address']?.rows[0]).toMatchObject({ street: 'Ann Lane' })
  })

  test('keeps it on another connection, before the write', async () => {
    await using given = await world()
    const { connector, privacy, tables } = given
    const gate = connector.hold({ ...writing, rollBack: true })
    const id = await given.begin()
    await gate.reached
    tables['lead']?.rows.push({ id: 1, address_id: 1 })
    gate.open()
    const request = await privacy.requests.settled(id)
    expect([request.status, request.failure]).toEqual(['error', expect.stringContaining(came('crm:lead'))])
    expect(tables['address']?.rows[0]).toMatchObject({ street: 'Ann Lane' })
  })

  test('keeps it when a part of its batch has been written, which is counted once', async () => {
    const retain = { reason: 'tax law', until: { after: 'bought', period: 'P1D' } }
    const deed = field('deed', { retain })
    const address = collection('address', [key, field('street'), deed, kept(plain('bought'))], { erase: 'delete' })
    await using given = await world(address)
    const { connector, privacy, tables } = given
    tables['lead']?.rows.splice(0)
    const gate = connector.hold({ ...writing, afterWriting: true })
    const id = await given.begin()
    await gate.reached
    expect(tables['address']?.rows.map((row) => row['id'])).toEqual([2, 3])
    Object.assign(tables['customer']?.rows[1] ?? {}, { address_id: 2 })
    gate.open()
    const request = await privacy.requests.settled(id)
    expect([request.status, request.failure]).toEqual(['error', expect.stringContaining(came('shop:customer'))])
    const end = await given.again(id)
    expect([end.failure, erasedOf(end)['shop:address']]).toEqual([
      undefined,
      'erased 1, retained 1 (shared with 1 row of shop:customer)',
    ])
    expect(tables['address']?.rows[0]).toMatchObject({ id: 2, street: 'Ann Road' })
  })
})
