import type { Identity } from '@habeas/core'
import type { CollectionResult } from '../../src/model/collection-result.js'
import { collection, field } from '../engine/described.js'
import { type ErasedShop, key, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

/* People, and rows with lists whose elements are of one or the other. */

export const [ann, bob, cy] = ['ann@example.com', 'bob@example.com', 'cy@example.com']
const category = { data_categories: { matches: 'ANY', values: ['user'] } }
export const both = [
  { service_key: 'copy', action_type: 'access', ...category },
  { service_key: 'all', action_type: 'erasure', ...category },
]
export const users = collection('users', [key, field('email', { identity: 'email' }), field('name')])
export const people = () =>
  tableWith({ id: 'integer', email: 'string', name: 'string' }, [
    [1, ann, 'Ann'],
    [2, bob, 'Bob'],
    [3, cy, 'Cy'],
  ])
export const text = (name: string) => field(name, { data_type: 'string' })
export const toUsers = { data_type: 'integer', references: [{ dataset: 'shop', field: 'users.id', direction: 'from' }] }
export const list = (name: string, fields: object[], meta: object = {}) =>
  field(name, { data_type: 'object[]', ...meta }, [], fields)
export const comments = (...more: object[]) => list('comments', [field('userId', toUsers, []), text('text'), ...more])

/** What a person gets, and what is left after the erasure of that person. */
export async function request(
  who: string | Identity,
  shop: Pick<ErasedShop, 'collections' | 'database'>,
  rules: object[] = both,
) {
  await using world = await shopWorld({
    capabilities: { nestedFields: true },
    collections: [users, ...shop.collections],
    database: { users: people(), ...shop.database },
    rules,
  } as ErasedShop)
  const { requests } = world.privacy
  const { id } = await requests.submit({
    policyKey: 'erase',
    identities: [typeof who === 'string' ? { email: who } : who],
  })
  const end = await requests.settled(id)
  let copy = ''
  if (end.status === 'complete') for await (const part of requests.readPackage(id)) copy += Buffer.from(part).toString()
  const { collections = [] } = rules === both && end.status === 'complete' ? await requests.receipt(id) : {}
  const fields = collections.flatMap((each) =>
    each.fields.map(
      ({ field, outcome, reason }) => `${each.collection}.${field} ${outcome}${reason ? ` (${reason})` : ''}`,
    ),
  )
  const asked = end.actionRequired
  return {
    end,
    asked,
    failure: end.failure,
    got: JSON.parse(copy || '{}'),
    told: erasedOf(end),
    fields,
    rows: world.rows(),
  }
}

export const undecidedIn = ({ results = [] }: { readonly results?: readonly CollectionResult[] }) =>
  Object.fromEntries(
    results.flatMap(({ undecided = [] }) => undecided.map(({ reference, rowCount }) => [reference, rowCount])),
  )
