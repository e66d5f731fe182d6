import { connectorContract, type Fixture } from '@habeas/testkit'
import { afterAll, describe, it } from 'vitest'
import { redshiftConnector } from '../../src/index.js'
import type { TestDatabase } from '../database.js'
import { redshiftServer } from './redshift-database.js'

describe('the contract of connectors, on a double of Redshift', () => {
  const server = redshiftServer()
  let loaded: Promise<TestDatabase> | undefined
  afterAll(async () => (await loaded)?.close())

  const under = async (database: TestDatabase) => ({
    connector: redshiftConnector(),
    connection: await database.connect(),
    unreachable: { host: '127.0.0.1', port: 1, user: 'nobody', password: 'a-wrong-password' },
  })
  connectorContract(
    it,
    async (fixture: Fixture) => {
      loaded ??= server.open(fixture)
      return under(await loaded)
    },
    {
      kinds: { uuid: 'string' },
      indexes: false,
      foreignKeys: 'declared',
      keptAsText: ['uuid'],
      unenforced: ['unique', 'foreign_key', 'check'],
      namesRules: false,
      erasing: async (fixture) => {
        const database = await server.open(fixture)
        // the last connection that a case closes takes the schema with it
        return { ...(await under(database)), other: { ...database.connection, close: () => database.close() } }
      },
    },
  )
})
