import { connectorContract, type Fixture } from '@habeas/testkit'
import { afterAll, describe, it } from 'vitest'
import { lakeConnector } from '../lake-connector.js'
import { lakeOf, removeFolders } from './lake-under-test.js'

afterAll(removeFolders)

const connector = lakeConnector()

const opened = async (fixture: Fixture) => {
  const folder = await lakeOf(fixture)
  return {
    connector,
    connection: await connector.connect({ folder }),
    other: await connector.connect({ folder }),
    unreachable: { folder: `${folder}/nowhere` },
  }
}

describe('the connector of the lake', () =>
  connectorContract(it, opened, {
    ...{ erasing: opened, foreignKeys: false, indexes: false, lengths: false },
    unenforced: ['unique', 'foreign_key', 'check', 'not_null', 'length'],
  }))
