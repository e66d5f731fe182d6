import assert from 'node:assert/strict'
import type { Connection, Connector, KeyField, KeyGroup, Read, Row, Value, ValueKind } from '@habeas/core'
import type { Fixture, FixtureKind, FixtureTable } from '../fixtures/fixture.js'
import { respelled } from '../fixtures/respelled.js'
import { shop } from '../fixtures/shop.js'
import type { Test } from '../test.js'
import { deadline, type Patience } from './deadline.js'
import { completing, type SourceLimits } from './limited-source.js'
import { casesWithin } from './within-capabilities.js'

export interface ConnectorUnderTest {
  readonly connector: Connector
  /** A new connection to a database that holds the fixture; each case closes its own. */
  readonly connection: Connection
  /** Secrets, as `parseSecrets` takes them, of a server that is not there. */
  readonly unreachable: Readonly<Record<string, unknown>>
}

/** The names that a server takes. */
export interface Naming {
  /**
   * What a name becomes where the server does not take all of its characters; the loader has to use the same names, see
   * `respelled`. Default: every name stays what it is.
   */
  readonly spelling?: (name: string) => string
}

/** Called for each case. Nothing is written, so the fixture may be loaded once for all. */
export type OpenConnector = (fixture: Fixture) => ConnectorUnderTest | Promise<ConnectorUnderTest>

/** Limits of a server. Each changes the expectations; none leaves a case out. */
export interface ConnectorContractOptions extends Patience, SourceLimits, Naming {
  /** The kinds that `describe` gives where the server has no type of its own. Default: the obvious. */
  readonly kinds?: Partial<Record<FixtureKind, ValueKind | undefined>>
  /** False when the server knows no primary keys: `describe` then gives none. Default: true. */
  readonly primaryKeys?: boolean
  /** False when the server knows no unique keys beside them: `describe` then gives none. Default: true. */
  readonly uniqueKeys?: boolean
  /**
   * The column that the server adds to every table as its primary key. `describe` then gives it first, and the primary
   * key of the fixture among the unique keys. Default: none.
   */
  readonly ownKey?: string
  /** How many digits of a second the server keeps; the loader has to cut off the rest. Default: 6. */
  readonly secondDigits?: number
}

/** Declares cases over the shop. */
export const connectorCases = (test: Test, open: OpenConnector, options: ConnectorContractOptions) =>
  casesWithin(
    test,
    async () => {
      const opened = await open(shop)
      const complete = completing(opened.connector, shop, options)
      return { ...opened, connection: await complete(opened.connection) }
    },
    ({ connection }) => deadline(options)(connection.close(), 'close resolves'),
  )

export const tableOf = (name: string): FixtureTable => {
  const table = shop.find((candidate) => candidate.name === name)
  assert.ok(table !== undefined, `the shop has ${name}`)
  return table
}

/** The table whose names must be quoted wherever they stand, in the names that the server takes. */
export const oddTable = ({ spelling }: Naming): FixtureTable =>
  respelled(tableOf('Odd "Table\'s" `Name`; --'), spelling)

/** All rows of a read, batch by batch. */
export const batchesOf = async (connection: Connection, read: Read): Promise<(readonly Row[])[]> => {
  const batches: (readonly Row[])[] = []
  for await (const batch of connection.read(read)) batches.push(batch)
  return batches
}

export const rowsOf = async (connection: Connection, read: Read): Promise<Row[]> =>
  (await batchesOf(connection, read)).flat()

/** Rows in which the field holds one of the values. */
export const anyOf = (field: string | KeyField, ...values: readonly Value[]): KeyGroup => ({
  fields: [typeof field === 'string' ? { path: [field] } : field],
  values: [values],
})

/** Rows in which the columns hold one of the tuples. */
export const anyTupleOf = (columns: readonly string[], ...tuples: readonly (readonly Value[])[]): KeyGroup => ({
  fields: columns.map((column) => ({ path: [column] })),
  values: columns.map((_, part) => tuples.map((tuple) => tuple[part]!)),
})

/** Rows as text, in order. */
export const sortedTexts = (rows: readonly Row[]): string[] => rows.map((row) => row.map(String).join('/')).sort()
