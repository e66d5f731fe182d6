import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { from, key, tableWith } from './described-erasure.js'
import { ann, bob, list, request, text, toUsers } from './element-world.js'

/* Accounts that are found through the elements of a list: each element holds an address and names an account (`both`). */

const person = field('email', { identity: 'email', data_type: 'string' })
const account = field(
  'account',
  { ...toUsers, references: [{ dataset: 'shop', field: 'accounts.id', direction: 'both' }] },
  [],
)
const members = list('members', [person, account, text('note')])
const ofAnn = { email: ann, account: 1, note: 'of Ann' }
const ofBob = { email: bob, account: 2, note: 'of Bob' }
const groups = (...owner: object[]) => ({
  collections: [
    collection('accounts', [key, text('name')]),
    collection('groups', [key, ...owner, text('title'), members]),
    collection('orders', [key, from('account', 'accounts.id'), text('label')]),
  ],
  database: {
    accounts: tableWith({ id: 'integer', name: 'string' }, [
      [1, 'Ann'],
      [2, 'Bob'],
      [3, 'Cy'],
    ]),
    groups: tableWith({ id: 'integer', owner: 'integer', title: 'string', members: 'object' }, [
      [1, 1, 'cats', [ofAnn, ofBob] as never],
    ]),
    orders: tableWith({ id: 'integer', account: 'integer', label: 'string' }, [
      [1, 1, 'of Ann'],
      [2, 2, 'of Bob'],
      [3, 3, 'of Cy'],
    ]),
  },
})

test('an element that names a person finds that person, and all rows that name the same', async () => {
  const { got, rows } = await request(bob, groups())
  expect(got['shop:accounts']).toEqual([{ name: 'Bob' }])
  expect(got['shop:orders']).toEqual([{ label: 'of Bob' }])
  expect(got['shop:groups']).toEqual([{ title: 'cats', members: [{ email: bob, note: 'of Bob' }] }])
  expect(rows['accounts']?.map(({ name }) => name)).toEqual(['Ann', null, 'Cy'])
  expect(rows['orders']?.map(({ label }) => label)).toEqual(['of Ann', null, 'of Cy'])
  expect(rows['groups']?.[0]).toMatchObject({ title: 'cats', members: [ofAnn, { note: null }] })
})

test('it does so in a row of somebody else, and gets nothing else of that row', async () => {
  const { got, rows } = await request(bob, groups(from('owner', 'accounts.id')))
  expect(got['shop:accounts']).toEqual([{ name: 'Bob' }])
  expect(got['shop:orders']).toEqual([{ label: 'of Bob' }])
  expect(got['shop:groups']).toEqual([{ members: [{ email: bob, note: 'of Bob' }] }])
  expect(rows['groups']?.[0]).toMatchObject({ title: 'cats', members: [ofAnn, { note: null }] })
})
