import { randomBytes } from 'node:crypto'
import { type Connection, createPrivacyService, type KeyGroup, type Value } from '@habeas/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bigqueryConnector } from '../src/index.js'
import type { SchemaField } from '../src/live-column.js'
import { type JobServer, openJobServer } from './double/job-server.js'
import { serviceRules } from './double/service-rules.js'
import type { MemoryRow } from './double/sql/evaluator.js'
import { type MemoryTables, memoryEngine } from './double/sql/memory-engine.js'
import { scalarOf } from './double/sql/values.js'

const fields: readonly SchemaField[] = [
  { name: 'id', type: 'INTEGER', mode: 'NULLABLE' },
  { name: 'code', type: 'STRING', mode: 'NULLABLE' },
  { name: 'other', type: 'STRING', mode: 'NULLABLE' },
  { name: 'note', type: 'STRING', mode: 'NULLABLE' },
  { name: 'data', type: 'JSON', mode: 'NULLABLE' },
]

/** A key of 1 kB. 15,000 of them are 15 MB. */
const long = (at: number) => `${at}-`.padEnd(1_000, 'k')
const longKeys = Array.from({ length: 15_000 }, (_, at) => long(at))
const group = (column: string, values: readonly Value[], more: object = {}): KeyGroup => ({
  fields: [{ path: [column], ...more }],
  values: [values],
})

const rows = [
  [1, long(1), 'a'],
  [2, long(14_999), long(3)],
  [3, long(7_000), 'b'],
  [4, 'short', long(14_000)],
  [5, 'short', 'none'],
  [6, long(2).toUpperCase(), long(2)],
].map(([id, code, other]) => ({ id: BigInt(id as number), code, other, note: 'n', data: null }) as MemoryRow)

let server: JobServer
let connection: Connection
let tables: MemoryTables
beforeEach(async () => {
  tables = new Map([['acme.shop.thing', { fields, rows }]])
  server = await openJobServer(memoryEngine(tables), serviceRules)
  const connector = bigqueryConnector({ apiEndpoint: server.address })
  const secrets = connector.parseSecrets({ dataset: 'shop', keyfile_creds: { project_id: 'acme' } })
  connection = await connector.connect(secrets)
})
afterEach(async () => {
  await connection.close()
  await server.close()
})

async function ids(...anyOf: readonly KeyGroup[]): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const batch of connection.read({ collection: 'thing', columns: ['id'], anyOf })) {
    found.push(...batch.flat())
  }
  return found.sort()
}

describe('a request that is more than the service takes', () => {
  it('is divided into jobs that find each row once', async () => {
    expect(await ids(group('code', longKeys))).toEqual([1, 2, 3])
    expect(server.jobs.length).toBeGreaterThan(1)
  })

  it('is divided although rows meet several groups', async () => {
    const groups = [group('code', longKeys), group('other', longKeys.slice(0, 3_000)), group('id', [1, 3, 5])]
    expect(await ids(...groups)).toEqual([1, 2, 3, 5, 6])
    expect(await ids(groups[1]!, groups[2]!, groups[0]!)).toEqual([1, 2, 3, 5, 6])
  })

  it('is divided where keys are the same to the server', async () => {
    const twice = longKeys.flatMap((key) => [key, key.toUpperCase()]).slice(0, 20_000)
    const caseless = { kind: 'string', caseInsensitive: true }
    expect(await ids(group('code', twice, caseless))).toEqual([1, 3, 6])
  })

  it('is divided by tuples', async () => {
    const tuples: KeyGroup = {
      fields: [{ path: ['code'] }, { path: ['other'] }],
      values: [longKeys, longKeys.map((key, at) => (at === 1 ? 'a' : at === 14_999 ? long(3) : key))],
    }
    expect(await ids(tuples)).toEqual([1, 2])
    expect(await connection.countEach?.({ collection: 'thing', group: tuples })).toEqual(
      longKeys.map((_, at) => (at === 1 || at === 14_999 ? 1 : 0)),
    )
  })

  it('is counted in parts, what is left out and what is empty included', async () => {
    const counted = { collection: 'thing', anyOf: [group('code', longKeys), group('id', [1, 4, 5])] }
    const counts = [
      counted,
      { ...counted, noneOf: [group('id', [2, 5])] },
      { ...counted, empty: [{ path: ['other'], placeholders: ['a'] }] },
      { collection: 'thing', anyOf: [] },
    ]
    expect(await connection.count(counts)).toEqual([5, 3, 1, 0])
    expect(await connection.count([counted])).toEqual([5])
  })

  it('says what to do where it cannot be divided', async () => {
    const inside: KeyGroup = { fields: [{ path: ['data', 'code'] }], values: [longKeys] }
    await expect(ids(inside)).rejects.toMatchObject({
      code: 'connection_failed',
      message: expect.stringMatching(/BigQuery takes 10 MB, while reading "thing", and it cannot be divided/),
    })
    expect(server.jobs).toEqual([])
  })
})

