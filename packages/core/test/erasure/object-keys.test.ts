import type { ValueKind } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { collection, documents, field } from '../engine/described.js'
import { type ErasedShop, eraseShop, from, kept, plain, shopWorld, tableWith } from './described-erasure.js'
import { both } from './element-world.js'

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

  it('is not followed, and no access beside it is all', async () => {
    const database = { users: documents(users, 'key'), orders: documents(orders, 'key') }
    await using world = await shopWorld({ database, collections, rules: both.slice(0, 1) } as ErasedShop)
    const { requests } = world.privacy
    const { id } = await requests.submit({ policyKey: 'erase', identities: [{ email: 'ann@example.com' }] })
    const { status, incomplete } = await requests.settled(id)
    expect({ status, incomplete }).toEqual({ status: 'complete', incomplete: true })
    let copy = ''
    for await (const part of requests.readPackage(id)) copy += Buffer.from(part).toString()
    expect(JSON.parse(copy)).toMatchObject({
      incomplete: expect.stringContaining('This may not be all'),
      not_searched: [
        {
          collection: 'shop:orders',
          reason:
            "rows left out that may be this person's by shop:users.key: 1 value of it cannot be searched for there",
        },
      ],
    })
  })
})
