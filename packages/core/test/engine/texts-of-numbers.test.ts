import type { ValueKind } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { eraseShop, from, kept, key, plain, tableWith } from '../erasure/described-erasure.js'
import { collection, documents, field, id, refer, shopOf } from './described.js'
import { accessOf } from './service-run.js'

const [ann, bob, cy] = ['ann@example.com', 'bob@example.com', 'cy@example.com'] as const
const people = [
  ['7', ann],
  ['007', bob],
  ['7.0', cy],
] as const
const number = { name: 'no', service_meta: { primary_key: true } }
const email = field('email', { identity: 'email' })
const described = [
  collection('users', [kept(number), kept(email)]),
  collection('orders', [key, from('u', 'users.no'), field('note')]),
]
const typedUsers = () => tableWith({ no: 'string', email: 'string' }, people)
const anyUsers = () =>
  documents(
    people.map(([no, of]) => ({ no, email: of })),
    'no',
  )
const ordersOf = (kind: ValueKind) =>
  tableWith({ id: 'integer', u: kind, note: 'string' }, [[1, kind === 'decimal' ? '7.00' : 7, 'hers']])

describe.each(['integer', 'decimal', 'float'] as const)('a column of the kind %s that refers to texts', (kind) => {
  describe.each([
    ['of a typed column', typedUsers],
    ['without a type', anyUsers],
  ])('%s', (_, users) => {
    it.each([
      [ann, 1],
      [bob, 0],
      [cy, 0],
    ])('names the person whose text is the number, as people write it: %s', async (who, rows) => {
      const database = { users: users(), orders: ordersOf(kind) }
      const shop = shopOf(described, database)
      const access = await accessOf([shop], [{ email: who }])
      expect(access.rows['shop:orders'] ?? []).toHaveLength(rows)
      const erasure = await eraseShop({ database, collections: described }, { email: who })
      expect(erasure.rows['orders']).toMatchObject([{ note: rows === 1 ? null : 'hers' }])
      if (rows === 1) return expect(erasure.status).toBe('complete')
      expect(erasure.request.failure).toContain("1 value of 'shop:users.no'")
    })
  })
})

const spelled = ['7', '007', '7.0', '7.00'] as const
const spellings = {
  'of a typed column': () =>
    tableWith(
      { id: 'integer', u: 'string', note: 'string' },
      spelled.map((u, at) => [at, u, u]),
    ),
  'without a type': () => documents(spelled.map((u, at) => ({ id: at, u, note: u }))),
}

describe.each(['integer', 'decimal', 'float'] as const)('texts that refer to a column of the kind %s', (kind) => {
  it.each(Object.entries(spellings))('are the number only as people write it: %s', async (_, orders) => {
    const users = tableWith({ no: kind, email: 'string' }, [[kind === 'decimal' ? '7.00' : 7, ann]])
    const shop = shopOf(
      [collection('users', [number, email]), collection('orders', [id, refer('u', 'users.no'), plain('note')])],
      {
        users,
        orders: orders(),
      },
    )
    const { rows } = await accessOf([shop], [{ email: ann }])
    expect(rows['shop:orders']).toMatchObject([{ u: '7' }])
  })
})

it('a decimal is an integer at any scale', async () => {
  const users = tableWith({ no: 'integer', email: 'string' }, [[7, ann]])
  const { status, rows } = await eraseShop({ database: { users, orders: ordersOf('decimal') }, collections: described })
  expect(status).toBe('complete')
  expect(rows['orders']).toMatchObject([{ note: null }])
})
