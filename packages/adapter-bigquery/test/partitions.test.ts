import { randomBytes } from 'node:crypto'
import { createPrivacyService } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { bigqueryConnector } from '../src/index.js'
import type { SchemaField } from '../src/live-column.js'
import { openJobServer } from './double/job-server.js'
import { serviceRules } from './double/service-rules.js'
import type { MemoryTable } from './double/sql/evaluator.js'
import { type MemoryTables, memoryEngine } from './double/sql/memory-engine.js'
import { scalarOf } from './double/sql/values.js'

const email = 'jane@example.com'
const fields: readonly SchemaField[] = [
  { name: 'id', type: 'INTEGER', mode: 'NULLABLE' },
  { name: 'email', type: 'STRING', mode: 'NULLABLE' },
  { name: 'page', type: 'STRING', mode: 'NULLABLE' },
  { name: 'visited_on', type: 'DATE', mode: 'NULLABLE' },
]

interface Partitioned {
  readonly column: string
  readonly type: string
  readonly resource: object
}

const byDay: Partitioned = {
  column: 'visited_on',
  type: 'DATE',
  resource: { timePartitioning: { type: 'DAY', field: 'visited_on' }, requirePartitionFilter: true },
}
const byArrival: Partitioned = {
  column: '_PARTITIONTIME',
  type: 'TIMESTAMP',
  resource: { timePartitioning: { type: 'DAY', requirePartitionFilter: true } },
}
const byNumber: Partitioned = {
  column: 'id',
  type: 'INTEGER',
  resource: {
    rangePartitioning: { field: 'id', range: { start: '0', end: '100', interval: '10' } },
    requirePartitionFilter: true,
  },
}

/** Three rows of the person: the first lies outside of the filters, the last has no value. */
function visits({ column, type, resource }: Partitioned): MemoryTable {
  const texts = { DATE: ['2020-05-01', '2024-05-01'], TIMESTAMP: ['2020-05-01T00:00:00Z', '2024-05-01T00:00:00Z'] }
  const [old, young] = texts[type as 'DATE'] ?? []
  const value = (text: string | undefined) =>
    type === 'INTEGER' ? {} : { [column]: text === undefined ? null : scalarOf(type, text) }
  const row = (id: number, text: string | undefined) => ({
    ...{ id: BigInt(id), email, page: `page ${id}`, visited_on: null },
    ...value(text),
  })
  return {
    fields,
    rows: [row(1, old), row(20, young), row(30, undefined), { ...row(40, young), email: 'john@example.com' }],
    partition: { column, required: true, resource },
  }
}

async function openShop(partitioned: Partitioned, filter?: readonly object[], { keys = ['id'], deletes = false } = {}) {
  const tables: MemoryTables = new Map([['acme.web.visit', visits(partitioned)]])
  const server = await openJobServer(memoryEngine(tables), serviceRules)
  const privacy = createPrivacyService({
    encryptionKey: randomBytes(32).toString('base64'),
    connectors: [bigqueryConnector({ apiEndpoint: server.address })],
  })
  await privacy.connections.put({ key: 'web', connectionType: 'bigquery', access: 'write' })
  await privacy.connections.setSecrets('web', { dataset: 'web', keyfile_creds: { project_id: 'acme' } })
  const collection = {
    name: 'visit',
    service_meta: { ...(deletes && { erase: 'delete' }), ...(filter && { partition_filter: filter }) },
    fields: [
      { name: 'id' },
      { name: 'email', service_meta: { identity: 'email', read_only: !deletes }, data_categories: ['user'] },
      { name: 'page', data_categories: ['user'] },
      { name: 'visited_on' },
    ].map(({ service_meta, ...field }) => ({
      ...field,
      service_meta: { ...service_meta, ...(keys.includes(field.name) && { primary_key: true }) },
    })),
  }
  const dataset = await privacy.connections.attachDataset('web', {
    service_key: 'web',
    collections: [collection],
  } as never)
  for (const action of ['access', 'erasure'] as const) {
    const rule = { service_key: 'all', action_type: action, data_categories: { matches: 'ANY', values: ['user'] } }
    await privacy.policies.put({ service_key: action, rules: [rule as never] })
  }
  return {
    ...{ privacy, server, dataset },
    async submit(policyKey: string) {
      const { id } = await privacy.requests.submit({ policyKey, identities: [{ email }] })
      return privacy.requests.settled(id)
    },
    pages: () => tables.get('acme.web.visit')?.rows.map(({ id, page }) => [Number(id), page]),
    async [Symbol.asyncDispose]() {
      await privacy.close()
      await server.close()
    },
  }
}

