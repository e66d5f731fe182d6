import type { AcceptanceInput, Identity, PrivacyRequest } from '@habeas/core'
import { describe, expect, test } from 'vitest'
import { collection, field, filled, table, undirected } from '../engine/described.js'
import {
  type ErasedShop,
  type ErasedWorld,
  from,
  kept,
  key,
  plain,
  shopWorld,
  tableWith,
  told,
} from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = { email: 'ann@example.com' }
const bob = { email: 'bob@example.com' }
const email = field('email', { identity: 'email' })
const noWrite = (world: ErasedWorld) => world.connector.calls.every(({ operation }) => operation !== 'erase')

/** Up to where a person has to decide, or to the end. */
async function begun(world: ErasedWorld, identity: Identity = ann): Promise<PrivacyRequest> {
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [identity] })
  return world.paused(id)
}

/** Ann is customer 1 and Bob the rep of Ann and Cem; Dora serves nobody. */
const chinook = (supportRep: object, employeeEmail = email): ErasedShop => ({
  database: {
    employee: tableWith({ id: 'integer', email: 'string', name: 'string' }, [
      [7, bob.email, 'Bob'],
      [8, 'dora@example.com', 'Dora'],
    ]),
    customer: tableWith({ id: 'integer', email: 'string', name: 'string', support_rep_id: 'integer' }, [
      [1, ann.email, 'Ann', 7],
      [2, 'cem@example.com', 'Cem', 7],
    ]),
    invoice: filled(
      table({ id: 'integer', customer_id: 'integer', billing: 'string' }, [
        [10, 1, "Ann's street"],
        [11, 2, "Cem's street"],
      ]),
      'customer_id',
    ),
  },
  collections: [
    collection('employee', [key, employeeEmail, field('name')]),
    collection('customer', [key, email, field('name'), supportRep]),
    collection('invoice', [key, kept(undirected('customer_id', 'customer.id')), field('billing')]),
  ],
})

describe('an employee who serves customers', () => {
  const open = kept(undirected('support_rep_id', 'employee.id'))
  const none = kept(undirected('support_rep_id', 'employee.id', { direction: 'none' }))

  test("is erased alone: the request pauses and names 'support_rep_id', and completes once that says 'none'", async () => {
    await using world = await shopWorld(chinook(open))
    const paused = await begun(world, bob)
    expect(paused.status).toBe('paused')
    expect(paused.actionRequired?.message).toContain(
      '2 rows of shop:customer may belong to this person by shop:customer.support_rep_id',
    )
    expect([noWrite(world), world.rows()]).toEqual([true, world.before])
    const { collections } = chinook(none)
    await world.privacy.connections.attachDataset('shop', { service_key: 'shop', collections } as never)
    await world.privacy.requests.accept(paused.id, {})
    const end = await world.privacy.requests.settled(paused.id)
    expect([end.failure, erasedOf(end)['shop:employee']]).toEqual([undefined, 'masked 1'])
    expect(world.rows()['customer']).toEqual(world.before['customer'])
    expect(world.rows()['invoice']).toEqual(world.before['invoice'])
    expect(told(world, 'employee', 'name')).toEqual({ 7: null, 8: 'Dora' })
  })

  test('stays when a customer is erased who alone has that employee', async () => {
    const nameless = field('email')
    const cases: readonly (readonly [ErasedShop, AcceptanceInput?])[] = [
      [chinook(none)],
      [chinook(none, nameless), { acceptUnsearched: ['shop:employee'] }],
      [chinook(open, nameless), { acceptUndecided: ['shop:customer.support_rep_id'] }],
    ]
    for (const [shop, accept] of cases) {
      Object.assign(shop.database['customer']?.rows[0] as object, { support_rep_id: 8 })
      await using world = await shopWorld(shop)
      const { id } = await begun(world)
      if (accept) await world.privacy.requests.accept(id, accept)
      const end = await world.privacy.requests.settled(id)
      expect([end.failure, erasedOf(end)]).toMatchObject([
        undefined,
        { 'shop:customer': 'masked 1', 'shop:invoice': 'masked 1' },
      ])
      expect(world.rows()['employee']).toEqual(world.before['employee'])
      expect(told(world, 'invoice', 'billing')).toEqual({ 10: null, 11: "Cem's street" })
    }
  })

  test('is not deleted with the only customer they serve, where employees are erased by deleting them', async () => {
    const nameless = field('email')
    const cases: readonly (readonly [ErasedShop, AcceptanceInput?])[] = [
      [chinook(none)],
      [chinook(none, nameless), { acceptUnsearched: ['shop:employee'] }],
      [chinook(open, nameless), { acceptUndecided: ['shop:customer.support_rep_id'] }],
      [
        chinook(kept(undirected('support_rep_id', 'employee.id', { direction: 'to' }))),
        { acceptUndecided: ['shop:employee.id'] },
      ],
    ]
    for (const [shop, accept] of cases) {
      Object.assign(shop.database['customer']?.rows[0] as object, { support_rep_id: 8 })
      const [employee, ...others] = shop.collections
      const deleted = { ...employee, service_meta: { erase: 'delete' } }
      await using world = await shopWorld({ ...shop, collections: [deleted, ...others] })
      const { id } = await begun(world)
      if (accept) await world.privacy.requests.accept(id, accept)
      const end = await world.privacy.requests.settled(id)
      expect([end.status, end.failure]).toEqual(['complete', undefined])
      expect(world.rows()['employee']).toEqual(world.before['employee'])
      expect(told(world, 'customer', 'name')).toEqual({ 1: null, 2: 'Cem' })
      expect(told(world, 'invoice', 'billing')).toEqual({ 10: null, 11: "Cem's street" })
    }
  })

  test('leaves a customer with an identity undecided, and the rest, while the reference to the employee is open', async () => {
    await using world = await shopWorld(chinook(open))
    const paused = await begun(world)
    expect(paused.actionRequired?.message).toContain(
      "1 row of shop:customer may belong to this person by shop:customer.email (belongs to the person by email, or to somebody else by support_rep_id). Say once in the dataset: the field that decides, in the 'owner' of 'shop:customer', or 'direction: none' on",
    )
    await world.privacy.requests.accept(paused.id, { acceptUndecided: ['shop:customer.email'] })
    const end = await world.privacy.requests.settled(paused.id)
    expect([end.status, end.incomplete, world.rows()]).toEqual(['complete', true, world.before])
  })
})

