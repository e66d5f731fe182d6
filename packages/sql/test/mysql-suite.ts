import { connectorContract, type Fixture } from '@habeas/testkit'
import { afterAll, describe, it } from 'vitest'
import { type MysqlDatabase, openMysqlDatabase } from './mysql-fixture.js'
import { mysqlSketch } from './mysql-sketch.js'

/** The promises every connector makes, kept over `@habeas/sql` by a server that is not PostgreSQL. */
export function mysqlSuite(type: 'mysql' | 'mariadb', url: string | undefined): void {
  if (!url) throw new Error(`${type.toUpperCase()}_URL names no server`)
  const connector = mysqlSketch(type)
  const connect = (database: MysqlDatabase) => connector.connect(connector.parseSecrets({ url: database.url }))
  const unreachable = { host: '127.0.0.1', port: 1, user: 'nobody', password: 'a-wrong-password', database: 'none' }

  describe(`the contract of connectors, on ${type}`, () => {
    let loaded: Promise<MysqlDatabase> | undefined
    afterAll(async () => (await loaded)?.close())
    const open = async (fixture: Fixture) => {
      loaded ??= openMysqlDatabase(url, fixture)
      return { connector, connection: await connect(await loaded), unreachable }
    }
    connectorContract(it, open, {
      kinds: { uuid: 'string' },
      erasing: async (fixture) => {
        const database = await openMysqlDatabase(url, fixture)
        const other = await connect(database)
        // the last connection that a case closes takes the database with it
        const close = async () => {
          await other.close()
          await database.close()
        }
        return { connector, connection: await connect(database), unreachable, other: { ...other, close } }
      },
    })
  })
}
