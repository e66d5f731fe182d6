import { type MemoryDatabase, memoryConnector } from '@habeas/testkit'
import { expect, test } from 'vitest'
import { collection, documents, field } from '../engine/described.js'
import { key, plain, rowsOf, tableWith } from './described-erasure.js'
import { erasedOf, erasureWorld } from './erasure-world.js'

const ann = 'ann@example.com'
const database = () => ({
  customer: tableWith({ id: 'integer', email: 'string', address_id: 'integer', name: 'string' }, [[0, ann, 1, 'Ann']]),
  address: tableWith({ id: 'integer', street: 'string' }, [[1, 'Ann Lane']]),
  lead: tableWith({ id: 'integer', address_id: 'integer' }, []),
})
const shop = {
  service_key: 'shop',
  collections: [
    collection('customer', [
      key,
      plain('email', { identity: 'email' }),
      plain('address_id', { references: [{ dataset: 'shop', field: 'address.id', direction: 'to' }] }),
      field('name'),
    ]),
    collection('address', [key, field('street')]),
  ],
}
/** Another database whose leads may live at the addresses of the shop. */
const crm = {
  service_key: 'crm',
  collections: [
    collection('lead', [
      key,
      plain('address_id', { references: [{ dataset: 'shop', field: 'address.id', direction: 'to' }] }),
    ]),
  ],
}

async function world<Tables extends MemoryDatabase>(tables: Tables) {
  const made = await erasureWorld(memoryConnector({ database: tables }), [shop, crm])
  return { ...made, tables }
}

test('a row that a disabled connection may share stays with a reason, and is erased once that is enabled again', async () => {
  await using given = await world(database())
  await given.privacy.connections.patch({ key: 'crm', disabled: true })
  const held = await given.erase({ email: ann })
  expect([held.status, erasedOf(held)['shop:address']]).toEqual([
    'complete',
    'retained 1 (possibly shared, because rows of crm:lead cannot be counted)',
  ])
  expect(rowsOf(given.tables)['address']).toEqual([{ id: 1, street: 'Ann Lane' }])
  expect(given.tables.customer.rows[0]).toMatchObject({ name: null })

  await given.privacy.connections.patch({ key: 'crm', disabled: false })
  const free = await given.erase({ email: ann })
  expect([free.status, erasedOf(free)['shop:address']]).toEqual(['complete', 'masked 1'])
  expect(rowsOf(given.tables)['address']).toEqual([{ id: 1, street: null }])
})

test('a row that an enabled connection shares stays because of its rows', async () => {
  await using given = await world(database())
  given.tables.lead.rows.push({ id: 1, address_id: 1 })
  expect(erasedOf(await given.erase({ email: ann }))['shop:address']).toBe('retained 1 (shared with 1 row of crm:lead)')
})

test('a row whose key has no declared type stays because of rows that refer to it from a column that has one', async () => {
  await using given = await world({
    customer: documents([{ id: 0, email: ann, address_id: 1, name: 'Ann' }]),
    address: documents([{ id: 1, street: 'Ann Lane' }]),
    lead: tableWith({ id: 'integer', address_id: 'integer' }, [[1, 1]]),
  })
  expect(erasedOf(await given.erase({ email: ann }))['shop:address']).toBe('retained 1 (shared with 1 row of crm:lead)')
  expect(given.tables.address.rows).toEqual([{ id: 1, street: 'Ann Lane' }])
})

test('a reference without a condition counts, whatever conditions others have', async () => {
  const to = { dataset: 'shop', field: 'address.id', direction: 'to' }
  for (const references of [
    [to, { ...to, when: { kind: 'rented' } }],
    [{ ...to, when: { kind: 'rented' } }, to],
    [
      { ...to, when: { kind: 'owned' } },
      { ...to, when: { kind: 'rented' } },
    ],
  ]) {
    const tables = database()
    tables.lead = tableWith({ id: 'integer', address_id: 'integer', kind: 'string' }, [[1, 1, 'owned']])
    const fields = [key, plain('address_id', { references }), plain('kind')]
    const connector = memoryConnector({ database: tables })
    await using given = await erasureWorld(connector, [shop, { ...crm, collections: [collection('lead', fields)] }])
    expect(erasedOf(await given.erase({ email: ann }))['shop:address']).toBe(
      'retained 1 (shared with 1 row of crm:lead)',
    )
  }
})

test('a row whose key is a placeholder where the reference starts is nobody else’s for that', async () => {
  const references = [{ dataset: 'shop', field: 'address.id', direction: 'to' }]
  for (const [placeholders, outcome] of [
    [[1], 'masked 1'],
    [[2], 'retained 1 (shared with 1 row of crm:lead)'],
  ]) {
    const tables = database()
    tables.lead = tableWith({ id: 'integer', address_id: 'integer' }, [[1, 1]])
    const fields = [key, plain('address_id', { references, placeholders })]
    const connector = memoryConnector({ database: tables })
    await using given = await erasureWorld(connector, [shop, { ...crm, collections: [collection('lead', fields)] }])
    expect(erasedOf(await given.erase({ email: ann }))['shop:address']).toBe(outcome)
  }
})
