import type { Connection } from '@habeas/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { RestError } from './double/rest.js'
import { type FakeService, openFakeService, people, tableResource } from './fake-service.js'

let service: FakeService
beforeEach(async () => {
  service = await openFakeService()
})
afterEach(() => service.close())

const tables = '/projects/acme/datasets/shop/tables'

async function described(more: object, connection?: Connection) {
  const resource = tableResource('people', { schema: { fields: people }, ...more })
  service.resources[`${tables}/people`] = resource
  const { collections } = await (connection ?? (await service.connect())).describe()
  expect(collections).toHaveLength(1)
  return collections[0]!
}

it('describes columns with their types, and costs nothing', async () => {
  const { columns } = await described({})
  expect(columns).toEqual([
    { name: 'id', type: 'INT64', kind: 'integer', nullable: false },
    { name: 'email', type: 'STRING', kind: 'string', nullable: true },
    { name: 'data', type: 'JSON', kind: 'object', nullable: true },
    {
      ...{ name: 'home', type: 'STRUCT<city STRING, phones ARRAY<STRING>>', kind: 'object', nullable: true },
      members: [
        { name: 'city', type: 'STRING', kind: 'string', nullable: true },
        { name: 'phones', type: 'ARRAY<STRING>', kind: 'string', array: true, nullable: false },
      ],
    },
  ])
  expect(service.server.jobs).toEqual([])
})

it('describes keys, which nobody enforces, and clustering as an index', async () => {
  const described_ = await described({
    clustering: { fields: ['email', 'id'] },
    numRows: '20000',
    tableConstraints: {
      primaryKey: { columns: ['id'] },
      foreignKeys: [
        {
          name: 'people_city',
          referencedTable: { projectId: 'acme', datasetId: 'geo', tableId: 'cities' },
          columnReferences: [{ referencingColumn: 'email', referencedColumn: 'name' }],
        },
      ],
    },
  })
  expect(described_).toMatchObject({
    primaryKey: ['id'],
    keysEnforced: false,
    indexes: [['email', 'id']],
    large: true,
    foreignKeys: [
      {
        name: 'people_city',
        columns: ['email'],
        references: { schema: 'geo', collection: 'cities', columns: ['name'] },
        onDelete: 'no action',
      },
    ],
  })
})

it('says where rows may be hidden or values masked', async () => {
  expect((await described({})).hidesRows).toBeUndefined()
  const masked = [{ ...people[1]!, policyTags: { names: ['projects/acme/taxonomies/1/policyTags/2'] } }]
  expect((await described({ schema: { fields: masked } })).hidesRows).toBe(true)
  const inside = [{ name: 'home', type: 'RECORD', fields: [{ name: 'city', type: 'STRING', dataPolicies: [{}] }] }]
  expect((await described({ schema: { fields: inside } })).hidesRows).toBe(true)
  service.resources[`${tables}/people/rowAccessPolicies`] = {
    rowAccessPolicies: [{ filterPredicate: 'region = "EU"' }],
  }
  expect((await described({})).hidesRows).toBe(true)
  expect((await described({})).policiesUnknown).toBeUndefined()
  service.resources[`${tables}/people/rowAccessPolicies`] = new RestError(403, 'accessDenied', 'Permission denied')
  expect(await described({})).toMatchObject({ hidesRows: true, policiesUnknown: true })
})

it('says where rows may be hidden from a view', async () => {
  const view = (...names: string[]) => {
    service.server.referencedTables = names.map((name) => {
      const [tableId, datasetId = 'shop', projectId = 'acme'] = name.split('.').reverse()
      return { projectId, datasetId, tableId }
    })
    return described({ type: 'VIEW' })
  }
  const policies = (dataset: string, table: string) =>
    `/projects/acme/datasets/${dataset}/tables/${table}/rowAccessPolicies`
  service.resources[policies('shop', 'open')] = {}
  service.resources[policies('shop', 'some')] = { rowAccessPolicies: [{}] }
  service.resources[policies('crm', 'closed')] = new RestError(403, 'accessDenied', 'Permission denied')
  expect((await view('open')).hidesRows).toBeUndefined()
  const hides = await view('open', 'some', 'crm.closed')
  expect([hides.hidesRows, hides.policiesUnknown]).toEqual([true, undefined])
  expect(await view('open', 'crm.closed')).toMatchObject({ hidesRows: true, policiesUnknown: true })
  expect(await view('open', 'far.crm.open')).toMatchObject({ hidesRows: true, policiesUnknown: true })
  service.server.referencedTables = undefined
  expect(await described({ type: 'VIEW' })).toMatchObject({ view: { writable: false }, policiesUnknown: true })
  service.server.rules.push(
    () => new RestError(400, 'invalidQuery', 'without a filter that can be used for partition elimination'),
  )
  expect((await described({ type: 'VIEW' })).view).toEqual({ writable: false })
})

