import { connectorContract, type Fixture } from '@habeas/testkit'
import { afterAll, describe, it } from 'vitest'
import { mssqlConnector } from '../src/index.js'
import { openServerDatabase, type ServerDatabase } from './sql-server.js'

describe('the contract of connectors, on SQL Server', () => {
  let loaded: Promise<ServerDatabase> | undefined
  afterAll(async () => (await loaded)?.close())
  const load = async (fixture: Fixture) => {
    const database = await openServerDatabase()
    await database.load(fixture)
    return database
  }
  const under = async (database: ServerDatabase) => ({
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
