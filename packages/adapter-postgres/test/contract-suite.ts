import { connectorContract, type Fixture } from '@habeas/testkit'
import { afterAll, describe, it } from 'vitest'
import { postgresConnector } from '../src/index.js'
import { openDatabase, type TestDatabase } from './database.js'
import { loadFixture } from './load-fixture.js'

/** The promises every connector makes, on a server at `url`. */
export function contractSuite(url: () => string): void {
  describe('the contract of connectors', () => {
    let loaded: Promise<TestDatabase> | undefined
    afterAll(async () => (await loaded)?.close())

    const load = async (fixture: Fixture) => {
      const database = await openDatabase(url())
      await loadFixture(database.client, fixture)
      return database
    }
    const under = async (database: TestDatabase) => ({
      connector: postgresConnector(),
      connection: await database.connect(),
      unreachable: { host: '127.0.0.1', port: 1, user: 'nobody', password: 'a-wrong-password' },
    })
    const open = async (fixture: Fixture) => {
      loaded ??= load(fixture)
      return under(await loaded)
    }
    connectorContract(it, open, {
      erasing: async (fixture) => {
        const database = await load(fixture)
        // the last connection that a case closes takes the schema with it
        return { ...(await under(database)), other: { ...database.connection, close: () => database.close() } }
      },
    })
  })
}
