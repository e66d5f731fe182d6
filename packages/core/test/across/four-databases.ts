import { randomBytes } from 'node:crypto'
import type { Connector } from '@habeas/core'
import pg from 'pg'
import { bigqueryConnector } from '../../../adapter-bigquery/src/index.js'
import { emulatorEngine } from '../../../adapter-bigquery/test/double/emulator-engine.js'
import { openJobServer } from '../../../adapter-bigquery/test/double/job-server.js'
import { restOf } from '../../../adapter-bigquery/test/double/rest.js'
import { project, secretsOf } from '../../../adapter-bigquery/test/emulator-fixture.js'
import { loadFixture as loadBigquery } from '../../../adapter-bigquery/test/load-fixture.js'
import { mongodbConnector } from '../../../adapter-mongodb/src/index.js'
import { documentDatabase } from '../../../adapter-mongodb/test/document-database.js'
import { postgresConnector } from '../../../adapter-postgres/src/index.js'
import { loadFixture as loadPostgres } from '../../../adapter-postgres/test/load-fixture.js'
import { snowflakeConnector } from '../../../adapter-snowflake/src/index.js'
import { openDatabase } from '../../../adapter-snowflake/test/database.js'
import { openEmulator } from '../../../adapter-snowflake/test/emulator.js'
import { bigqueryFixture, mongodbDocuments, postgresFixture, snowflakeFixture } from './four-fixtures.js'
import { type SeverableProxy, severableProxy } from './severable-proxy.js'

export type StoredRow = Readonly<Record<string, unknown>>

/** One of the databases, behind a proxy that the connector talks to. The rows are read past it, with the plain driver. */
export interface CrossedDatabase {
  /** The key of its dataset and its connection. */
  readonly key: string
  readonly connector: Connector
  readonly secrets: object
  readonly proxy: SeverableProxy
  /** Every row of a collection. Numbers beyond 2^53 are text. */
  rows(collection: string): Promise<readonly StoredRow[]>
  close(): Promise<void>
}

const targetOf = (url: string) => {
  const { hostname: host, port } = new URL(url.replace(/^mongodb/, 'http'))
  return { host, port: Number(port) }
}

export async function openPostgres(url: string, people: number): Promise<CrossedDatabase> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await loadPostgres(client, postgresFixture(people))
  const proxy = await severableProxy(targetOf(url))
  const behind = new URL(url)
  behind.port = String(proxy.port)
  return {
    key: 'shop',
    connector: postgresConnector(),
    secrets: { url: behind.href },
    proxy,
    async rows(collection) {
      return (await client.query(`select * from ${collection}`)).rows
    },
    async close() {
      proxy.close()
      await client.end()
    },
  }
}

export async function openMongodb(url: string, people: number): Promise<CrossedDatabase> {
  const database = await documentDatabase(url, mongodbDocuments(people))
  const proxy = await severableProxy(targetOf(database.url))
  return {
    key: 'app',
    connector: mongodbConnector({ connectTimeoutSeconds: 2 }),
    secrets: { url: database.url.replace(/(127\.0\.0\.1):\d+/, `$1:${proxy.port}`), database: database.name },
    proxy,
    rows: database.documents,
    async close() {
      proxy.close()
      await database.close()
    },
  }
}

export async function openBigquery(address: string, people: number): Promise<CrossedDatabase> {
  const dataset = `habeas_${randomBytes(6).toString('hex')}`
  const rest = restOf(address)
  await loadBigquery(rest, project, dataset, bigqueryFixture(people))
  const engine = emulatorEngine(address, project)
  const server = await openJobServer(engine)
  const proxy = await severableProxy(targetOf(server.address))
  return {
    key: 'events',
    connector: bigqueryConnector({ apiEndpoint: `http://127.0.0.1:${proxy.port}` }),
    secrets: secretsOf(dataset),
    proxy,
    async rows(collection) {
      const result = await engine.run(`select * from \`${project}\`.\`${dataset}\`.\`${collection}\``, [])
      return (await result.rows(0, 10_000)).map(({ f }) =>
        Object.fromEntries(result.fields.map(({ name }, at) => [name, f[at]?.v ?? null])),
      )
    },
    async close() {
      proxy.close()
      await server.close()
      await rest('DELETE', `/projects/${project}/datasets/${dataset}?deleteContents=true`)
    },
  }
}

export async function openSnowflake(url: string, people: number): Promise<CrossedDatabase> {
  const emulator = await openEmulator(url)
  const database = await openDatabase(emulator, snowflakeFixture(people))
  const proxy = await severableProxy(targetOf(emulator.url))
  return {
    key: 'billing',
    connector: snowflakeConnector(),
    secrets: { ...database.secrets, url: `http://127.0.0.1:${proxy.port}` },
    proxy,
    rows: (collection) => database.rows(collection),
    async close() {
      proxy.close()
      await database.close()
      await emulator.close()
    },
  }
}
