import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { type Connection, createPrivacyService, type Value } from '@habeas/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parameterValueOf } from '../src/bound-values.js'
import { bigqueryConnector } from '../src/index.js'
import type { SchemaField } from '../src/live-column.js'
import { type JobServer, openJobServer } from './double/job-server.js'
import { serviceRules } from './double/service-rules.js'
import type { MemoryRow } from './double/sql/evaluator.js'
import { type MemoryTables, memoryEngine } from './double/sql/memory-engine.js'
import { scalarOf, toJson } from './double/sql/values.js'

/** Quotes, signs that only look like quotes, escapes, comments, parameters, and JSON. */
const hostile = [
  '`',
  '` where true; drop table `person`; --',
  '\\`; select 1; --',
  '\\',
  "' or '1' = '1",
  '" or 1 = 1 --',
  '\uff40 or true', // a wide grave accent
  '\u2018 or true --', // a curly quote
  '\u02bc\u02cb', // letters that look like quotes
  'e\u0301', // the same as é to a reader
  '\u202e`drop', // written from right to left
  '\ufeff',
  '@p0',
  '@@row_count',
  '/* */',
  '{"$ne": null}',
  '{"__proto__": {"admin": true}}',
  '["a"]',
  '"a"',
  'null',
  '__proto__',
  'constructor',
  '$.a',
  '%',
]

const names = ['id', '__proto__', 'constructor', 'a.b', 'a"b', '\uff40', 'drop']
const fields: readonly SchemaField[] = names.map((name) => ({
  name,
  type: name === 'id' ? 'INTEGER' : 'STRING',
  mode: 'NULLABLE',
}))
const rowOf = (id: number, text: string): MemoryRow =>
  Object.fromEntries(names.map((name) => [name, name === 'id' ? BigInt(id) : text] as const))

let tables: MemoryTables
let server: JobServer
let connection: Connection
beforeEach(async () => {
  tables = new Map([
    ['acme.shop.person', { fields, rows: hostile.map((text, at) => rowOf(at, text)) }],
    ['acme.shop.secret', { fields, rows: [rowOf(0, 'planted-secret')] }],
  ])
  server = await openJobServer(memoryEngine(tables), serviceRules)
  const connector = bigqueryConnector({ apiEndpoint: server.address })
  const secrets = { dataset: 'shop', keyfile_creds: { project_id: 'acme' } }
  connection = await connector.connect(connector.parseSecrets(secrets))
})
afterEach(async () => {
  await connection.close()
  await server.close()
})

const by = (name: string, ...values: Value[]) => ({ fields: [{ path: [name] }], values: [values] })

async function idsOf(name: string, ...values: Value[]): Promise<unknown[]> {
  const found: unknown[] = []
  const read = { collection: 'person', columns: ['id'], anyOf: [by(name, ...values)] }
  for await (const batch of connection.read(read)) found.push(...batch.flat())
  return found
}

/** The texts of statements hold nothing of a value. */
function expectBound(): void {
  const texts = server.jobs.map(({ configuration }) => configuration.query.query.replaceAll(/`(?:[^`\\]|\\.)*`/g, ''))
  for (const text of texts)
    for (const value of hostile.filter((each) => each.length > 4 && !each.startsWith('@')))
      expect(text).not.toContain(value)
}

describe('values', () => {
  it.each(hostile.map((text, at) => [JSON.stringify(text), text, at] as const))(
    'are equal to themselves alone, in every column: %s',
    async (_, text, at) => {
      for (const name of names.slice(1)) expect(await idsOf(name, text)).toEqual([at])
      const counted = { collection: 'person', anyOf: [by('drop', text)], noneOf: [by('a.b', 'nothing')] }
      expect(await connection.count([counted])).toEqual([1])
      expect(await connection.countEach?.({ collection: 'person', group: by('__proto__', text) })).toEqual([1])
      expectBound()
    },
  )

  it('are written as they are', async () => {
    const ids = hostile.map((_, at) => at)
    const set = names.slice(1).map((column) => ({ column, toEach: [...hostile].reverse() }))
    await connection.erase?.({ collection: 'person', key: ['id'], keys: [ids], anyOf: [by('drop', ...hostile)], set })
    const left = tables.get('acme.shop.person')?.rows.map((row) => names.slice(1).map((name) => row[name]))
    expect(left).toEqual([...hostile].reverse().map((text) => names.slice(1).map(() => text)))
    expectBound()
  })
})

describe('names', () => {
  it.each([
    '../secret',
    'secret`',
    'person` as t, `acme`.`shop`.`secret',
    'acme.shop.secret',
    'shop.secret',
    'INFORMATION_SCHEMA.TABLES',
    's*',
    'secret$20240101',
    'secret@-3600000',
    'secret?x=1',
    'secret#',
    '\uff53ecret', // a wide s
    'SECRET',
    '__proto__',
    '',
  ])('of no collection reach nothing: %j', async (collection) => {
    const asked = { collection, anyOf: [by('id', 0)] }
    const calls = [
      connection
        .read({ ...asked, columns: ['drop'] })
        [Symbol.asyncIterator]()
        .next(),
      connection.count([asked]),
      connection.countEach?.({ collection, group: by('id', 0) }),
      connection.estimate?.({ collection, columns: ['drop'] }),
      connection.erase?.({ ...asked, key: ['id'], keys: [[0]], set: 'delete' }),
    ]
    for (const call of calls) {
      const failure = await Promise.resolve(call).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'connection_failed', details: { reason: 'missing_collection' } })
      expect(inspect(failure)).not.toContain('planted-secret')
    }
    expect(server.jobs).toEqual([])
    expect(tables.get('acme.shop.secret')?.rows).toHaveLength(1)
  })

  it.each(['drop`', '`', 'a`.`b', 'DROP', 'toString', 'hasOwnProperty', '\u0440erson', '*', '1; select 1'])(
    'of no column reach nothing: %s',
    async (column) => {
      const read = { collection: 'person', columns: [column], anyOf: [by('id', 0)] }
      await expect(connection.read(read)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
        details: { reason: 'missing_column' },
      })
      await expect(idsOf(column, 'x')).rejects.toMatchObject({ details: { reason: 'missing_column' } })
      expect(server.jobs).toEqual([])
    },
  )
})

