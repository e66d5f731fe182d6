import type { Value } from '@habeas/core'
import { type MemoryCollection, type MemoryDatabase, type PostgresServer, startPostgres } from '@habeas/testkit'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, it } from 'vitest'
import { postgresConnector } from '../../../adapter-postgres/src/index.js'
import { accessOnce } from '../engine/engine-run.js'
import { type Compared, expectAsTheModelSays, policy } from './naive-comparison.js'
import { naiveErasure } from './naive-erasure.js'
import { type ErasureShape, erasureArbitrary, erasureWorldOf, randomRuns } from './random-erasure.js'

let server: PostgresServer
let client: pg.Client

beforeAll(async () => {
  server = await startPostgres()
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await server.stop()
})

const list = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')

function definition(
  name: string,
  { columns = [], primaryKey = [], uniqueKeys = [], checks = [] }: MemoryCollection,
): string {
  const parts = [
    ...columns.map(
      ({ name, kind, nullable }) =>
        `"${name}" ${kind === 'integer' ? 'integer' : 'text'}${nullable === false ? ' not null' : ''}`,
    ),
    ...(primaryKey.length > 0 ? [`primary key (${list(primaryKey)})`] : []),
    ...uniqueKeys.filter((key) => key.length > 0).map((key) => `unique (${list(key)})`),
    ...checks.map(() => `check (t <> 'x')`),
  ]
  return `create table ${name} (${parts.join(', ')})`
}

/** The tables of one dataset in a schema of its own. */
async function create(schema: string, database: MemoryDatabase): Promise<void> {
  await client.query(`create schema ${schema}; set search_path to ${schema}`)
  for (const [name, table] of Object.entries(database)) {
    await client.query(definition(name, table))
    const columns = (table.columns ?? []).map((column) => column.name)
    for (const row of table.rows) {
      const places = columns.map((_, at) => `$${at + 1}`).join(', ')
      await client.query(
        `insert into ${name} (${list(columns)}) values (${places})`,
        columns.map((column) => row[column] ?? null),
      )
    }
  }
  for (const [name, { foreignKeys = [] }] of Object.entries(database)) {
    for (const { name: key, columns, references, onDelete } of foreignKeys) {
      await client.query(
        `alter table ${name} add constraint ${key} foreign key (${list(columns)}) references ${references.collection} (${list(references.columns)}) on delete ${onDelete}`,
      )
    }
  }
}

async function erase(given: ErasureShape): Promise<Compared | undefined> {
  const { shape, world, live } = erasureWorldOf(structuredClone(given))
  const expected = naiveErasure(world.model, live)
  if (!expected) return undefined
  const connector = postgresConnector()
  const { maxErased } = given
  const { maxKeys } = shape
  const datasets = world.documents.map((document) => ({
    document,
    connector: {
      ...connector,
      capabilities: { ...connector.capabilities, maxErased, maxKeys },
      connect: () => connector.connect(connector.parseSecrets({ url: server.url, db_schema: document.service_key })),
    },
  }))
  try {
    for (const [at, { service_key: key }] of world.documents.entries())
      await create(key, world.databases[at]?.database ?? {})
    const { request, plan } = await accessOnce(
      { datasets, policy, access: 'write', acceptUnsearched: true },
      shape.identities,
    )
    const after: Record<string, Record<string, Value>[]> = {}
    for (const [at, { service_key: key }] of world.documents.entries()) {
      for (const name of Object.keys(world.databases[at]?.database ?? {})) {
        after[`${key}:${name}`] = (await client.query(`select * from ${key}.${name}`)).rows
      }
    }
    return { request, plan, expected, after }
  } finally {
    for (const { service_key: key } of world.documents) await client.query(`drop schema if exists ${key} cascade`)
  }
}

it('an erasure on PostgreSQL changes exactly what the naive model of §7.10–7.16 says, or nothing at all', {
  timeout: 3_600_000,
}, async () => {
  const seen = { complete: 0, impossible: 0, partly: 0 }
  await fc.assert(
    fc.asyncProperty(erasureArbitrary, async (given) => {
      const run = await erase(given)
      fc.pre(run !== undefined)
      expectAsTheModelSays(run as Compared, seen)
    }),
    randomRuns(30),
  )
  if (process.env['HABEAS_RUNS']) console.log(seen)
})
