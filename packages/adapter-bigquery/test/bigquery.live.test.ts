import { connectorContract, type Fixture, type Test } from '@habeas/testkit'
import { afterAll, describe, it } from 'vitest'
import { emulatorAddress } from './emulator-address.js'
import { type EmulatorDataset, openEmulatorDataset, secretsOf } from './emulator-fixture.js'
import { spelling } from './load-fixture.js'

/** The emulator takes members of a document apart at dots, quoted or not: golden statements show the quotes. */
const beyondEmulator = ['members that differ are written, and all others stay']
const test: Test = (name, run) =>
  beyondEmulator.includes(name) ? it.skip(`${name} (the emulator splits quoted members at dots)`, run) : it(name, run)

describe('the contract of connectors, on an emulator', () => {
  const address = emulatorAddress
  if (!address) throw new Error('BIGQUERY_EMULATOR_HOST names no server')
  let loaded: Promise<EmulatorDataset> | undefined
  afterAll(async () => (await loaded)?.close())
  const under = async ({ connector, connect }: EmulatorDataset) => ({
    connector,
    connection: await connect(),
    unreachable: secretsOf('none_of_that_name'),
  })
  const open = async (fixture: Fixture) => {
    loaded ??= openEmulatorDataset(address, fixture)
    return under(await loaded)
  }
  connectorContract(test, open, {
    kinds: { uuid: 'string' },
    ...{ foreignKeys: false, indexes: false, primaryKeys: false, uniqueKeys: false, lengths: false },
    unenforced: ['unique', 'foreign_key', 'check', 'length'],
    spelling,
    filters: true,
    erasing: async (fixture) => {
      const dataset = await openEmulatorDataset(address, fixture)
      const other = await dataset.connect()
      // the last connection that a case closes takes the dataset with it
      const close = async () => {
        await other.close()
        await dataset.close()
      }
      return { ...(await under(dataset)), other: { ...other, close } }
    },
  })
})
