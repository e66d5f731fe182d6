import { connectorContract, type Fixture } from '@habeas/testkit'
import { afterAll, describe, it } from 'vitest'
import { snowflakeConnector } from '../src/index.js'
import { openDatabase, type TestDatabase } from './database.js'
import { type Emulator, openEmulator } from './emulator.js'

const url = process.env['SNOWFLAKE_URL']
if (!url) throw new Error('SNOWFLAKE_URL names no server')

const unreachable = { host: '127.0.0.1', port: 1, user: 'nobody', password: 'a-wrong-password', database: 'none' }

describe('the contract of connectors, on an emulator of Snowflake', () => {
  let emulator: Promise<Emulator> | undefined
  let loaded: Promise<TestDatabase> | undefined
  const written = new Map<string, Promise<TestDatabase>>()
  afterAll(async () => {
    for (const database of [loaded, ...written.values()]) await (await database)?.close()
    await (await emulator)?.close()
  })
  const started = () => {
    emulator ??= openEmulator(url)
    return emulator
  }
  const connector = snowflakeConnector()
  const open = async (fixture: Fixture) => {
    loaded ??= openDatabase(await started(), fixture)
    return { connector, connection: await (await loaded).connect(), unreachable }
  }
  connectorContract(it, open, {
    kinds: { uuid: 'string' },
    indexes: false,
    foreignKeys: 'declared',
    // the emulator keeps texts of any length
    namesRules: false,
    unenforced: ['unique', 'foreign_key', 'check', 'length'],
    // to load them for each case would take the emulator most of an hour
    erasing: async (fixture) => {
      const database = written.get(fixture[0]!.name) ?? openDatabase(await started(), fixture)
      written.set(fixture[0]!.name, database)
      const { connect, restore } = await database
      await restore()
      return { connector, connection: await connect(), unreachable, other: await connect() }
    },
  })
})
