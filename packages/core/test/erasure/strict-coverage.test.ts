import { describe, expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { type ErasedShop, foreignKey, from, kept, key, plain, shopWorld, tableWith, told } from './described-erasure.js'

const ann = { email: 'ann@example.com' }

const hashed = kept(refer('customer_id', 'customer.id', { meta: { masking_strategy: { strategy: 'hash' } } }))

/** A customer, and something that nobody has decided on where `gap` says so. */
const shop = (gap: 'column' | 'table' | 'masked' | 'inherited' | 'none'): ErasedShop => ({
  database: {
    customer: tableWith({ id: 'integer', email: 'string', name: 'string', nickname: 'string' }, [
      [1, ann.email, 'Ann', 'Annie'],
      [2, 'bob@example.com', 'Bob', 'Bobby'],
    ]),
    orders: tableWith({ id: 'integer', customer_id: 'integer', note: 'string' }, [
      [10, 1, 'hers'],
      [11, 2, 'his'],
    ]),
    ...(gap === 'table' && {
      review: tableWith({ id: 'integer', customer_id: 'integer' }, [[20, 1]], {
        foreignKeys: [foreignKey('customer_id', 'customer')],
      }),
    }),
  },
  collections: [
    collection('customer', [
      ...[key, field('email', { identity: 'email' }), field('name')],
      ...(gap === 'column' ? [] : [plain('nickname', { reviewed: true })]),
    ]),
    {
      ...collection('orders', [
        ...[key, gap === 'inherited' ? hashed : from('customer_id', 'customer.id'), field('note')],
        ...(gap === 'masked' ? [plain('place', { masking_strategy: { strategy: 'null_rewrite' } })] : []),
      ]),
      ...(gap === 'inherited' && { data_categories: ['user'] }),
    },
  ],
})

const gaps = [
  ['a column that no field describes', 'column', 'shop:customer.nickname'],
  ['a table with a foreign key to hers', 'table', 'shop:review'],
  ['a strategy that no rule asks for', 'masked', 'shop:orders.place'],
  ['a strategy of a reference that only inherits a category', 'inherited', 'shop:orders.customer_id'],
] as const

const operations = ({ connector }: Awaited<ReturnType<typeof shopWorld>>) =>
  new Set(connector.calls.map(({ operation }) => operation))

describe.each(gaps)("with coverage: 'strict' %s", (_, gap, name) => {
  test('ends an erasure before it reads a row', async () => {
    await using world = await shopWorld({ ...shop(gap), coverage: 'strict' })
    const end = await world.erase(ann)
    expect(end.status).toBe('error')
    expect(end.failure).toContain(`Nothing was erased, since nobody has decided on ${name}: describe them`)
    for (const each of ['read', 'count', 'countEach', 'erase'] as const) expect(operations(world)).not.toContain(each)
    expect(world.rows()).toEqual(world.before)
    expect(await world.privacy.isErased(ann)).toBe(false)
    // Nor does a retry, and nobody may accept it away.
    const accept = { acceptUndecided: true, acceptUnsearched: true, acceptUnconfirmed: true } as const
    await world.privacy.requests.retry(end.id, accept)
    const again = await world.privacy.requests.settled(end.id)
    expect([again.status, again.failure, world.rows()]).toEqual(['error', end.failure, world.before])
    expect(operations(world)).not.toContain('read')
  })

  test('is named, and hers is erased, without that option', async () => {
    await using world = await shopWorld(shop(gap))
    const end = await world.erase(ann)
    expect([end.status, end.failure]).toEqual(['complete', undefined])
    expect(Object.values(end.coverage ?? {}).flat()).toEqual([name])
    expect((await world.privacy.requests.receipt(end.id)).coverage).toEqual(end.coverage)
    expect([told(world, 'customer', 'name'), told(world, 'orders', 'note')]).toEqual([
      { 1: null, 2: 'Bob' },
      { 10: null, 11: 'his' },
    ])
  })
})

test("with coverage: 'strict' an erasure runs where everything is decided", async () => {
  await using world = await shopWorld({ ...shop('none'), coverage: 'strict' })
  const end = await world.erase(ann)
  expect([end.status, end.failure, end.coverage]).toEqual(['complete', undefined, undefined])
  expect([told(world, 'customer', 'name'), told(world, 'orders', 'note')]).toEqual([
    { 1: null, 2: 'Bob' },
    { 10: null, 11: 'his' },
  ])
})
