import { connectorContract, type Fixture } from '@habeas/testkit'
import { afterAll, describe, it } from 'vitest'
// an emulator in the environment would be asked instead
import './emulator-address.js'
import { spelling } from './load-fixture.js'
import { openProjectDataset, type ProjectDataset } from './project-fixture.js'

describe('the contract of connectors, on the service itself', () => {
  const keyfile = process.env['BIGQUERY_KEYFILE']
  if (!keyfile) throw new Error('BIGQUERY_KEYFILE names no key file of a service account')
  let loaded: Promise<ProjectDataset> | undefined
  afterAll(async () => (await loaded)?.close())
  const under = async ({ connector, connect, secrets }: ProjectDataset) => ({
    connector,
    connection: await connect(),
    unreachable: secrets('none_of_that_name'),
  })
  const open = async (fixture: Fixture) => {
    loaded ??= openProjectDataset(keyfile, fixture)
    return under(await loaded)
  }
  connectorContract(it, open, {
    kinds: { uuid: 'string' },
    ...{ foreignKeys: false, indexes: false, primaryKeys: false, uniqueKeys: false },
    unenforced: ['unique', 'foreign_key', 'check'],
    ...{ spelling, filters: true, patienceMilliseconds: 120_000 },
    erasing: async (fixture) => {
      const dataset = await openProjectDataset(keyfile, fixture)
      const other = await dataset.connect()
      // the last connection that a case closes takes the dataset with it
      const close = async () => {
        await other.close()
        await dataset.close()
      }
      return { ...(await under(dataset)), other: { ...other, close } }
    },
  })
}, 600_000)
