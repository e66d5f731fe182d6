import { expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { eraseShop, key, plain, tableWith } from './described-erasure.js'

const email = field('email', { identity: 'email' }, [])

test('a composite key with a zero part, (5, 0), is masked alone', async () => {
  const { status, erased, rows } = await eraseShop({
    database: {
      line: tableWith(
        { order_id: 'integer', line: 'integer', email: 'string', note: 'string' },
        [
          [5, 0, 'ann@example.com', 'mine'],
          [5, 1, 'bob@example.com', 'other'],
          [0, 5, 'bob@example.com', 'other'],
          [0, 0, 'bob@example.com', 'other'],
          [5, 10, 'bob@example.com', 'other'],
        ],
        { keys: ['order_id', 'line'] },
      ),
    },
    collections: [
      collection('line', [
        plain('order_id', { primary_key: true }),
        plain('line', { primary_key: true }),
        email,
        field('note'),
      ]),
    ],
  })
  expect({ status, erased }).toEqual({ status: 'complete', erased: { 'shop:line': 'masked 1' } })
  expect(rows['line']?.map(({ note }) => note)).toEqual([null, 'other', 'other', 'other', 'other'])
})

test('a key that is masked itself is read again by its new value', async () => {
  const { status, erased, rows } = await eraseShop({
    database: {
      person: tableWith({ email: 'string', name: 'string' }, [
        ['ann@example.com', 'Ann'],
        ['bob@example.com', 'Bob'],
      ]),
    },
    collections: [
      collection('person', [
        field('email', { identity: 'email', primary_key: true, masking_strategy: { strategy: 'hash' } }),
        field('name'),
      ]),
    ],
  })
  expect({ status, erased }).toEqual({ status: 'complete', erased: { 'shop:person': 'masked 1' } })
  expect(rows['person']).toEqual([
    { email: expect.stringMatching(/^[0-9a-f]{64}$/), name: null },
    { email: 'bob@example.com', name: 'Bob' },
  ])
})

test('a key without a strategy of its own stays, and the rest of its row is masked', async () => {
  const { status, erased, rows } = await eraseShop({
    database: { person: tableWith({ email: 'string', name: 'string' }, [['ann@example.com', 'Ann']]) },
    collections: [collection('person', [field('email', { identity: 'email', primary_key: true }), field('name')])],
  })
  expect({ status, erased }).toEqual({ status: 'complete', erased: { 'shop:person': 'masked 1' } })
  expect(rows['person']).toEqual([{ email: 'ann@example.com', name: null }])
})

const keyedByWord = (how: 'mask' | 'delete') => ({
  database: {
    visit: tableWith(
      { place: 'string', day: 'integer', email: 'string', note: 'string' },
      [
        ['park', null, 'ann@example.com', 'mine'],
        [null, 0, 'ann@example.com', 'mine too'],
        ['park', null, 'bob@example.com', 'other'],
        ['park', 0, 'ann@example.com', 'mine as well'],
      ],
      { keys: [] },
    ),
  },
  collections: [
    collection(
      'visit',
      [plain('place', { primary_key: true }), plain('day', { primary_key: true }), email, field('note')],
      { erase: how },
    ),
  ],
})

test('rows whose declared key has a null part are masked like any others', async () => {
  const { status, erased, rows } = await eraseShop(keyedByWord('mask'))
  expect({ status, erased }).toEqual({ status: 'complete', erased: { 'shop:visit': 'masked 3' } })
  expect(rows['visit']?.map(({ note }) => note)).toEqual([null, null, 'other', null])
})

test('rows whose declared key has a null part are deleted like any others', async () => {
  const { status, erased, rows } = await eraseShop(keyedByWord('delete'))
  expect({ status, erased }).toEqual({ status: 'complete', erased: { 'shop:visit': 'erased 3' } })
  expect(rows['visit']?.map(({ note }) => note)).toEqual(['other'])
})

test('rows that share a declared key are not told apart by it, and nothing there is touched', async () => {
  for (const [owner, how] of [
    ['ann@example.com', 'mask'],
    ['bob@example.com', 'mask'],
    ['ann@example.com', 'delete'],
    ['bob@example.com', 'delete'],
  ] as const) {
    const { request, status, erased, rows, before } = await eraseShop({
      database: {
        visit: tableWith(
          { place: 'string', email: 'string', note: 'string' },
          [
            ['park', 'ann@example.com', 'mine'],
            ['park', owner, 'same place'],
          ],
          { keys: [] },
        ),
      },
      collections: [collection('visit', [plain('place', { primary_key: true }), email, field('note')], { erase: how })],
    })
    expect(status).toBe('error')
    expect(erased['shop:visit']).toMatch(/^(failed|unsupported) [12] \(.*told apart/)
    expect(request.failure).toContain('visit')
    expect(rows).toEqual(before)
  }
})

test('only the row that holds both the key and what it was found by is touched', async () => {
  const { status, rows } = await eraseShop({
    database: {
      customer: tableWith({ id: 'integer', email: 'string' }, [
        [0, 'ann@example.com'],
        [1, 'bob@example.com'],
      ]),
      orders: tableWith({ id: 'integer', customer_id: 'integer', note: 'string' }, [
        [0, 0, 'mine'],
        [1, 1, 'other'],
        [2, null, 'nobody'],
      ]),
    },
    collections: [
      collection('customer', [key, field('email', { identity: 'email' })]),
      collection('orders', [key, refer('customer_id', 'customer.id', { direction: 'from' }), field('note')]),
    ],
  })
  expect(status).toBe('complete')
  expect(rows['orders']?.map(({ note }) => note)).toEqual([null, 'other', 'nobody'])
  expect(rows['customer']?.map((row) => row['email'])).toEqual([null, 'bob@example.com'])
})
