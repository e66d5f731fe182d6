import { expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { key, plain, shopWorld, tableWith } from './described-erasure.js'

const ann = { email: 'ann@example.com' }
const both = (name: string, to: string) => {
  const { data_categories: _, ...described } = refer(name, to, { direction: 'both' })
  return { ...described, data_categories: [] }
}

test.each([
  ['without an address', null],
  ["with somebody else's address", 'carl@example.com'],
])(
  'a row that hers names, and that names a customer %s, is not called somebody else’s in silence',
  async (_, email) => {
    await using world = await shopWorld({
      database: {
        customer: tableWith({ id: 'integer', email: 'string', note: 'string' }, [[3, email, 'customer']]),
        employee: tableWith({ id: 'integer', customer_id: 'integer', note: 'string' }, [[2, 3, 'employee']]),
        login: tableWith({ id: 'integer', email: 'string', employee_id: 'integer', note: 'string' }, [
          [1, ann.email, 2, 'login'],
        ]),
      },
      collections: [
        collection('customer', [key, plain('email', { identity: 'email' }), field('note')]),
        collection('employee', [key, both('customer_id', 'customer.id'), field('note')]),
        collection('login', [
          key,
          plain('email', { identity: 'email' }),
          both('employee_id', 'employee.id'),
          field('note'),
        ]),
      ],
    })
    const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [ann] })
    const paused = await world.paused(id)
    expect([paused.status, JSON.stringify(paused.actionRequired?.accept)]).toEqual([
      'paused',
      expect.stringContaining('shop:employee'),
    ])
    expect(world.rows()).toEqual(world.before)
  },
)