it('says where a view may show rows or values of tables that hide them, whatever these are called', async () => {
  const shows = (...tables: readonly (readonly [project: string, dataset: string, table: string])[]) => {
    service.server.referencedTables = tables.map(([projectId, datasetId, tableId]) => ({
      projectId,
      datasetId,
      tableId,
    }))
    return described({ type: 'VIEW' })
  }
  const crm = '/projects/acme/datasets/crm/tables'
  service.resources[`${crm}/people`] = tableResource('people', { schema: { fields: people } })
  service.resources[`${crm}/people/rowAccessPolicies`] = { rowAccessPolicies: [{}] }
  const named = await shows(['acme', 'crm', 'people'])
  expect([named.hidesRows, named.view?.shows]).toEqual([true, ['crm.people']])
  service.resources[`${crm}/people/rowAccessPolicies`] = {}
  expect((await shows(['acme', 'crm', 'people'])).hidesRows).toBeUndefined()
  const masked = [{ ...people[1]!, policyTags: { names: ['projects/acme/taxonomies/1/policyTags/2'] } }]
  service.resources[`${crm}/people`] = tableResource('people', { schema: { fields: masked } })
  expect((await shows(['acme', 'crm', 'people'])).hidesRows).toBe(true)
  service.resources[`${crm}/people`] = new RestError(403, 'accessDenied', 'Permission denied')
  expect((await shows(['acme', 'crm', 'people'])).policiesUnknown).toBe(true)
  expect((await shows(['far', 'shop', 'orders'])).view?.shows).toEqual(['far.shop.orders'])
  // of more than 50 tables the service names some
  const many = Array.from({ length: 50 }, (_, at) => ['acme', 'shop', `day_${at}`] as const)
  expect(await shows(...many)).toMatchObject({ view: { writable: false }, policiesUnknown: true })
  // nothing but the view itself says nothing
  expect((await shows(['acme', 'shop', 'people'])).policiesUnknown).toBe(true)
})

it('describes a dataset although one of its views may not be read', async () => {
  service.server.rules.push(() => new RestError(403, 'accessDenied', 'Access Denied: Table acme:crm.people'))
  expect(await described({ type: 'VIEW' })).toMatchObject({ view: { writable: false }, policiesUnknown: true })
  service.resources[`${tables}/people/rowAccessPolicies`] = new RestError(400, 'invalid', 'Not supported')
  expect(await described({ type: 'EXTERNAL' })).toMatchObject({ policiesUnknown: true })
})

it('is not told what a quota keeps from being asked', async () => {
  service.resources[`${tables}/people/rowAccessPolicies`] = new RestError(403, 'quotaExceeded', 'Quota exceeded')
  await expect(described({})).rejects.toMatchObject({ details: { transient: true } })
})

it('says for how many days time travel and fail-safe keep old values', async () => {
  const dataset = '/projects/acme/datasets/shop'
  expect((await described({})).keepsHistoryDays).toBe(14)
  for (const [hours, days] of [
    ['48', 9],
    ['72', 10],
    ['168', 14],
  ] as const) {
    service.resources[dataset] = { location: 'EU', maxTimeTravelHours: hours }
    expect((await described({})).keepsHistoryDays).toBe(days)
  }
  for (const type of ['VIEW', 'EXTERNAL', 'MATERIALIZED_VIEW']) {
    expect(await described({ type })).not.toHaveProperty('keepsHistoryDays')
  }
})

it('describes what shows rows of other tables', async () => {
  expect((await described({ type: 'EXTERNAL' })).view).toEqual({ writable: false })
  service.server.referencedTables = [
    { projectId: 'acme', datasetId: 'shop', tableId: 'customers' },
    { projectId: 'acme', datasetId: 'crm', tableId: 'contacts' },
  ]
  const shows = ['customers', 'crm.contacts']
  expect((await described({ type: 'VIEW' })).view).toEqual({ writable: false, shows })
  expect((await described({ type: 'MATERIALIZED_VIEW' })).view).toEqual({ writable: false, stored: true, shows })
  const snapshotDefinition = { baseTableReference: { projectId: 'acme', datasetId: 'shop', tableId: 'customers' } }
  const snapshot = await described({ type: 'SNAPSHOT', snapshotDefinition })
  expect(snapshot).toMatchObject({ copyOf: 'customers', view: { writable: false, shows: ['customers'] } })
  expect(snapshot.view).not.toHaveProperty('stored')
  const baseTableReference = { projectId: 'acme', datasetId: 'crm', tableId: 'contacts' }
  const clone = await described({ cloneDefinition: { baseTableReference } })
  expect([clone.copyOf, clone.view]).toEqual(['crm.contacts', undefined])
})
