import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { key, shopWorld } from './described-erasure.js'

const ann = { email: 'ann@example.com' }
const email = field('email', { identity: 'email' })

const accessAll = {
  service_key: 'access',
  rules: [{ service_key: 'all', action_type: 'access', data_categories: { matches: 'ANY', values: ['user'] } }],
}

/** Documents in which a sample shows what `row` has. */
function worldOf(row: object, fields: readonly object[], columns = Object.keys(row)) {
  const database = {
    customer: {
      ...{ schemaless: true as const, sampled: 1, primaryKey: ['id'], rows: [row as never] },
      columns: columns.map((name) => {
        const isObject = name === 'address'
        const members = [{ name: 'city', type: 'string', kind: 'string' as const, nullable: true }]
        return { name, kind: isObject ? ('object' as const) : ('string' as const), ...(isObject && { members }) }
      }),
    },
  }
  return shopWorld({ database, collections: [collection('customer', [key, email, ...fields])], type: 'mongodb' })
}

test('a member that is described as a column stops an erasure, and an access says that it lacks something', async () => {
  await using world = await worldOf({ id: 1, ...ann, address: { city: 'Köln' } }, [field('address.city')])
  const end = await world.erase(ann)
  expect([end.status, end.failure]).toEqual(['error', expect.stringContaining("under `fields` of 'address'")])
  expect(world.rows()).toEqual(world.before)
  expect(await world.privacy.isErased(ann)).toBe(false)
  await world.privacy.policies.put(accessAll as never)
  const { id } = await world.privacy.requests.submit({ policyKey: 'access', identities: [ann] })
  const access = await world.privacy.requests.settled(id)
  expect([access.status, access.incomplete]).toEqual(['complete', true])
})

test('a column with a dot in its name is masked', async () => {
  await using world = await worldOf({ id: 1, ...ann, 'address.city': 'Köln' }, [field('address.city')])
  const end = await world.erase(ann)
  expect([end.status, end.failure]).toEqual(['complete', undefined])
  expect(world.rows()['customer']).toEqual([{ id: 1, email: null, 'address.city': null }])
})

test('no strategy is done on a field that neither the sample nor a row of the person holds', async () => {
  const phones = (row: object, columns?: string[]) => worldOf({ id: 1, ...ann, ...row }, [field('phone')], columns)
  const told = async (world: Awaited<ReturnType<typeof worldOf>>) => {
    const { id } = await world.erase(ann)
    const { collections } = await world.privacy.requests.receipt(id)
    return collections[0]?.fields.filter((each) => each.field === 'phone')
  }
  await using none = await phones({})
  expect(await told(none)).toEqual([{ field: 'phone', outcome: 'nothing_found' }])
  await using rare = await phones({ phone: '555' }, ['id', 'email'])
  expect(await told(rare)).toEqual([{ field: 'phone', strategy: 'null_rewrite', outcome: 'masked' }])
  await using known = await phones({ phone: null })
  expect(await told(known)).toEqual([{ field: 'phone', strategy: 'null_rewrite', outcome: 'masked' }])
})
