import { describe, expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { type ErasedShop, eraseShop, foreignKey, key, plain, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

type Meta = Readonly<Record<string, unknown>>
const ann = 'ann@example.com'

/** Ann and Bob live at address 1, Ann alone at address 2; on both hang notes, and on each note a picture; one note names Ann itself. */
const shop = (
  { address = {}, note = {} }: { address?: Meta; note?: Meta } = {},
  street = field('street'),
): ErasedShop => ({
  database: {
    customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [
      [0, ann, 'Ann'],
      [1, 'bob@example.com', 'Bob'],
    ]),
    lease: tableWith({ id: 'integer', customer_id: 'integer', address_id: 'integer', kind: 'string' }, [
      [10, 0, 1, 'rent'],
      [11, 0, 2, 'rent'],
      [12, 1, 1, 'rent'],
    ]),
    address: tableWith({ id: 'integer', street: 'string' }, [
      [1, 'Shared Street'],
      [2, 'Ann Lane'],
    ]),
    note: tableWith(
      { id: 'integer', address_id: 'integer', writer: 'string', body: 'string' },
      [
        [20, 1, null, 'ring twice'],
        [21, 2, null, 'beware of the dog'],
        [22, 1, ann, 'by Ann'],
      ],
      { foreignKeys: [foreignKey('address_id', 'address')] },
    ),
    picture: tableWith({ id: 'integer', note_id: 'integer', title: 'string' }, [
      [30, 20, 'the door'],
      [31, 21, 'the dog'],
      [32, 22, 'Ann'],
    ]),
  },
  collections: [
    collection('customer', [key, plain('email', { identity: 'email' }), field('name')]),
    collection('lease', [
      key,
      refer('customer_id', 'customer.id', { direction: 'from' }),
      refer('address_id', 'address.id', { direction: 'to' }),
      field('kind'),
    ]),
    collection('address', [key, street], address),
    collection(
      'note',
      [
        key,
        refer('address_id', 'address.id', { direction: 'from' }),
        plain('writer', { identity: 'email' }),
        field('body'),
      ],
      note,
    ),
    collection('picture', [key, refer('note_id', 'note.id', { direction: 'from' }), field('title')]),
  ],
})

const bodies = { 20: 'ring twice', 21: null, 22: 'by Ann' }
const bodiesOf = (rows: readonly object[] | undefined) =>
  Object.fromEntries((rows as { id: number; body: string | null }[]).map(({ id, body }) => [id, body]))
const dependents = (of: string) => `retained 2 (found through a row of shop:${of} that is shared)`

describe('dependents of a shared row', () => {
  test('stay with it even if they name another person, and so do their own dependents', async () => {
    const { status, erased, rows } = await eraseShop(shop())
    expect(status).toBe('complete')
    expect(erased).toMatchObject({
      'shop:address': 'masked 1, retained 1 (shared with 1 row of shop:lease)',
      'shop:note': `masked 1, ${dependents('address')}`,
      'shop:picture': `masked 1, ${dependents('note')}`,
    })
    expect(bodiesOf(rows['note'])).toEqual(bodies)
    expect(rows['picture']?.map(({ title }) => title)).toEqual(['the door', null, 'Ann'])
  })

  test.each([{}, { on_shared: 'erase' }])(
    'stay where nothing is erased of the shared row itself: %j',
    async (address) => {
      const { status, erased, rows } = await eraseShop(shop({ address }, plain('street')))
      expect([status, erased['shop:address'], erased['shop:note']]).toEqual([
        'complete',
        'retained 2 (no rule asks for anything of it)',
        `masked 1, ${dependents('address')}`,
      ])
      expect(bodiesOf(rows['note'])).toEqual(bodies)
    },
  )

  test('are not masked instead of deleted: they stay whole', async () => {
    const { status, erased, rows } = await eraseShop(shop({ note: { erase: 'delete' } }))
    expect([status, erased['shop:note']]).toEqual(['complete', `erased 1, ${dependents('address')}`])
    expect(bodiesOf(rows['note'])).toEqual({ 20: 'ring twice', 22: 'by Ann' })
  })

  test("are deleted where their own 'on_shared' says so, whatever that of the shared row says", async () => {
    const all = { 20: null, 21: null, 22: null }
    const { status, erased, rows } = await eraseShop(shop({ note: { on_shared: 'erase' } }))
    expect([status, erased['shop:note'], bodiesOf(rows['note'])]).toEqual(['complete', 'masked 3', all])
    const other = await eraseShop(shop({ address: { on_shared: 'erase' } }))
    expect([other.status, other.erased]).toMatchObject([
      'complete',
      { 'shop:address': 'masked 2', 'shop:note': `masked 1, ${dependents('address')}` },
    ])
    expect(bodiesOf(other.rows['note'])).toEqual(bodies)
  })

  test('stay on a retry, when the person’s rows that referred to the shared row have been erased', async () => {
    const given = shop()
    const gone = given.collections.map((each) => {
      const { name, fields } = each as { name: string; fields: readonly object[] }
      return name === 'lease' ? collection(name, fields, { erase: 'delete' }) : each
    })
    await using world = await shopWorld({ ...given, collections: gone })
    world.connector.failNext({ operation: 'erase', collection: 'customer', rollBack: false })
    const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
    expect((await world.privacy.requests.settled(id)).status).toBe('error')
    await world.privacy.requests.retry(id)
    const end = await world.privacy.requests.settled(id)
    expect([end.failure, erasedOf(end)['shop:note']]).toEqual([undefined, `masked 1, ${dependents('address')}`])
    expect(bodiesOf(world.rows()['note'])).toEqual(bodies)
  })
})