describe('a batch that is more than the service takes', () => {
  const erase = (keys: readonly Value[], to: readonly Value[]) => ({
    ...{ collection: 'thing', key: ['id'], keys: [keys], anyOf: [group('id', keys)] },
    set: [{ column: 'note', toEach: to }],
  })

  it('is refused before anything is sent, to be written in halves', async () => {
    const keys = Array.from({ length: 5_000 }, (_, at) => at)
    const batch = erase(
      keys,
      keys.map((at) => `${at}`.padEnd(3_000, 'x')),
    )
    await expect(connection.erase?.(batch)).rejects.toMatchObject({
      code: 'unsupported',
      details: { reason: 'batch_too_large' },
    })
    expect(server.jobs).toEqual([])
    await expect(connection.erase?.(erase([1], ['x'.repeat(11_000_000)]))).rejects.toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining('cannot be divided'),
    })
  })

  it('has no statement of more than 1 MB, and no more than 10,000 parameters', async () => {
    const keys = Array.from({ length: 4_000 }, (_, at) => at)
    const documents = keys.map((at) => Object.fromEntries([[`member_${at}`, 'was'] as const]))
    const batch = (rows: number) => {
      const was = documents.slice(0, rows)
      const set = [{ column: 'data', toEach: was.map(mapped), was }]
      return { ...erase(keys.slice(0, rows), []), set }
    }
    await expect(connection.erase?.(batch(4_000))).rejects.toMatchObject({ details: { reason: 'batch_too_large' } })
    await connection.erase?.(batch(100))
    expect(server.jobs.length).toBe(1)
  })
})

const mapped = (document: object) => Object.fromEntries(Object.keys(document).map((name) => [name, null]))

describe('an erasure', () => {
  it('writes documents of more than 10 MB in as many jobs as it takes', async () => {
    const email = 'jane@example.com'
    const people = [
      { name: 'id', type: 'INTEGER', mode: 'NULLABLE' },
      { name: 'email', type: 'STRING', mode: 'NULLABLE' },
      { name: 'data', type: 'JSON', mode: 'NULLABLE' },
    ]
    const document = (at: number) => JSON.stringify({ text: `${at}`.padEnd(40_000, 'd'), kept: at })
    const tables: MemoryTables = new Map([
      [
        'acme.crm.person',
        {
          fields: people,
          rows: Array.from({ length: 400 }, (_, at) => ({
            ...{ id: BigInt(at), email },
            data: scalarOf('JSON', document(at)),
          })),
        },
      ],
    ])
    const double = await openJobServer(memoryEngine(tables), serviceRules)
    const privacy = createPrivacyService({
      execution: { retryMinutes: 0 },
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: [bigqueryConnector({ apiEndpoint: double.address })],
    })
    await privacy.connections.put({ key: 'crm', connectionType: 'bigquery', access: 'write' })
    await privacy.connections.setSecrets('crm', { dataset: 'crm', keyfile_creds: { project_id: 'acme' } })
    const collection = {
      name: 'person',
      fields: [
        { name: 'id', service_meta: { primary_key: true } },
        { name: 'email', service_meta: { identity: 'email' } },
        { name: 'data', service_meta: { data_type: 'object' }, fields: [{ name: 'text', data_categories: ['user'] }] },
      ],
    }
    await privacy.connections.attachDataset('crm', { service_key: 'crm', collections: [collection] } as never)
    const rule = { service_key: 'all', action_type: 'erasure', data_categories: { matches: 'ANY', values: ['user'] } }
    await privacy.policies.put({ service_key: 'erase', rules: [rule as never] })
    const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email }] })
    expect(await privacy.requests.settled(id)).toMatchObject({
      status: 'complete',
      results: [{ outcomes: [{ outcome: 'masked', rowCount: 400 }] }],
    })
    const left = tables.get('acme.crm.person')?.rows.map(({ data }) => (data as { json: unknown }).json)
    expect(left).toEqual(Array.from({ length: 400 }, (_, kept) => ({ kept, text: null })))
    const writes = double.jobs.filter(({ configuration }) => /\ncommit/.test(configuration.query.query))
    expect(writes.length).toBeGreaterThan(1)
    await privacy.close()
    await double.close()
  }, 60_000)
})
