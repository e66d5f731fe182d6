import { connectorReadContract, type Fixture } from '@habeas/testkit'
import { afterAll, describe, it } from 'vitest'
import { spelling } from './load-fixture.js'
import { type EmulatorDataset, openEmulatorDataset, secretsOf } from './emulator-fixture.js'

/** The client sends everything to this address while it is in the environment, the calls to the double as well. */
const address = process.env['BIGQUERY_EMULATOR_HOST']
delete process.env['BIGQUERY_EMULATOR_HOST']

describe('the contract of connectors, on an emulator', () => {
  if (!address) throw new Error('BIGQUERY_EMULATOR_HOST names no server')
  let loaded: Promise<EmulatorDataset> | undefined
  afterAll(async () => (await loaded)?.close())
  const open = async (fixture: Fixture) => {
    loaded ??= openEmulatorDataset(address, fixture)
    const { connector, connect } = await loaded
    return { connector, connection: await connect(), unreachable: secretsOf('none_of_that_name') }
  }
  connectorReadContract(it, open, {
    kinds: { uuid: 'string' },
    ...{ foreignKeys: false, indexes: false, primaryKeys: false, uniqueKeys: false, lengths: false },
    spelling,
  })
})
