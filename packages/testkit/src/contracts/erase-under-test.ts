import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { Connection, Connector, Erase, EraseOptions, KeyGroup, PrivacyError, Row, Value } from '@habeas/core'
import type { MemoryRule } from '../fakes/memory-draft.js'
import type { Fixture, FixtureKind } from '../fixtures/fixture.js'
import { ledger } from '../fixtures/ledger.js'
import type { Test } from '../test.js'
import { anyOf, type ConnectorUnderTest, type Naming, rowsOf } from './connector-under-test.js'
import { deadline, type Patience } from './deadline.js'
import { completing, type SourceLimits } from './limited-source.js'
import { rejection } from './rejection.js'
import { casesWithin } from './within-capabilities.js'

export interface EraseUnderTest extends ConnectorUnderTest {
  /** Another connection to the same database, which reads what was written. */
  readonly other: Connection
}

/** Called for each case. Cases write, so the fixture has to be loaded anew each time. */
export type OpenErase = (fixture: Fixture) => EraseUnderTest | Promise<EraseUnderTest>

/**
 * The rules that a server enforces, and what its refusals name. Each changes the expectations; none leaves a case out.
 */
export interface EraseContractOptions extends Patience, Naming, Pick<SourceLimits, 'only' | 'filters'> {
  /** Rules that the server knows and does not enforce: a row that breaks them is written. Default: none. */
  readonly unenforced?: readonly MemoryRule[]
  /** False when the server names neither the rule nor the column that refuses. Default: true. */
  readonly namesRules?: boolean
  /** Kinds that the server keeps as text, so that it takes any text for them. Default: none. */
  readonly keptAsText?: readonly FixtureKind[]
  /**
   * True when a batch without transactions is written row by row, so that rows before a refused one keep their new values.
   * Default: false: a refused batch then leaves no value behind.
   */
  readonly writesInParts?: boolean
  /** How many digits of a second the server keeps; the loader has to cut off the rest. Default: 6. */
  readonly secondDigits?: number
}

/** Declares cases over a fixture, `ledger` by default. */
export const eraseCases = (test: Test, open: OpenErase, options: EraseContractOptions, fixture: Fixture = ledger) =>
  casesWithin(
    test,
    async () => {
      const opened = await open(fixture)
      const complete = completing(opened.connector, fixture, options)
      const [connection, other] = [await complete(opened.connection), await complete(opened.other)]
      return { ...opened, connection, other }
    },
    async ({ connection, other }) => {
      for (const opened of [connection, other]) await deadline(options)(opened.close(), 'close resolves')
    },
  )

/** Rows 1 to 3 of the people, by key and address, whose names are erased. */
export const erasing = (change: Partial<Erase> = {}): Erase => ({
  collection: 'people',
  key: ['id'],
  keys: [[1, 2, 3]],
  anyOf: [byEmail(1, 2, 3)],
  set: [{ column: 'name', to: null }],
  ...change,
})

export const erased = (connection: Connection, erase: Erase, options?: EraseOptions): Promise<void> => {
  assert.ok(connection.erase !== undefined, 'the connection has erase')
  return connection.erase(erase, options)
}

/** Whether to try a batch as well as to write it: without transactions nothing can be tried. */
export const rollBacks = ({ capabilities }: Connector): readonly boolean[] =>
  capabilities.transactions === false ? [false] : [true, false]

/** Columns of the rows in which a field holds one of the values, in the order of the first column. */
export const seen = async (
  connection: Connection,
  collection: string,
  columns: readonly string[],
  field: string,
  ...values: readonly Value[]
): Promise<Row[]> => {
  const rows = await rowsOf(connection, { collection, columns, anyOf: [anyOf(field, ...values)] })
  return rows.sort(([one], [other]) =>
    typeof one === 'number' ? one - Number(other) : String(one) < String(other) ? -1 : 1,
  )
}

/** Rows of people, by their addresses: some sources can be asked by these only. */
export const byEmail = (...ids: readonly number[]): KeyGroup =>
  anyOf('email', ...ids.map((id) => `person-${id}@example.com`))

/** Columns of all people in the order of their ids. */
export const people = async (connection: Connection, ...columns: readonly string[]): Promise<Row[]> => {
  const read = { collection: 'people', columns: ['id', ...columns], anyOf: [byEmail(1, 2, 3, 4, 5, 6)] }
  return (await rowsOf(connection, read)).sort(([one], [other]) => Number(one) - Number(other))
}

/** Asserts that a rule of the database refuses a batch, as the port says, without repeating a value. */
export const refusal = async (
  promise: Promise<unknown>,
  ...secrets: readonly string[]
): Promise<PrivacyError<'connection_failed'>> => {
  const failure = await rejection(promise, 'connection_failed')
  assert.equal(failure.details.reason, 'refused')
  const shown = `${JSON.stringify(failure)} ${inspect(failure, { depth: null, showHidden: true })}`
  for (const secret of secrets) assert.ok(!shown.includes(secret), 'a refusal repeats no value')
  return failure
}
