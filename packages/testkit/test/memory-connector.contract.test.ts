import type { Catalogue, Connection, ConnectorCapabilities, Read } from '@habeas/core'
import {
  type ConnectorContractOptions,
  type ConnectorUnderTest,
  connectorContract,
  connectorReadContract,
  type Fixture,
  memoryConnector,
  memoryDatabase,
} from '@habeas/testkit'
import { describe, it } from 'vitest'

const opened = async (
  fixture: Fixture,
  nestedFields: boolean,
  erases = true,
  capabilities: Partial<ConnectorCapabilities> = {},
): Promise<ConnectorUnderTest> => {
  const connector = memoryConnector({
    databases: { shop: memoryDatabase(fixture) },
    capabilities: { maxKeys: 20_000, nestedFields, ...capabilities },
    erases,
  })
  return {
    connector,
    connection: await connector.connect(connector.parseSecrets({ database: 'shop', password: 'right' })),
    unreachable: { database: 'elsewhere', password: 'a-wrong-password' },
  }
}

/** What a modest server cannot do, as the contract's options say it. */
const limits: ConnectorContractOptions = {
  comparesLoosely: true,
  kinds: { uuid: 'string', boolean: 'integer' },
  foreignKeys: false,
  indexes: false,
  lengths: false,
  secondDigits: 3,
}

const toMilliseconds = (fixture: Fixture): Fixture =>
  fixture.map((table) => ({
    ...table,
    rows: table.rows.map((row) => ({
      ...row,
      ...(typeof row['moment'] === 'string' && { moment: row['moment'].replace(/(\.\d{3})\d+/, '$1') }),
    })),
  }))

const ignoringCase = <Asked extends Pick<Read, 'anyOf'>>(read: Asked): Asked => ({
  ...read,
  anyOf: read.anyOf.map(({ fields, ...group }) => ({
    ...group,
    fields: fields.map((field) => ({ ...field, caseInsensitive: true })),
  })),
})

const modestCatalogue = ({ collections }: Catalogue): Catalogue => ({
  collections: collections.map((collection) => ({
    ...collection,
    foreignKeys: [],
    indexes: [],
    columns: collection.columns.map(({ length: _length, kind, ...column }) => {
      const live = kind === 'uuid' ? 'string' : kind === 'boolean' ? 'integer' : kind
      return { ...column, ...(live !== undefined && { kind: live }) }
    }),
  })),
})

const modest = (connection: Connection): Connection => ({
  ...connection,
  read: (read, options) => connection.read(ignoringCase(read), options),
  describe: async (options) => modestCatalogue(await connection.describe(options)),
})

const openedModestly = async (fixture: Fixture): Promise<ConnectorUnderTest> => {
  const { connection, ...rest } = await opened(toMilliseconds(fixture), false)
  return { ...rest, connection: modest(connection) }
}

const openedToErase =
  (nestedFields: boolean, capabilities?: Partial<ConnectorCapabilities>) => async (fixture: Fixture) => {
    const { connector, ...rest } = await opened(fixture, nestedFields, true, capabilities)
    return { connector, ...rest, other: await connector.connect({ database: 'shop' }) }
  }

for (const nestedFields of [false, true]) {
  describe(`memoryConnector with nested fields: ${nestedFields}`, () =>
    connectorContract(it, (fixture) => opened(fixture, nestedFields), {
      erasing: openedToErase(nestedFields),
      filters: true,
    }))
}
describe('a modest server', () => connectorReadContract(it, openedModestly, limits))
describe('a server that is only read', () =>
  connectorContract(it, (fixture) => opened(fixture, false, false), { erasing: 'reads only' }))

const unprotected = { transactions: false, rowLocks: false, enforcedKeys: false, fencing: false, sampled: true }
describe('a server without transactions, row locks, enforced keys and fences', () =>
  connectorContract(it, (fixture) => opened(fixture, true, true, unprotected), {
    erasing: openedToErase(true, unprotected),
    unenforced: ['unique'],
    filters: true,
  }))
