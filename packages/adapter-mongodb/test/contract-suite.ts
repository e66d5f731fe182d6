import {
  type ConnectorContractOptions,
  connectorContract,
  type EraseContractOptions,
  type Fixture,
} from '@habeas/testkit'
import { afterAll, describe, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { type FixtureDatabase, fixtureDatabase } from './fixture-database.js'
import { type MongoProxy, type MongoProxyOptions, mongoProxy } from './mongo-proxy.js'

const limits: ConnectorContractOptions & EraseContractOptions = {
  ownKey: '_id',
  kinds: { date: 'string', bytes: undefined },
  keptAsText: ['date'],
  foreignKeys: false,
  secondDigits: 3,
  unenforced: ['foreign_key', 'check', 'length', 'not_null'],
  writesInParts: true,
}

/** The promises every connector makes, on the server at `url`, which may stand alone. */
export function contractSuite(url: () => string, options: MongoProxyOptions = {}): void {
  const { standsAlone = false } = options
  const sound = mongodbConnector({ connectTimeoutSeconds: 1 })
  const lacking = { transactions: false, rowLocks: false, fencing: false }
  const connector = standsAlone ? { ...sound, capabilities: { ...sound.capabilities, ...lacking } } : sound
  const unreachable = { host: '127.0.0.1', port: 1, user: 'nobody', password: 'a-wrong-password', database: 'none' }

  describe(`the contract of connectors, on a ${standsAlone ? 'server that stands alone' : 'replica set'}`, () => {
    let proxy: Promise<MongoProxy> | undefined
    const databases = new Map<Fixture, Promise<FixtureDatabase>>()
    const address = async () => {
      proxy ??= mongoProxy(url(), options)
      return (await proxy).url
    }
    const databaseOf = async (fixture: Fixture) => {
      const known = [...databases].find(
        ([other]) => other[0]?.name === fixture[0]?.name && other.length === fixture.length,
      )
      const database = known?.[1] ?? fixtureDatabase(await address(), fixture)
      if (!known) databases.set(fixture, database)
      return database
    }
    const connect = async ({ name }: FixtureDatabase) => {
      const secrets = { url: await address(), database: name }
      const connection = await sound.connect(sound.parseSecrets(secrets))
      if (!standsAlone) return connection
      // an engine that has described the connection knows that it has nothing to end
      const { endWrites: _, ...others } = connection
      return others
    }
    afterAll(async () => {
      for (const database of databases.values()) await (await database).close()
      await (await proxy)?.close()
    })
    const open = async (fixture: Fixture) => ({
      connector,
      connection: await connect(await databaseOf(fixture)),
      unreachable,
    })
    connectorContract(it, open, {
      ...limits,
      erasing: async (fixture) => {
        const database = await databaseOf(fixture)
        await database.refill()
        return { ...(await open(fixture)), other: await connect(database) }
      },
    })
  })
}
