import { type PostgresServer, startPostgres } from '@habeas/testkit'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, it } from 'vitest'
import { postgresConnector } from '../../../adapter-postgres/src/index.js'
import { accessOnce } from '../engine/engine-run.js'
import { type Compared, expectAsTheModelSays, nothingSeen, noting } from './naive-comparison.js'
import { naiveErasure } from './naive-erasure.js'
import { createTables, rowsOfTable } from './postgres-tables.js'
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

async function erase(given: ErasureShape): Promise<Compared | undefined> {
  const made = erasureWorldOf(structuredClone(given), true)
  const { shape, world, access, policy } = made
  const expected = naiveErasure(made)
  if (!expected) return undefined
  const connector = postgresConnector()
  const { maxErased } = given
  const { maxKeys } = shape
  const written: string[] = []
  const datasets = world.documents.map((document, at) => {
    const { service_key: key } = document
    const limited = {
      ...connector,
      capabilities: { ...connector.capabilities, maxErased, maxKeys },
      connect: () => connector.connect(connector.parseSecrets({ url: server.url, db_schema: key })),
    }
    return { document, connector: noting(limited, key, written), ...(access[at] && { access: access[at] }) }
  })
  const schemas = world.documents.map(({ service_key: key }, at) => [key, world.databases[at]?.database ?? {}] as const)
  try {
    for (const [key, database] of schemas) await createTables(client, key, database)
    const { request, plan, rows } = await accessOnce({ datasets, policy, acceptUnsearched: true }, shape.identities)
    const after: Record<string, object[]> = {}
    for (const [key, database] of schemas)
      for (const name of Object.keys(database)) after[`${key}:${name}`] = await rowsOfTable(client, key, name)
    return { request, plan, rows, expected, after, written }
  } finally {
    for (const [key] of schemas) await client.query(`drop schema if exists ${key} cascade`)
  }
}

it('an erasure on PostgreSQL changes exactly what the naive model of §7.10–7.16 says, or nothing at all', {
  timeout: 3_600_000,
}, async () => {
  const seen = nothingSeen()
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
