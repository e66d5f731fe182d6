import type { Connection, KeyGroup, Read, Row, Value } from '@habeas/core'
import {
  type ConnectorUnderTest,
  connectorReadContract,
  type Fixture,
  type MemoryConnectorOptions,
  memoryConnector,
  memoryDatabase,
  shop,
} from '@habeas/testkit'
import { type Broken, foundOut } from './failing-cases.js'

type Reading = Pick<Read, 'collection' | 'anyOf'>
export type Fault = (connection: Connection) => Partial<Connection>

/** The memory connector over the shop, its connections changed by a fault. */
export const opened = async (
  fault: Fault,
  options: MemoryConnectorOptions = {},
  fixture: Fixture = shop,
): Promise<ConnectorUnderTest> => {
  const capabilities = { maxKeys: 20_000, nestedFields: false, ...options.capabilities }
  const sound = memoryConnector({ databases: { shop: memoryDatabase(fixture) }, ...options, capabilities })
  const connect = async (secrets: unknown) => {
    const connection = await sound.connect(secrets)
    return { ...connection, ...fault(connection) }
  }
  return {
    connector: { ...sound, connect },
    connection: await connect({ database: 'shop' }),
    unreachable: { database: 'elsewhere', password: 'a-wrong-password' },
  }
}

/** Opens connectors whose connections have a fault. */
export const faulty =
  (fault: Fault, options: MemoryConnectorOptions = {}) =>
  () =>
    opened(fault, options)

/** Reads and counts by something else than what was asked. */
export const faultyGroups = (change: (group: KeyGroup) => KeyGroup, options?: MemoryConnectorOptions) => {
  const changed = <Asked extends Reading>(read: Asked): Asked => ({ ...read, anyOf: read.anyOf.map(change) })
  return faulty(
    (connection) => ({
      read: (read, callOptions) => connection.read(changed(read), callOptions),
      count: (counts) => connection.count(counts.map(changed)),
    }),
    options,
  )
}

export async function* batchesWith(
  batches: AsyncIterable<readonly Row[]>,
  change: (rows: readonly Row[]) => readonly Row[],
) {
  for await (const batch of batches) yield change(batch)
}

/** Changes the rows of every batch. */
const faultyRows = (change: (rows: readonly Row[], read: Read) => readonly Row[]) =>
  faulty((connection) => ({
    read: (read, options) => batchesWith(connection.read(read, options), (rows) => change(rows, read)),
  }))

/** Changes every value that is read. */
export const faultyValues = (change: (value: Value | undefined, column: string) => Value | undefined) =>
  faultyRows((rows, { columns }) => rows.map((row) => row.map((value, index) => change(value, columns[index]!))))

/** Changes every text among the keys of a group. */
export const texts = (change: (text: string) => Value) => (group: KeyGroup) => ({
  ...group,
  values: group.values.map((column) => [...column].map((value) => (typeof value === 'string' ? change(value) : value))),
})

export type BrokenConnector = Broken<ConnectorUnderTest>

/** Declares, for each broken connector, a test that the contract finds it out, without waiting long for what hangs. */
export const connectorsFoundOut = (broken: readonly BrokenConnector[]): void =>
  foundOut((test, open) => connectorReadContract(test, open, { patienceMilliseconds: 500 }), broken)
