import type { MemoryCollection } from '@habeas/testkit'
import { describe, expect, it } from 'vitest'
import { collection, id, refer, shopOf, table } from './described.js'
import { accessTo, email, name } from './whose-access.js'

const spelled = ['ann@example.com', 'Ann@Example.com', 'ANN@example.com', ' ann@example.com']
const customers = collection('customer', [id, name, email])
const orders = collection('orders', [id, email, refer('customer_id', 'customer.id')], {
  owner: ['customer_id', 'email'],
})

type Known = Pick<MemoryCollection, 'large' | 'indexes'> & { readonly foldedIndex?: 'case' | 'case and blanks' }

/** The same address in four spellings; `known` is what the server tells of both tables. */
function shop({ foldedIndex, ...known }: Known) {
  const knownAs = <Made extends ReturnType<typeof table>>(made: Made) => ({
    ...made,
    ...known,
    columns: made.columns.map((column) => ({
      ...column,
      ...(column.name === 'email' && foldedIndex && { foldedIndex }),
    })),
  })
  return shopOf([customers, orders], {
    customer: knownAs(
      table(
        { id: 'integer', name: 'string', email: 'string' },
        spelled.map((each, at) => [at, `Customer ${at}`, each]),
      ),
    ),
    orders: knownAs(
      table({ id: 'integer', email: 'string', customer_id: 'integer' }, [
        [10, 'ANN@example.com', 1],
        [11, 'ann@example.com', null],
        [12, 'ANN@example.com', null],
        [13, 'ANN@example.com', 9],
      ]),
    ),
  })
}
const indexes = [['email']]

describe('an e-mail address in a large table', () => {
  it.each<[string, Known, readonly number[], readonly number[]]>([
    ['that only a plain index serves is looked for as given and in small letters', { indexes }, [0, 1], [10, 11]],
    ['is looked for in any case by an index of that', { indexes, foldedIndex: 'case' }, [0, 1, 2], [10, 11, 12]],
  ])('%s, and the package says so', async (_, known, customer, found) => {
    const { got, unsearched, request } = await accessTo([shop({ ...known, large: true })], { email: 'Ann@Example.com' })
    // An order that came by its customer is not lost for being spelled otherwise.
    expect(got).toEqual({ customer, orders: found })
    expect(unsearched).toEqual([
      { collection: 'shop:customer', reason: 'other spellings: email' },
      { collection: 'shop:orders', reason: 'other spellings: email' },
    ])
    expect(request.results?.map(({ outcomes }) => outcomes.at(-1))).toEqual([
      { outcome: 'skipped', rowCount: 0, reason: 'other spellings: email' },
      { outcome: 'skipped', rowCount: 0, reason: 'other spellings: email' },
    ])
  })

  it.each<[string, Known]>([
    ['an index serves them', { indexes, large: true, foldedIndex: 'case and blanks' }],
    ['the table is small', { indexes }],
    ['no index would spare the search anything', { indexes: [], large: true }],
  ])('is searched for in all spellings where %s', async (_, known) => {
    const { got, unsearched } = await accessTo([shop(known)], { email: 'ann@example.com' })
    expect(got).toEqual({ customer: [0, 1, 2, 3], orders: [10, 11, 12] })
    expect(unsearched).toEqual([])
  })
})

it('an e-mail address in a column of bytes is not found, and the package says so', async () => {
  const held = {
    customer: table({ id: 'integer', name: 'string', email: 'bytes' }, [[1, 'Ann', 'YW5uQGV4YW1wbGUuY29t']]),
  }
  const { got, unsearched, request } = await accessTo([shopOf([customers], held)], { email: 'ann@example.com' })
  expect(got).toEqual({})
  expect(unsearched).toEqual([{ collection: 'shop:customer', reason: 'columns not searchable: email' }])
  const left = { outcome: 'skipped', rowCount: 0, reason: 'columns not searchable: email' }
  expect(request.results?.map(({ outcomes }) => outcomes.at(-1))).toEqual([left])
})
