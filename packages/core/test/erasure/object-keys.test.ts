import type { ValueKind } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { collection, documents, field } from '../engine/described.js'
import { eraseShop, from, kept, plain, tableWith } from './described-erasure.js'

const ann = { t: 'x', n: 1 }
const key = plain('key', { primary_key: true })
const collections = [
  collection('users', [key, kept(field('email', { identity: 'email' })), field('name')]),
  collection('orders', [key, from('u', 'users.key'), field('note')]),
]
const users = [
  { key: ann, email: 'ann@example.com', name: 'Ann' },
  { key: { t: 'x', n: 2 }, email: 'bob@example.com', name: 'Bob' },
]
const orders = [
  { key: 1, u: ann, note: 'hers' },
  { key: 2, u: { n: 1, t: 'x' }, note: 'hers' },
  { key: 3, u: { t: 'x', n: 2 }, note: 'his' },
]
const typed = (rows: readonly object[], kinds: Record<string, ValueKind>) =>
  tableWith(
    kinds,
    rows.map((row) => Object.values(row)),
  )

describe('a reference by whole objects', () => {
  it.each([
    ['without types', () => ({ users: documents(users, 'key'), orders: documents(orders, 'key') })],
    [
      'in columns of objects',
      () => ({
        users: typed(users, { key: 'object', email: 'string', name: 'string' }),
        orders: typed(orders, { key: 'integer', u: 'object', note: 'string' }),
      }),
    ],
  ])('is not followed, and no erasure beside it is complete: %s', async (_, database) => {
    const { status, request, rows, before } = await eraseShop({ database: database(), collections })
    expect(status).toBe('error')
    expect(request.failure).toContain("1 value of 'shop:users.key' not followed")
    expect(rows).toEqual(before)
  })
})
