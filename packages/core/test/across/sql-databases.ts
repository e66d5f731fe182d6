import type { Fixture } from '@habeas/testkit'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { mssqlConnector } from '../../../adapter-mssql/src/index.js'
import type { sharedDouble } from '../../../adapter-mssql/test/double-database.js'
import { loadFixture as loadMssql, quoted } from '../../../adapter-mssql/test/load-fixture.js'
import { mariadbConnector, mysqlConnector } from '../../../adapter-mysql/src/index.js'
import { postgresConnector, redshiftConnector, timescaleConnector } from '../../../adapter-postgres/src/index.js'
import { openDatabase as openSchema } from '../../../adapter-postgres/test/database.js'
import { loadFixture as loadPostgres } from '../../../adapter-postgres/test/load-fixture.js'
import type { redshiftServer } from '../../../adapter-postgres/test/redshift/redshift-database.js'
import { openMysqlDatabase } from '../../../sql/test/mysql-fixture.js'
import { type CrossedDatabase, targetOf, through } from './crossed-database.js'
import { severableProxy } from './severable-proxy.js'

const rowsOver = (client: pg.Client) => async (collection: string) =>
  (await client.query(`select * from ${quoted(collection)}`)).rows

export async function openPostgres(url: string, fixture: Fixture): Promise<CrossedDatabase> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await loadPostgres(client, fixture)
  const proxy = await severableProxy(targetOf(url))
  return {
    connector: postgresConnector(),
    secrets: { url: through(proxy, url) },
    proxy,
    rows: rowsOver(client),
    async close() {
      proxy.close()
      await client.end()
    },
  }
}

/** Its table with keys beyond 2^53 is divided into chunks. */
export async function openTimescale(url: string, fixture: Fixture): Promise<CrossedDatabase> {
  const database = await openSchema(url, '', timescaleConnector)
  await loadPostgres(database.client, fixture, async (client, { name, columns }) => {
    if (columns[0]?.kind !== 'big_integer') return
    await client.query(`select public.create_hypertable('${quoted(name)}', public.by_range('id', 7))`)
  })
  const proxy = await severableProxy(targetOf(url))
  return {
    connector: timescaleConnector(),
    secrets: { url: through(proxy, url), db_schema: database.schema },
    proxy,
    rows: rowsOver(database.client),
    async close() {
      proxy.close()
      await database.close()
    },
  }
}

export async function openRedshift(
  server: ReturnType<typeof redshiftServer>,
  fixture: Fixture,
): Promise<CrossedDatabase> {
  const database = await server.open(fixture)
  const proxy = await severableProxy(targetOf(server.url))
  return {
    connector: redshiftConnector(),
    secrets: { url: through(proxy, server.url), db_schema: database.schema },
    proxy,
    rows: rowsOver(database.client),
    async close() {
      proxy.close()
      await database.close()
    },
  }
}

const openMysqlKind =
  (connectorOf: typeof mysqlConnector | typeof mariadbConnector) =>
  async (url: string, fixture: Fixture): Promise<CrossedDatabase> => {
    const database = await openMysqlDatabase(url, fixture)
    const client = await mysql.createConnection({ uri: database.url, supportBigNumbers: true })
    const proxy = await severableProxy(targetOf(url))
    return {
      connector: connectorOf(),
      secrets: { url: through(proxy, database.url) },
      proxy,
      async rows(collection) {
        const [rows] = await client.query<mysql.RowDataPacket[]>('select * from ??', [collection])
        return rows
      },
      async close() {
        proxy.close()
        await client.end()
        await database.close()
      },
    }
  }
export const openMysql = openMysqlKind(mysqlConnector)
export const openMariadb = openMysqlKind(mariadbConnector)

export async function openMssql(double: ReturnType<typeof sharedDouble>, fixture: Fixture): Promise<CrossedDatabase> {
  const database = await double.openDatabase()
  await loadMssql(database.client, fixture)
  const proxy = await severableProxy(targetOf(database.url))
  return {
    connector: mssqlConnector(),
    secrets: { url: through(proxy, database.url) },
    proxy,
    rows: rowsOver(database.client),
    async close() {
      proxy.close()
      await database.close()
    },
  }
}
