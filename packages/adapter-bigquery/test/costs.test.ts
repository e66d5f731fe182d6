import { randomBytes } from 'node:crypto'
import { createPrivacyService } from '@habeas/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BigqueryConnectorOptions, bigqueryConnector } from '../src/index.js'
import { openJobServer } from './double/job-server.js'
import { RestError } from './double/rest.js'
import { serviceRules } from './double/service-rules.js'
import { cellBytes, type MemoryTables, memoryEngine } from './double/sql/memory-engine.js'
import { scalarOf } from './double/sql/values.js'
import { type FakeService, openFakeService } from './fake-service.js'

const field = (name: string, type: string) => ({ name, type, mode: 'NULLABLE' })
const email = 'jane@example.com'

/** Three visits, two of them in the partitions that are searched, and two pages. */
const tables = (): MemoryTables =>
  new Map([
    [
      'acme.web.visit',
      {
        fields: [field('id', 'INTEGER'), field('email', 'STRING'), field('page', 'STRING'), field('on', 'DATE')],
        rows: [1, 2, 3].map((id) => ({
          ...{ id: BigInt(id), email, page: 'p' },
          on: scalarOf('DATE', id === 1 ? '2020-01-01' : '2024-01-01'),
        })),
        partition: {
          ...{ column: 'on', required: true },
          resource: { timePartitioning: { type: 'DAY', field: 'on' }, requirePartitionFilter: true },
        },
      },
    ],
  ])

async function openShop(options: BigqueryConnectorOptions = {}) {
  const server = await openJobServer(memoryEngine(tables()), serviceRules)
  const privacy = createPrivacyService({
    encryptionKey: randomBytes(32).toString('base64'),
    connectors: [bigqueryConnector({ ...options, apiEndpoint: server.address })],
  })
  await privacy.connections.put({ key: 'web', connectionType: 'bigquery', access: 'write' })
  await privacy.connections.setSecrets('web', { dataset: 'web', keyfile_creds: { project_id: 'acme' } })
  const collection = {
    name: 'visit',
    service_meta: { partition_filter: [{ field: 'on', start: '2023-01-01' }] },
    fields: [
      { name: 'id', service_meta: { primary_key: true } },
      { name: 'email', service_meta: { identity: 'email' } },
      { name: 'page', data_categories: ['user'] },
      { name: 'on' },
    ],
  }
  await privacy.connections.attachDataset('web', { service_key: 'web', collections: [collection] } as never)
  const rule = { service_key: 'all', action_type: 'erasure', data_categories: { matches: 'ANY', values: ['user'] } }
  await privacy.policies.put({ service_key: 'erase', rules: [rule as never] })
  const request = { policyKey: 'erase', identities: [{ email }] }
  return {
    ...{ privacy, server, request },
    async [Symbol.asyncDispose]() {
      await privacy.close()
      await server.close()
    },
  }
}

describe('a preview', () => {
  it('says what finding, writing and reading again is billed, and runs no job', async () => {
    await using shop = await openShop()
    const { costs, text } = await shop.privacy.requests.preview(shop.request)
    // Columns of the two rows in the filter: id, email and page to find, to write and to read again; all four to write.
    expect(costs).toEqual([
      { address: 'web:visit', find: 6 * cellBytes, write: 14 * cellBytes, readAgain: 6 * cellBytes },
    ])
    expect(text).toContain('web:visit: finding 24 MiB, writing a batch 56 MiB, reading it again 24 MiB')
    expect(shop.server.jobs).toEqual([])
    for (const { configuration } of shop.server.planned) expect(configuration.query.query).not.toMatch(/update|delete/i)
  })

  it('names what is over the limit, and the run fails with what to do before it writes', async () => {
    await using shop = await openShop({ maximumBytesBilled: 30 * 1024 * 1024 })
    const { costs, text } = await shop.privacy.requests.preview(shop.request)
    expect(costs).toMatchObject([{ most: 30 * 1024 * 1024 }])
    expect(text).toContain('refused, since more than 30 MiB may not be billed: writing a batch')
    shop.server.rules.push((statement, { configuration }) =>
      /^update/.test(statement) && configuration.query.maximumBytesBilled === String(30 * 1024 * 1024)
        ? new RestError(
            400,
            'bytesBilledLimitExceeded',
            'Query exceeded limit for bytes billed: 31457280. 58720256 or higher required.',
          )
        : undefined,
    )
    const { id } = await shop.privacy.requests.submit(shop.request)
    const { status, failure } = await shop.privacy.requests.settled(id)
    expect(status).toBe('error')
    expect(failure).toContain('would be billed for 58720256 bytes, more than maximumBytesBilled allows')
    expect(failure).toContain('raise it')
  })

  it('is shown although nobody may ask what it costs', async () => {
    await using shop = await openShop()
    await shop.privacy.requests.preview(shop.request)
    shop.server.rules.push(() => new RestError(403, 'accessDenied', 'Access Denied'))
    const { costs, text } = await shop.privacy.requests.preview(shop.request)
    expect(costs).toEqual([{ address: 'web:visit', find: null, write: null, readAgain: null }])
    expect(text).toContain('finding unknown')
  })
})

describe('an estimate', () => {
  let service: FakeService
  beforeEach(async () => {
    service = await openFakeService()
  })
  afterEach(() => service.close())

  it('is a dry run without the limit, over quoted names', async () => {
    const connection = await service.connect({ maximumBytesBilled: 1 })
    expect(await connection.estimate?.({ collection: 'people', columns: ['id', 'email'] })).toEqual({
      bytes: 0,
      most: 1,
    })
    const [planned, ...more] = service.server.planned
    expect(planned?.configuration).toMatchObject({
      dryRun: true,
      query: { query: 'select `id`, `email` from `acme`.`shop`.`people`' },
    })
    expect(planned?.configuration.query).not.toHaveProperty('maximumBytesBilled')
    expect([more, service.server.jobs, service.statements]).toEqual([[], [], []])
  })

  it.each([
    [0, 0],
    [1, 10],
    [10, 10],
    [11, 11],
    [11.2, 12],
  ])('of %d MiB is billed as %d, as the service bills', async (processed, billed) => {
    service.bytes = processed * 1024 * 1024
    const connection = await service.connect()
    const asked = { collection: 'people', columns: ['id'] }
    expect(await connection.estimate?.(asked)).toEqual({ bytes: billed * 1024 * 1024 })
  })

  it('names a column that is not there', async () => {
    const connection = await service.connect()
    await expect(connection.estimate?.({ collection: 'people', columns: ['id; drop'] })).rejects.toMatchObject({
      details: { reason: 'missing_column' },
    })
  })
})
