import { expect, test } from 'vitest'
import { collection } from '../engine/described.js'
import { eraseShop, key, plain, tableWith } from './described-erasure.js'

const ann = 'ann@example.com'
/** A category that every field of the collection inherits. */
const personal = (described: object) => ({ ...described, data_categories: ['user'] })
const customers = {
  table: tableWith({ id: 'integer', email: 'string' }, [
    [1, ann],
    [2, 'bob@example.com'],
  ]),
  described: collection('customer', [key, plain('email', { identity: 'email' })]),
}
const owner = (field: string, when?: object) => ({
  references: [{ dataset: 'shop', field, direction: 'from', ...(when && { when }) }],
})

test('rows of nothing but keys are deleted where their collection says so', async () => {
  const { status, erased, rows } = await eraseShop({
    database: {
      customer: customers.table,
      favourite: {
        ...tableWith({ customer_id: 'integer', song_id: 'integer' }, [
          [1, 7],
          [1, 8],
          [2, 7],
        ]),
        primaryKey: ['customer_id', 'song_id'],
      },
    },
    collections: [
      customers.described,
      personal(
        collection('favourite', [plain('customer_id', owner('customer.id')), plain('song_id')], { erase: 'delete' }),
      ),
    ],
  })
  expect([status, erased['shop:favourite']]).toEqual(['complete', 'erased 2'])
  expect(rows['favourite']).toEqual([{ customer_id: 2, song_id: 7 }])
})

test('a column that says what a reference means stays, unless it has a category of its own', async () => {
  const noted = (type: object) =>
    eraseShop({
      database: {
        customer: customers.table,
        note: tableWith({ id: 'integer', about_type: 'string', about_id: 'integer', text: 'string' }, [
          [1, 'customer', 1, 'hers'],
          [2, 'order', 1, 'of an order'],
        ]),
      },
      collections: [
        customers.described,
        personal(
          collection('note', [
            key,
            type,
            plain('about_id', owner('customer.id', { about_type: 'customer' })),
            plain('text'),
          ]),
        ),
      ],
    })
  const { status, rows } = await noted(plain('about_type'))
  expect([status, rows['note']]).toEqual([
    'complete',
    [
      { id: 1, about_type: 'customer', about_id: 1, text: null },
      { id: 2, about_type: 'order', about_id: 1, text: 'of an order' },
    ],
  ])
  const asked = await noted(personal(plain('about_type')))
  expect(asked.rows['note']?.[0]).toMatchObject({ about_type: null, text: null })
})