describe('members', () => {
  it('that have the names of an object’s own are data', async () => {
    const document = '{"__proto__": {"name": "hers"}, "constructor": "kept", "name": "hers", "a`b": "kept"}'
    const rows = [{ id: 1n, email: 'jane@example.com', data: scalarOf('JSON', document) }]
    const types = [
      ['id', 'INTEGER'],
      ['email', 'STRING'],
      ['data', 'JSON'],
    ] as const
    const columns = types.map(([name, type]) => ({ name, type, mode: 'NULLABLE' }))
    tables.set('acme.shop.document', { fields: columns, rows })
    const privacy = createPrivacyService({
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: [bigqueryConnector({ apiEndpoint: server.address })],
    })
    await privacy.connections.put({ key: 'shop', connectionType: 'bigquery', access: 'write' })
    await privacy.connections.setSecrets('shop', { dataset: 'shop', keyfile_creds: { project_id: 'acme' } })
    const erased = {
      data_categories: ['user'],
      service_meta: {
        masking_strategy: {
          strategy: 'string_rewrite',
          configuration: { rewrite_value: '$.email`' },
        },
      },
    }
    const data = {
      name: 'data',
      service_meta: { data_type: 'object' },
      fields: [
        { name: 'name', ...erased },
        { name: '__proto__', service_meta: { data_type: 'object' }, fields: [{ name: 'name', ...erased }] },
      ],
    }
    const collection = {
      name: 'document',
      fields: [
        { name: 'id', service_meta: { primary_key: true } },
        { name: 'email', service_meta: { identity: 'email' } },
        data,
      ],
    }
    await privacy.connections.attachDataset('shop', { service_key: 'shop', collections: [collection] } as never)
    const rule = { service_key: 'all', action_type: 'erasure', data_categories: { matches: 'ANY', values: ['user'] } }
    await privacy.policies.put({ service_key: 'erase', rules: [rule as never] })
    const identities = [{ email: 'jane@example.com' }]
    const { id } = await privacy.requests.submit({ policyKey: 'erase', identities })
    expect(await privacy.requests.settled(id)).toMatchObject({ status: 'complete' })
    const [row] = tables.get('acme.shop.document')?.rows ?? []
    expect(JSON.stringify(toJson(row?.['data'] ?? null))).toBe(
      '{"__proto__":{"name":"$.email`"},"a`b":"kept","constructor":"kept","name":"$.email`"}',
    )
    expect(({} as { name?: unknown }).name).toBeUndefined()
    await privacy.close()
  })
})

it('members of a STRUCT that a document lacks are NULL, whatever an object inherits', () => {
  const member = (name: string) => ({ name, type: { family: 'string', name: 'STRING', repeated: false } as const })
  const type = {
    ...({ family: 'struct', name: 'STRUCT', repeated: false } as const),
    fields: ['toString', '__proto__', 'city'].map(member),
  }
  const bound = parameterValueOf(type, { city: 'Rome' })
  expect(Object.entries(bound?.structValues ?? {})).toEqual([
    ['toString', { value: null }],
    ['__proto__', { value: null }],
    ['city', { value: 'Rome' }],
  ])
})
