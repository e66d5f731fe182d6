import {
  type Catalogue,
  type Connection,
  type Connector,
  type ConnectorCapabilities,
  type Erase,
  type KeyGroup,
  PrivacyError,
} from '@habeas/core'
import {
  type EraseContractOptions,
  type Fixture,
  type LimitedCollection,
  memoryConnector,
  memoryDatabase,
} from '@habeas/testkit'

type Only = Readonly<Record<string, LimitedCollection>>

/** The tables that the limited source has, and what it can be asked. */
const every: Only = {
  customers: { lookups: ['email'] },
  attachments: { lookups: ['customer_id'] },
  people: { lookups: ['email'], deletes: true },
  orders: { lookups: ['customer_id', 'person_id'] },
}

const capabilities: ConnectorCapabilities = {
  ...{ maxKeys: 500, nestedFields: false, maxErased: 100, fencing: false },
  ...{ transactions: false, rowLocks: false },
}

const refuse = (): never => {
  throw new PrivacyError('unsupported', 'Rows can only be looked up by some columns', { feature: 'lookup' })
}

const missing = (collection: string): never => {
  throw new PrivacyError('connection_failed', `There is no ${collection}`, { reason: 'missing_collection' })
}

const check = (only: Only, collection: string, ...groups: readonly KeyGroup[]): void => {
  const { lookups } = only[collection] ?? missing(collection)
  for (const { fields } of groups) if (!fields.some(({ path }) => lookups.includes(path[0]!))) refuse()
}

const checkErase = (only: Only, { collection, anyOf, set, pointers = [], unchanged = [] }: Erase): void => {
  check(only, collection, ...anyOf)
  for (const { count } of pointers) check(only, count.collection, count.group)
  for (const { group, ...held } of unchanged) check(only, held.collection, group)
  if (set !== 'delete' || only[collection]?.deletes !== true) refuse()
}

/** Its keys begin with the column by which rows are looked up, and other texts have no kind. */
const limited = (only: Only, { collections }: Catalogue): Catalogue => ({
  collections: collections.flatMap((each) => {
    const { lookups } = only[each.name] ?? {}
    if (!lookups) return []
    const own = lookups.filter((column) => each.columns.some(({ name }) => name === column))
    return {
      ...each,
      ...{ primaryKey: [...own, ...each.primaryKey], foreignKeys: [], indexes: [] },
      columns: each.columns.map(({ length: _length, kind, ...column }) =>
        kind === 'string' && !own.includes(column.name) ? column : { ...column, ...(kind && { kind }) },
      ),
    }
  }),
})

const limitedConnection = (only: Only, connection: Connection): Connection => ({
  ...connection,
  async *read(read, options) {
    await connection.ping(options)
    check(only, read.collection, ...read.anyOf)
    yield* connection.read(read, options)
  },
  async count(counts, options) {
    await connection.ping(options)
    for (const { collection, anyOf } of counts) check(only, collection, ...anyOf)
    return connection.count(counts, options)
  },
  async countEach(asked, options) {
    await connection.ping(options)
    check(only, asked.collection, asked.group)
    return connection.countEach!(asked, options)
  },
  async erase(erase, options) {
    await connection.ping()
    checkErase(only, erase)
    return connection.erase!(erase, options)
  },
  describe: async (options) => limited(only, await connection.describe(options)),
})

export type Fault = (connection: Connection) => Partial<Connection>

/** A source that answers few questions over a fixture, changed by a fault. */
export function limitedConnector(
  fixture: Fixture,
  { only = every, fault = () => ({}), unenforced = [] }: Partial<LimitedOptions> = {},
): Connector {
  const sound = memoryConnector({ databases: { shop: memoryDatabase(fixture) }, capabilities, unenforced })
  return {
    ...sound,
    async connect(secrets) {
      const connection = limitedConnection(only, await sound.connect(secrets))
      return { ...connection, ...fault(connection) }
    },
  }
}

interface LimitedOptions extends Pick<EraseContractOptions, 'unenforced'> {
  readonly only: Only
  readonly fault: Fault
}

/** Opens a source that answers few questions, changed by a fault. */
export const openLimited = (fault?: Fault) => async (fixture: Fixture) => {
  const connector = limitedConnector(fixture, fault && { fault })
  return {
    connector,
    connection: await connector.connect({ database: 'shop' }),
    other: await connector.connect({ database: 'shop' }),
    unreachable: { database: 'elsewhere', password: 'a-wrong-password' },
  }
}

export const limits = { only: every, foreignKeys: false, indexes: false, lengths: false }
