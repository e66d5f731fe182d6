import type { Value } from '@habeas/core'
import { describe, expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import {
  type ErasedShop,
  type ErasedWorld,
  eraseWhile,
  from,
  kept,
  key,
  shopWorld,
  tableWith,
  told,
} from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = { email: 'ann@example.com' }
const held = { identities: [ann], reason: 'a case' }
const to = (name: string, of: string) => kept(refer(name, of, { direction: 'to' }))

/** Ann and Bob with orders and lines, and with addresses that belong to whoever has them. */
const shop = (erase: 'mask' | 'delete' = 'mask'): ErasedShop => ({
  database: {
    customer: tableWith({ id: 'integer', email: 'string', address_id: 'integer' }, [
      [0, ann.email, 30],
      [1, 'bob@example.com', 32],
    ]),
    orders: tableWith({ id: 'integer', customer_id: 'integer', address_id: 'integer', note: 'string' }, [
      [10, 0, 30, 'first'],
      [11, 0, 31, 'second'],
      [12, 1, 32, "Bob's"],
    ]),
    line: tableWith({ id: 'integer', order_id: 'integer', title: 'string' }, [
      [20, 10, 'of the first'],
      [21, 11, 'of the second'],
      [22, 12, "Bob's"],
    ]),
    address: tableWith({ id: 'integer', street: 'string' }, [
      [30, 'Home Lane'],
      [31, 'Gift Road'],
      [32, "Bob's Street"],
    ]),
  },
  collections: [
    collection('customer', [key, kept(field('email', { identity: 'email' })), to('address_id', 'address.id')]),
    collection('orders', [key, from('customer_id', 'customer.id'), to('address_id', 'address.id'), field('note')], {
      erase,
    }),
    collection('line', [key, from('order_id', 'orders.id'), field('title')], { erase }),
    collection('address', [key, field('street')]),
  ],
})

const rowOf = (world: ErasedWorld, name: string, id: number) =>
  world.database[name]?.rows.find((row) => row['id'] === id) as Record<string, Value>
const streets = (world: ErasedWorld) => told(world, 'address', 'street')

/** What becomes Bob's, and what is left of the streets then. As many rows point to each address as before. */
const moves = {
  'the one way to it': {
    move(world: ErasedWorld) {
      rowOf(world, 'orders', 11)['address_id'] = 32
      rowOf(world, 'customer', 1)['address_id'] = 31
    },
    streets: { 30: null, 31: 'Gift Road', 32: "Bob's Street" },
  },
  'one of two ways to it': {
    move(world: ErasedWorld) {
      rowOf(world, 'customer', 0)['address_id'] = null
      rowOf(world, 'customer', 1)['address_id'] = 30
    },
    streets: { 30: 'Home Lane', 31: null, 32: "Bob's Street" },
  },
  'the order that leads to it': {
    move(world: ErasedWorld) {
      rowOf(world, 'orders', 11)['customer_id'] = 1
    },
    streets: { 30: null, 31: 'Gift Road', 32: "Bob's Street" },
  },
}
const allMoves = Object.entries(moves)

describe("an address that becomes somebody else's between finding and writing is not masked", () => {
  describe.each(allMoves)('%s', (_, { move, streets: left }) => {
    test.each([
      ['before its pointers are counted', { operation: 'countEach', collection: 'orders' }],
      ['after they were', { operation: 'erase', collection: 'address', rollBack: true }],
      ['in the moment in which it is written', { operation: 'erase', collection: 'address', rollBack: false }],
    ] as const)('in the run itself, %s, which is an error, and a retry erases the rest', async (_, moment) => {
      await using run = await eraseWhile(shop(), moment, move)
      expect(run.request.status).toBe('error')
      expect(streets(run.world)).toMatchObject(Object.fromEntries(Object.entries(left).filter(([, name]) => name)))
      const end = await run.again()
      expect([end.failure, streets(run.world)]).toEqual([undefined, left])
    })

    test('while a legal hold lasts that came first', async () => {
      await using world = await shopWorld(shop())
      const hold = await world.privacy.holds.create(held)
      const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [ann] })
      expect((await world.paused(id)).legalHolds).toEqual([hold.id])
      move(world)
      await world.privacy.holds.release(hold.id)
      const end = await world.privacy.requests.settled(id)
      expect([end.failure, streets(world)]).toEqual([undefined, left])
    })

    test('while a legal hold lasts that came when the writing had begun', async () => {
      await using world = await shopWorld({ ...shop(), capabilities: { maxErased: 1 } })
      const { privacy, connector } = world
      const gate = connector.hold({ operation: 'erase', collection: 'line', rollBack: false })
      const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [ann] })
      await gate.reached
      const hold = await privacy.holds.create(held)
      gate.open()
      await world.paused(id)
      expect(streets(world)).toEqual(told({ rows: () => world.before }, 'address', 'street'))
      move(world)
      await privacy.holds.release(hold.id)
      let end = await privacy.requests.settled(id)
      for (let again = 0; end.status === 'error' && again < 2; again++) {
        expect(streets(world)).toMatchObject(Object.fromEntries(Object.entries(left).filter(([, name]) => name)))
        await privacy.requests.retry(id)
        end = await privacy.requests.settled(id)
      }
      expect([end.failure, streets(world)]).toEqual([undefined, left])
    })

    test('between an error and its retry', async () => {
      await using world = await shopWorld(shop())
      const { privacy, connector } = world
      connector.failNext({ operation: 'erase', collection: 'address', rollBack: false })
      const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [ann] })
      expect((await privacy.requests.settled(id)).status).toBe('error')
      move(world)
      let end = await privacy.requests.get(id)
      for (let again = 0; end.status === 'error' && again < 2; again++) {
        await privacy.requests.retry(id)
        end = await privacy.requests.settled(id)
        expect(streets(world)).toMatchObject(Object.fromEntries(Object.entries(left).filter(([, name]) => name)))
      }
      expect([end.failure, streets(world)]).toEqual([undefined, left])
    })
  })
})