const untouched = [20, 30, 40].map((id) => [id, `page ${id}`])
const cases: [string, Partitioned, object[]][] = [
  ['a day', byDay, [{ field: 'visited_on', start: '2023-01-01' }]],
  ['the time at which rows came', byArrival, [{ field: '_PARTITIONTIME', start: '2023-01-01', end: 'NOW()' }]],
  ['a number', byNumber, [{ field: 'id', start: 10, end: 25 }]],
]

describe('a table whose partitions must be limited', () => {
  it('stops the plan without a filter, and no job runs', async () => {
    await using shop = await openShop(byDay)
    expect(await shop.submit('access')).toMatchObject({ status: 'error' })
    expect(shop.server.jobs).toEqual([])
    const findings = await shop.privacy.datasets.findings('web')
    expect(findings.map(({ type }) => type)).toContain('missing_partition_filter')
  })

  it.each(cases)('by %s is read, counted, erased and read again inside of the filter only', async (_, by, filter) => {
    await using shop = await openShop(by, filter)
    expect(await shop.submit('access')).toMatchObject({
      status: 'complete',
      incomplete: true,
      coverage: { filtered: ['web:visit'] },
      results: [{ collection: 'visit', outcomes: [{ outcome: 'delivered', rowCount: 1 }] }],
    })
    const erased = await shop.submit('erasure')
    expect(erased).toMatchObject({ status: 'complete', incomplete: true, coverage: { filtered: ['web:visit'] } })
    expect(shop.pages()).toEqual([[1, 'page 1'], [20, null], ...untouched.slice(1)])
    const receipt = await shop.privacy.requests.receipt(erased.id)
    expect(JSON.stringify(receipt)).toContain('"filtered":["web:visit"]')
  })

  it.each([
    ['a key of two columns', ['id', 'visited_on']],
    ['no key', []],
  ])('with %s loses rows inside of the filter only', async (_, keys) => {
    await using shop = await openShop(byDay, [{ field: 'visited_on', start: '2023-01-01' }], {
      keys,
      deletes: true,
    })
    expect(await shop.submit('erasure')).toMatchObject({ status: 'complete' })
    expect(shop.pages()).toEqual([[1, 'page 1'], ...untouched.slice(1)])
  })

  it('may be searched for rows without a value as well', async () => {
    await using shop = await openShop(byDay, [
      { field: 'visited_on', start: '2023-01-01' },
      { field: 'visited_on', empty: true },
    ])
    expect(await shop.submit('erasure')).toMatchObject({ status: 'complete' })
    expect(shop.pages()).toEqual([[1, 'page 1'], [20, null], [30, null], untouched[2]])
  })

  it('has no bound in the text of a statement', async () => {
    await using shop = await openShop(byDay, [{ field: 'visited_on', start: '2023-01-01' }])
    await shop.submit('erasure')
    const jobs = shop.server.jobs.map(({ configuration }) => configuration.query)
    expect(jobs.filter(({ query }) => /2023/.test(query))).toEqual([])
    const limited = jobs.filter(({ query }) => query.includes('`visit`'))
    expect(limited.length).toBeGreaterThan(2)
    for (const { query, queryParameters = [] } of limited) {
      expect(query).toMatch(/`visited_on` >= @p\d+/)
      expect(
        queryParameters.map(({ parameterType, parameterValue }) => [parameterType, parameterValue]),
      ).toContainEqual([{ type: 'DATE' }, { value: '2023-01-01' }])
    }
  })
})
