import { expect, it } from 'vitest'
import { collection, field } from '../engine/described.js'
import { from, key, plain, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = 'ann@example.com'
const numbers = Array.from({ length: 7 }, (_, at) => at)

/** Lines with a key of two columns, whose owner one column decides or three do, in a database whose lists take so many parts. */
const shop = (isOwnedByThree: boolean, maxKeyParts?: number) => ({
  database: {
    customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [[1, ann, 'Ann']]),
    line: tableWith(
      {
        order_id: 'integer',
        number: 'integer',
        customer_id: 'integer',
        payer_id: 'integer',
        email: 'string',
        note: 'string',
      },
      numbers.map((number) => [1, number, 1, 1, ann, 'hers']),
      { keys: ['order_id', 'number'] },
    ),
  },
  collections: [
    collection('customer', [key, plain('email', { identity: 'email' }), field('name')]),
    collection('line', [
      plain('order_id', { primary_key: true }),
      plain('number', { primary_key: true }),
      from('customer_id', 'customer.id'),
      ...(isOwnedByThree ? [from('payer_id', 'customer.id'), plain('email', { identity: 'email' })] : []),
      field('note'),
    ]),
  ],
  capabilities: { ...(maxKeyParts && { maxKeyParts }) },
})

// the connector in memory refuses a list whose keys have more parts
it.each([
  ['no bound', true, undefined, [7]],
  ['two parts of its key', false, 6, [3, 3, 1]],
  ['three columns that decide its owner', true, 6, [2, 2, 2, 1]],
])('a batch has as many rows as a list has room for: %s', async (_, isOwnedByThree, maxKeyParts, sizes) => {
  await using world = await shopWorld(shop(isOwnedByThree, maxKeyParts))
  const request = await world.erase({ email: ann })
  expect(erasedOf(request)).toMatchObject({ 'shop:line': 'masked 7' })
  const written = world.connector.calls.flatMap(({ operation, erase, rollBack }) =>
    operation === 'erase' && !rollBack && erase?.collection === 'line' ? [erase.keys[0]?.length] : [],
  )
  expect(written).toEqual(sizes)
})