describe.each(['mask', 'delete'] as const)(
  'a row that moves to another customer meanwhile stays, and so do its lines: %s',
  (how) => {
    /** After everything was found, before anything is written. */
    const moment = { operation: 'countEach' } as const
    const word = how === 'mask' ? 'masked' : 'erased'

    test('an order', async () => {
      await using run = await eraseWhile(shop(how), moment, (world) => {
        rowOf(world, 'orders', 11)['customer_id'] = 1
      })
      expect(run.request.failure).toContain(
        "1 row of 'shop:orders' is no longer the person's, so rows of 'shop:line' may be",
      )
      expect(run.world.rows()['line']).toEqual(run.world.before['line'])
      const end = await run.again()
      expect([end.failure, erasedOf(end)]).toMatchObject([
        undefined,
        { 'shop:orders': `${word} 1`, 'shop:line': `${word} 1` },
      ])
      expect(rowOf(run.world, 'orders', 11)).toMatchObject({ customer_id: 1, note: 'second' })
      expect(told(run.world, 'line', 'title')).toMatchObject({ 21: 'of the second', 22: "Bob's" })
    })

    test('what an order belongs to, though the order holds her e-mail address as well', async () => {
      const orders = [key, from('address_id', 'address.id'), kept(field('email', { identity: 'email' })), field('note')]
      const given: ErasedShop = {
        database: {
          customer: tableWith({ id: 'integer', email: 'string', address_id: 'integer' }, [
            [0, ann.email, 30],
            [1, 'bob@example.com', 31],
          ]),
          address: tableWith({ id: 'integer', street: 'string' }, [
            [30, 'Home Lane'],
            [31, "Bob's Street"],
          ]),
          orders: tableWith({ id: 'integer', address_id: 'integer', email: 'string', note: 'string' }, [
            [10, 30, ann.email, 'left at the door'],
          ]),
        },
        collections: [
          collection('customer', [key, kept(field('email', { identity: 'email' })), to('address_id', 'address.id')]),
          collection('address', [key, field('street')]),
          collection('orders', orders, { erase: how, owner: ['address_id', 'email'] }),
        ],
      }
      await using run = await eraseWhile(given, moment, (world) => {
        rowOf(world, 'customer', 0)['address_id'] = 31
        rowOf(world, 'customer', 1)['address_id'] = 30
      })
      expect(run.request.failure).toContain("so rows of 'shop:address' may belong to somebody else now")
      expect(run.world.rows()['orders']).toEqual(run.world.before['orders'])
    })

    test.each(['to', 'none'] as const)(
      'what a row of the same table refers to, where another takes its place: %s',
      async (direction) => {
        const next = kept(refer('next_id', 'address.id', { direction }))
        const given: ErasedShop = {
          database: {
            customer: tableWith({ id: 'integer', email: 'string', first: 'integer', second: 'integer' }, [
              [0, ann.email, 30, 31],
              [1, 'bob@example.com', 32, null],
            ]),
            address: tableWith({ id: 'integer', street: 'string', next_id: 'integer' }, [
              [30, 'Home Lane', null],
              [31, 'Gift Road', 30],
              [32, "Bob's Street", null],
            ]),
          },
          collections: [
            collection('customer', [
              ...[key, kept(field('email', { identity: 'email' }))],
              ...[to('first', 'address.id'), to('second', 'address.id')],
            ]),
            collection('address', [key, field('street'), next]),
          ],
        }
        await using run = await eraseWhile(given, moment, (world) => {
          rowOf(world, 'address', 31)['next_id'] = null
          rowOf(world, 'address', 32)['next_id'] = 30
        })
        expect(streets(run.world)).toMatchObject({ 30: 'Home Lane', 32: "Bob's Street" })
      },
    )

    test('what an order refers to over a reference that is not followed, once the order is handed on', async () => {
      const bill = kept(refer('bill_to', 'address.id', { direction: 'none' }))
      const given: ErasedShop = {
        database: {
          customer: tableWith({ id: 'integer', email: 'string', address_id: 'integer' }, [
            [0, ann.email, 30],
            [1, 'bob@example.com', null],
          ]),
          orders: tableWith({ id: 'integer', customer_id: 'integer', bill_to: 'integer', note: 'string' }, [
            [10, 0, 30, 'first'],
          ]),
          address: tableWith({ id: 'integer', street: 'string' }, [[30, 'Home Lane']]),
        },
        collections: [
          collection('customer', [key, kept(field('email', { identity: 'email' })), to('address_id', 'address.id')]),
          collection('orders', [key, from('customer_id', 'customer.id'), bill, field('note')]),
          collection('address', [key, field('street')], { erase: how }),
        ],
      }
      await using run = await eraseWhile(given, moment, (world) => {
        rowOf(world, 'orders', 10)['customer_id'] = 1
      })
      expect(streets(run.world)).toEqual({ 30: 'Home Lane' })
    })

    test('except a row that was deleted with its order, which is no reason to stop', async () => {
      await using run = await eraseWhile(shop(how), moment, ({ database }) => {
        database['orders']?.rows.splice(1, 1)
        database['line']?.rows.splice(1, 1)
      })
      expect([run.request.failure, erasedOf(run.request)]).toMatchObject([
        undefined,
        { 'shop:orders': `${word} 1, gone 1`, 'shop:line': `${word} 1, gone 1` },
      ])
    })

    test('an account', async () => {
      await using run = await eraseWhile(shop(how), moment, (world) => {
        rowOf(world, 'customer', 0)['email'] = 'carl@example.com'
      })
      expect(run.request.failure).toContain(
        "1 row of 'shop:customer' is no longer the person's, so rows of 'shop:orders' may be",
      )
      for (const name of ['orders', 'line', 'address']) expect(run.world.rows()[name]).toEqual(run.world.before[name])
      const end = await run.again()
      expect([end.failure, erasedOf(end)['shop:orders']]).toEqual([undefined, 'nothing_found 0'])
      for (const name of ['orders', 'line', 'address']) expect(run.world.rows()[name]).toEqual(run.world.before[name])
    })
  },
)