describe("what others do with a person's rows stays theirs", () => {
  const people = () =>
    tableWith({ id: 'integer', email: 'string', name: 'string' }, [
      [1, ann.email, 'Jane'],
      [2, bob.email, 'Bob'],
    ])
  const users = collection('users', [key, email, field('name')])
  const none = (name: string, to: string) => kept(undirected(name, to, { direction: 'none' }))

  test("Bob's comments, favourites and follows on Jane's article", async () => {
    const between = (first: string, second: string) =>
      tableWith({ id: 'integer', [first]: 'integer', [second]: 'integer', text: 'string' }, [
        [100, 2, first === 'follower_id' ? 1 : 10, "Bob's"],
        [101, 1, first === 'follower_id' ? 2 : 20, "Jane's"],
      ])
    await using world = await shopWorld({
      database: {
        users: people(),
        articles: tableWith({ id: 'integer', author_id: 'integer', text: 'string' }, [
          [10, 1, "Jane's"],
          [20, 2, "Bob's"],
        ]),
        comments: between('author_id', 'article_id'),
        favourites: between('user_id', 'article_id'),
        follows: between('follower_id', 'followed_id'),
      },
      collections: [
        users,
        collection('articles', [key, from('author_id', 'users.id'), field('text')]),
        collection('comments', [key, from('author_id', 'users.id'), none('article_id', 'articles.id'), field('text')]),
        collection('favourites', [key, from('user_id', 'users.id'), none('article_id', 'articles.id'), field('text')]),
        collection('follows', [
          ...[key, from('follower_id', 'users.id'), none('followed_id', 'users.id'), field('text')],
        ]),
      ],
    })
    const end = await world.erase(ann)
    expect(end.failure).toBeUndefined()
    expect(told(world, 'articles', 'text')).toEqual({ 10: null, 20: "Bob's" })
    for (const name of ['comments', 'favourites', 'follows'])
      expect([name, told(world, name, 'text')]).toEqual([name, { 100: "Bob's", 101: null }])
  })

  test('a ticket she handled', async () => {
    await using world = await shopWorld({
      database: {
        users: people(),
        ticket: tableWith({ id: 'integer', author_id: 'integer', handler_id: 'integer', text: 'string' }, [
          [30, 2, 1, "Bob's, handled by Ann"],
          [31, 1, 2, "Ann's, handled by Bob"],
        ]),
      },
      collections: [
        users,
        collection('ticket', [key, from('author_id', 'users.id'), none('handler_id', 'users.id'), field('text')]),
      ],
    })
    const end = await world.erase(ann)
    expect([end.failure, erasedOf(end)['shop:ticket']]).toEqual([undefined, 'masked 1'])
    expect(told(world, 'ticket', 'text')).toEqual({ 30: "Bob's, handled by Ann", 31: null })
  })

  test("a message's other party: it is both people's, or the sender's where 'owner' says so", async () => {
    const message = (meta: object) =>
      collection('message', [key, from('sender_id', 'users.id'), from('receiver_id', 'users.id'), field('text')], {
        ...meta,
      })
    const erased = async (meta: object) => {
      await using world = await shopWorld({
        database: {
          users: people(),
          message: tableWith({ id: 'integer', sender_id: 'integer', receiver_id: 'integer', text: 'string' }, [
            [40, 1, 2, 'to Bob'],
            [41, 2, 1, 'from Bob'],
            [42, 1, 1, 'to herself'],
          ]),
        },
        collections: [users, message(meta)],
      })
      const end = await world.erase(ann)
      expect([end.failure, told(world, 'users', 'name')]).toEqual([undefined, { 1: null, 2: 'Bob' }])
      return { outcome: erasedOf(end)['shop:message'], text: told(world, 'message', 'text') }
    }
    expect(await erased({})).toEqual({
      outcome:
        'masked 1, retained 1 (belongs to another person by receiver_id), retained 1 (belongs to another person by sender_id)',
      text: { 40: 'to Bob', 41: 'from Bob', 42: null },
    })
    expect(await erased({ owner: ['sender_id'] })).toEqual({
      outcome: "masked 2, skipped 1 (somebody else's)",
      text: { 40: null, 41: 'from Bob', 42: null },
    })
  })
})

