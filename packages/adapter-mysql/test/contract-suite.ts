import type { Connection } from '@habeas/core'
import { connectorContract, type Fixture } from '@habeas/testkit'
import { afterAll, describe, it } from 'vitest'
import { type MysqlDatabase, openMysqlDatabase } from '../../sql/test/mysql-fixture.js'
import { connectorOf, type Kind, serverUrl } from './servers.js'

/** The promises every connector makes, on a real server. */
export function contractSuite(kind: Kind): void {
  const url = serverUrl(kind)
  const connector = connectorOf(kind)
  const connect = async (database: MysqlDatabase, fixture: Fixture) =>
    inUtc(fixture, await connector.connect(connector.parseSecrets({ url: database.url })))
  const unreachable = { host: '127.0.0.1', port: 1, user: 'nobody', password: 'a-wrong-password', database: 'none' }

  describe(`the contract of connectors, on ${kind}`, () => {
    let loaded: Promise<MysqlDatabase> | undefined
    afterAll(async () => (await loaded)?.close())
    const open = async (fixture: Fixture) => {
      loaded ??= openMysqlDatabase(url, fixture)
      return { connector, connection: await connect(await loaded, fixture), unreachable }
    }
    connectorContract(it, open, {
      kinds: { uuid: 'string', timestamp: 'datetime' },
      erasing: async (fixture) => {
        const database = await openMysqlDatabase(url, fixture)
        const other = await connect(database, fixture)
        // the last connection that a case closes takes the database with it
        const close = async () => {
          await other.close()
          await database.close()
        }
        return { connector, connection: await connect(database, fixture), unreachable, other: { ...other, close } }
      },
    })
  })
}

/** Moments of the fixture are in UTC, and a DATETIME, which alone has room for all of them, names no zone. */
function inUtc(fixture: Fixture, connection: Connection): Connection {
  return {
    ...connection,
    async *read(read, options) {
      const columns = fixture.find(({ name }) => name === read.collection)?.columns ?? []
      const isMoment = read.columns.map((name) =>
        columns.some((column) => column.name === name && column.kind === 'timestamp'),
      )
      for await (const batch of connection.read(read, options))
        yield batch.map((row) => row.map((value, at) => (isMoment[at] && value !== null ? `${value}Z` : value)))
    },
  }
}
