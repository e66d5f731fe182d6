import type { Connection } from '@habeas/core'
import { connectorContract, type Fixture } from '@habeas/testkit'
import { afterAll, describe, it } from 'vitest'
import { mssqlConnector } from '../src/index.js'

/** A database of its own, which holds a fixture. */
interface LoadedDatabase {
  connect(): Promise<Connection>
  close(): Promise<void>
}

/** The contract of connectors, over databases that `load` makes and fills. */
export function contractSuite(server: string, load: (fixture: Fixture) => Promise<LoadedDatabase>): void {
  describe(`the contract of connectors, on ${server}`, () => {
    let loaded: Promise<LoadedDatabase> | undefined
    afterAll(async () => (await loaded)?.close())
    const under = async (database: LoadedDatabase) => ({
      connector: mssqlConnector(),
      connection: await database.connect(),
      unreachable: { host: '127.0.0.1', port: 1, user: 'nobody', password: 'a-wrong-password', database: 'none' },
    })
    const open = async (fixture: Fixture) => {
      loaded ??= load(fixture)
      return under(await loaded)
    }
    connectorContract(it, open, {
      erasing: async (fixture) => {
        const database = await load(fixture)
        const other = await database.connect()
        // the last connection that a case closes takes the database with it
        return { ...(await under(database)), other: { ...other, close: () => database.close() } }
      },
    })
  })
}
