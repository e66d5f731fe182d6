import { randomBytes } from 'node:crypto'
import type { Fixture } from '@habeas/testkit'
import { bigqueryConnector } from '../../../adapter-bigquery/src/index.js'
import { emulatorEngine } from '../../../adapter-bigquery/test/double/emulator-engine.js'
import { openJobServer } from '../../../adapter-bigquery/test/double/job-server.js'
import { restOf } from '../../../adapter-bigquery/test/double/rest.js'
import { project, secretsOf } from '../../../adapter-bigquery/test/emulator-fixture.js'
import { loadFixture as loadBigquery } from '../../../adapter-bigquery/test/load-fixture.js'
import { mongodbConnector } from '../../../adapter-mongodb/src/index.js'
import { documentDatabase } from '../../../adapter-mongodb/test/document-database.js'
import { snowflakeConnector } from '../../../adapter-snowflake/src/index.js'
import { openDatabase } from '../../../adapter-snowflake/test/database.js'
import { openEmulator } from '../../../adapter-snowflake/test/emulator.js'
import { type CrossedDatabase, targetOf, through } from './crossed-database.js'
import { severableProxy } from './severable-proxy.js'

export async function openMongodb(
  url: string,
  documents: Parameters<typeof documentDatabase>[1],
): Promise<CrossedDatabase> {
  const database = await documentDatabase(url, documents)
  const proxy = await severableProxy(targetOf(database.url))
  return {
    connector: mongodbConnector({ connectTimeoutSeconds: 2 }),
    secrets: { url: through(proxy, database.url), database: database.name },
    proxy,
    rows: database.documents,
    async close() {
      proxy.close()
      await database.close()
    },
  }
}

export async function openBigquery(address: string, fixture: Fixture): Promise<CrossedDatabase> {
  const dataset = `habeas_${randomBytes(6).toString('hex')}`
  const rest = restOf(address)
  await loadBigquery(rest, project, dataset, fixture)
  const engine = emulatorEngine(address, project)
  const server = await openJobServer(engine)
  const proxy = await severableProxy(targetOf(server.address))
  return {
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

export async function openSnowflake(url: string, fixture: Fixture): Promise<CrossedDatabase> {
  const emulator = await openEmulator(url)
  const database = await openDatabase(emulator, fixture)
  const proxy = await severableProxy(targetOf(emulator.url))
  return {
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
