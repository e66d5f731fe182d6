import type { ForeignKey, Value } from '@habeas/core'
import { describe, expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { type ErasedShop, eraseShop, foreignKey, key, plain, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const email = field('email', { identity: 'email' }, [])
type Meta = Readonly<Record<string, unknown>>
const gone = { erase: 'delete' } as const
const ann = 'ann@example.com'
const customers = () =>
  tableWith({ id: 'integer', email: 'string', name: 'string' }, [
    [0, ann, 'Ann'],
    [1, 'bob@example.com', 'Bob'],
  ])
const customer = (meta: Meta = {}) => collection('customer', [key, email, field('name')], meta)
const toCustomer = refer('customer_id', 'customer.id', { direction: 'from', meta: {} })

const shop = (onDelete: ForeignKey['onDelete'], ordersMeta: Meta = gone): ErasedShop => ({
  database: {
    customer: customers(),
    orders: tableWith(
      { id: 'integer', customer_id: 'integer', note: 'string' },
      [
        [10, 0, 'mine'],
        [11, 1, 'other'],
        [12, 0, 'mine'],
      ],
      { foreignKeys: [foreignKey('customer_id', 'customer', onDelete)] },
    ),
  },
  collections: [customer(gone), collection('orders', [key, toCustomer, field('note')], ordersMeta)],
})

describe('rows that are deleted', () => {
  test('children are deleted before their parents, whatever the foreign key would do', async () => {
    for (const onDelete of ['no action', 'restrict', 'cascade', 'set null'] as const) {
      const { status, erased, rows, before } = await eraseShop(shop(onDelete))
      expect({ status, erased }).toEqual({
        status: 'complete',
        erased: { 'shop:customer': 'erased 1', 'shop:orders': 'erased 2' },
      })
      expect(rows).toEqual({ customer: [before['customer']?.[1]], orders: [before['orders']?.[1]] })
    }
  })

  test('a refused deletion is explained where it is refused, with what to do, and referred to elsewhere', async () => {
    const given = shop('cascade', { retain: { reason: 'tax' } })
    const note = tableWith({ id: 'integer', email: 'string', text: 'string' }, [[1, ann, 'hers']])
    const { status, request, erased } = await eraseShop({
      database: { ...given.database, note },
      collections: [...given.collections, collection('note', [key, email, field('text')])],
    })
    expect(status).toBe('error')
    expect(request.failure).toContain("Rows of 'shop:customer' cannot be deleted")
    expect(request.failure).toContain("(erase: 'mask' in its service_meta, or a policy without the strategy 'delete')")
    expect(erased['shop:customer']).toContain("failed 1 (not begun: Rows of 'shop:customer' cannot be deleted")
    expect(erased['shop:note']).toBe("failed 1 (not begun: because of 'shop:customer')")
  })

  test('a row that holds nothing the policy asks for stays, and a parent it belongs to is then impossible', async () => {
    const { status, erased, rows } = await eraseShop({
      database: {
        customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [
          [0, 'ann@example.com', 'Ann'],
          [1, 'ann@example.com', null],
        ]),
      },
      collections: [customer(gone)],
    })
    expect({ status, erased }).toEqual({ status: 'complete', erased: { 'shop:customer': 'erased 1, unchanged 1' } })
    expect(rows['customer']).toEqual([{ id: 1, email: 'ann@example.com', name: null }])
  })

  test('rows that a deletion would be carried on to stop everything, in every collection', async () => {
    for (const onDelete of ['no action', 'restrict', 'cascade', 'set null', 'set default'] as const) {
      const { request, status, rows, before } = await eraseShop(shop(onDelete, { erase: 'mask' }))
      expect([onDelete, status]).toEqual([onDelete, 'error'])
      expect(request.failure).toContain("Rows of 'shop:customer' cannot be deleted: 2 rows of 'shop:orders'")
      expect(rows).toEqual(before)
    }
  })

  test('a row that refers to nothing once it is masked stops nothing', async () => {
    for (const onDelete of ['no action', 'restrict', 'cascade', 'set null'] as const) {
      const given = shop(onDelete)
      const cut = refer('customer_id', 'customer.id', {
        direction: 'from',
        meta: { masking_strategy: { strategy: 'null_rewrite' } },
      })
      const { request, erased, rows, before } = await eraseShop({
        ...given,
        collections: [customer(gone), collection('orders', [key, cut, field('note')])],
      })
      expect([onDelete, request.failure, erased]).toEqual([
        onDelete,
        undefined,
        { 'shop:customer': 'erased 1', 'shop:orders': 'masked 2' },
      ])
      expect(rows['customer']).toEqual([before['customer']?.[1]])
      expect(rows['orders']?.map(({ id, customer_id }) => [id, customer_id])).toEqual([
        [10, null],
        [11, 1],
        [12, null],
      ])
    }
  })

  test('rows of a table that nobody describes, or that only a foreign key from elsewhere shows, stop everything', async () => {
    const undescribed: ErasedShop = {
      database: {
        customer: customers(),
        audit: tableWith({ id: 'integer', who: 'integer' }, [[1, 0]], {
          foreignKeys: [foreignKey('who', 'customer', 'cascade')],
        }),
      },
      collections: [customer(gone)],
    }
    const one = await eraseShop(undescribed)
    expect(one.request.failure).toContain(
      "1 row of 'audit' that this request does not delete would be deleted with them",
    )
    expect(one.rows).toEqual(one.before)
    for (const [where, told] of [
      [
        { schema: 'crm' },
        "'crm.lead' that refer to these rows cannot be counted: their table lies in another schema, or is not shown to the connection",
      ],
      [
        { behind: true },
        "'lead' that refer to these rows cannot be counted: they refer to a table behind the described one",
      ],
      [{}, "1 row of 'lead' that this request does not delete would be deleted with them"],
    ] as const) {
      const lead = { name: 'fk', collection: 'lead', columns: ['customer_id'], references: ['id'] }
      const elsewhere: ErasedShop = {
        database: {
          customer: { ...customers(), incomingForeignKeys: [{ ...lead, ...where, onDelete: 'cascade' }] },
          lead: tableWith({ customer_id: 'integer' }, [[0]]),
        },
        collections: [customer(gone)],
      }
      const two = await eraseShop(elsewhere)
      expect(two.status).toBe('error')
      expect(two.request.failure).toContain(told)
      expect(two.rows).toEqual(two.before)
    }
  })

  test('a row of the request elsewhere does not make up for another row that refers to one key', async () => {
    await using world = await shopWorld(shop('cascade'))
    const gate = world.connector.hold({ operation: 'countEach' })
    const { id } = await world.privacy.requests.submit({
      policyKey: 'erase',
      identities: [{ email: 'ann@example.com' }],
    })
    await gate.reached
    // Ann's second order is moved to Bob, and a new one of Ann's came that nobody has found.
    const orders = world.database['orders'] as { rows: Record<string, Value>[] }
    orders.rows[2] = { id: 12, customer_id: 1, note: 'moved' }
    orders.rows.push({ id: 13, customer_id: 0, note: 'new' })
    const then = structuredClone(world.rows())
    gate.open()
    const request = await world.privacy.requests.settled(id)
    expect(request.status).toBe('error')
    expect(world.rows()['customer']).toEqual(then['customer'])
    expect(world.rows()['orders']).toContainEqual({ id: 12, customer_id: 1, note: 'moved' })
  })

  test('a row that comes to refer to another between the check and its deletion is not deleted with it', async () => {
    for (const onDelete of ['cascade', 'set null'] as const) {
      const given = shop(onDelete)
      await using world = await shopWorld({
        ...given,
        database: {
          ...given.database,
          audit: tableWith({ id: 'integer', who: 'integer' }, [], {
            foreignKeys: [foreignKey('who', 'customer', onDelete)],
          }),
        },
      })
      const gate = world.connector.hold({ operation: 'erase', collection: 'orders', rollBack: false })
      const { id } = await world.privacy.requests.submit({
        policyKey: 'erase',
        identities: [{ email: 'ann@example.com' }],
      })
      await gate.reached
      world.database['audit']?.rows.push({ id: 1, who: 0 })
      gate.open()
      const request = await world.privacy.requests.settled(id)
      expect(request.status).toBe('error')
      expect(erasedOf(request)).toEqual({
        'shop:orders': 'erased 2',
        'shop:customer': expect.stringMatching(/^unsupported 1 \(1 row of 'audit' now refers to rows/),
      })
      expect(world.rows()['audit']).toEqual([{ id: 1, who: 0 }])
      expect(world.rows()['customer']).toHaveLength(2)
      // Nothing else changes until that row goes; then a retry finishes.
      await world.privacy.requests.retry(id)
      expect((await world.privacy.requests.settled(id)).status).toBe('error')
      const audit = world.database['audit'] as { rows: object[] }
      audit.rows = []
      await world.privacy.requests.retry(id)
      const end = await world.privacy.requests.settled(id)
      expect([end.failure, erasedOf(end)]).toEqual([
        undefined,
        { 'shop:orders': 'erased 2', 'shop:customer': 'erased 1' },
      ])
    }
  })
})

test("strategy 'delete' of a rule takes whole rows, where nothing keeps them", async () => {
  const { status, erased, rows } = await eraseShop({
    ...shop('restrict', {}),
    rules: [
      {
        service_key: 'go',
        action_type: 'erasure',
        masking_strategy: { strategy: 'delete' },
        data_categories: { matches: 'ANY', values: ['user'] },
      },
    ],
  })
  expect({ status, erased }).toEqual({
    status: 'complete',
    erased: { 'shop:customer': 'erased 1', 'shop:orders': 'erased 2' },
  })
  expect(rows['customer']).toHaveLength(1)
})

test('collections of which each has to be deleted first have no order', async () => {
  const given = shop('no action')
  const { status, request, rows, before } = await eraseShop({
    ...given,
    collections: [
      collection('customer', [key, email, field('name')], { ...gone }),
      collection('orders', [key, toCustomer, field('note')], { ...gone, erase_after: ['shop.customer'] }),
    ],
  })
  expect(status).toBe('error')
  expect(request.failure).toContain('cannot be erased in any order')
  expect(rows).toEqual(before)
})

test('plain fields stay in rows that are masked', async () => {
  const { rows } = await eraseShop({
    database: {
      customer: tableWith({ id: 'integer', email: 'string', tier: 'string', name: 'string' }, [
        [0, ann, 'gold', 'Ann'],
      ]),
    },
    collections: [collection('customer', [key, email, plain('tier'), field('name')])],
  })
  expect(rows['customer']).toEqual([{ id: 0, email: ann, tier: 'gold', name: null }])
})