test('undecided rows pause before the first write: reference, count and answers are named, and accepted they are left', async () => {
  await using world = await shopWorld({
    database: {
      customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [[1, ann.email, 'Ann']]),
      shipment: tableWith({ id: 'integer', order_id: 'integer', courier_id: 'integer', street: 'string' }, [
        [50, 1, 9, "Ann's street"],
        [51, 1, null, "Ann's other street"],
        [52, 2, 9, "Bob's street"],
      ]),
    },
    collections: [
      collection('customer', [key, email, field('name')]),
      collection('shipment', [key, kept(undirected('order_id', 'customer.id')), plain('courier_id'), field('street')]),
    ],
  })
  const paused = await begun(world)
  const reference = 'shop:shipment.order_id'
  expect(paused).toMatchObject({ status: 'paused', actionRequired: { accept: { acceptUndecided: [reference] } } })
  const { message } = paused.actionRequired ?? {}
  expect(message).toContain(`Nothing was erased. 2 rows of shop:shipment may belong to this person by ${reference}`)
  expect(message).toMatch(
    /'from' where a row of 'shop:shipment' belongs to the person .*'none' where the reference does not say who owns a row/,
  )
  expect(message).toContain(
    `Or leave them this time: accept_undecided: ["${reference}"] (acceptUndecided in TypeScript).`,
  )
  expect([noWrite(world), world.rows()]).toEqual([true, world.before])
  await world.privacy.requests.accept(paused.id, { acceptUndecided: [reference] })
  const end = await world.privacy.requests.settled(paused.id)
  expect([end.failure, end.incomplete]).toEqual([undefined, true])
  expect(world.rows()['shipment']).toEqual(world.before['shipment'])
  expect(told(world, 'customer', 'name')).toEqual({ 1: null })
  expect(end.results?.flatMap(({ undecided = [] }) => undecided)).toMatchObject([{ reference, rowCount: 2 }])
})
