import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { eraseShop, key, tableWith } from './described-erasure.js'

const ann = 'ann@example.com'
const email = field('email', { identity: 'email' }, [])
const gone = { erase: 'delete' } as const

test('a row with a kept field is masked instead of deleted, and that is reported', async () => {
  const { status, erased, rows } = await eraseShop({
    database: {
      customer: tableWith({ id: 'integer', email: 'string', name: 'string', invoice: 'string' }, [
        [0, ann, 'Ann', 'INV-1'],
        [1, ann, 'Ann', null],
      ]),
    },
    collections: [
      collection('customer', [key, email, field('name'), field('invoice', { retain: { reason: 'tax law' } })], gone),
    ],
  })
  expect({ status, erased }).toEqual({
    status: 'complete',
    erased: { 'shop:customer': "masked 1 (masked instead of deleted: its 'invoice' is kept), erased 1" },
  })
  expect(rows['customer']).toEqual([{ id: 0, email: ann, name: null, invoice: 'INV-1' }])
})

test('a row with elements of others in a list is masked instead of deleted, and that is reported', async () => {
  const { status, erased, rows } = await eraseShop({
    type: 'mongodb',
    database: {
      team: {
        schemaless: true,
        columns: [],
        primaryKey: ['id'],
        rows: [
          {
            id: 0,
            people: [
              { email: ann, name: 'Ann' },
              { email: 'bob@example.com', name: 'Bob' },
            ],
          },
          { id: 1, people: [{ email: ann, name: 'Ann' }] },
        ],
      },
    },
    collections: [
      collection(
        'team',
        [
          key,
          field(
            'people',
            { data_type: 'object[]' },
            [],
            [field('email', { identity: 'email', data_type: 'string' }, []), field('name', { data_type: 'string' })],
          ),
        ],
        gone,
      ),
    ],
  })
  expect({ status, erased }).toEqual({
    status: 'complete',
    erased: {
      'shop:team':
        'masked 1 (masked instead of deleted: its lists hold elements that are not known to be the person’s), erased 1',
    },
  })
  expect(rows['team']).toEqual([
    {
      id: 0,
      people: [
        { email: ann, name: null },
        { email: 'bob@example.com', name: 'Bob' },
      ],
    },
  ])
})
