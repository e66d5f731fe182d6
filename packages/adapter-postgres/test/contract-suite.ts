import { connectorContract, type Fixture, type FixtureTable } from '@habeas/testkit'
import type pg from 'pg'
import { afterAll, describe, it } from 'vitest'
import { postgresConnector } from '../src/index.js'
import { type ConnectorOf, openDatabase, type TestDatabase } from './database.js'
import { loadFixture } from './load-fixture.js'

/** The promises every connector makes, on a server at `url`. `prepare` changes the tables of a fixture before they are filled. */
export function contractSuite(
  url: () => string,
  connectorOf: ConnectorOf = postgresConnector,
  prepare?: (client: pg.Client, table: FixtureTable) => Promise<void>,
): void {
  describe('the contract of connectors', () => {
    let loaded: Promise<TestDatabase> | undefined
    afterAll(async () => (await loaded)?.close())

    const load = async (fixture: Fixture) => {
      const database = await openDatabase(url(), '', connectorOf)
      await loadFixture(database.client, fixture, prepare)
      return database
    }
    const under = async (database: TestDatabase) => ({
      connector: connectorOf(),
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
