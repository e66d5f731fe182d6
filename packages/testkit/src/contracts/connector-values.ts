import assert from 'node:assert/strict'
import type { Value } from '@habeas/core'
import type { FixtureKind } from '../fixtures/fixture.js'
import type { Test } from '../test.js'
import {
  anyOf,
  type ConnectorContractOptions,
  connectorCases,
  type OpenConnector,
  rowsOf,
  tableOf,
} from './connector-under-test.js'

const instant = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/

/** Milliseconds since 1970 up to the second, and the digits after it. */
const instantOf = (value: Value | undefined, digits: number): readonly [number, string] => {
  const match = instant.exec(String(value))
  assert.ok(typeof value === 'string' && match !== null, `${String(value)} is RFC 3339 text`)
  const [, day, time, fraction = '', zone] = match
  return [Date.parse(`${day}T${time}${zone}`), fraction.slice(0, digits).replace(/0+$/, '')]
}

const decimalOf = (value: Value | undefined): string => {
  assert.ok(typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value), `${String(value)} is a decimal as text`)
  return value.includes('.') ? value.replace(/\.?0+$/, '') : value
}

/** Asserts that a value has its JSON form; equivalent forms (zones, zeros at the end) pass as well. */
export const assertForm = (kind: FixtureKind, actual: Value | undefined, expected: Value, digits: number): void => {
  if (expected === null) assert.equal(actual, null)
  else if (kind === 'timestamp') assert.deepEqual(instantOf(actual, digits), instantOf(expected, digits))
  else if (kind === 'decimal') assert.equal(decimalOf(actual), decimalOf(expected))
  else if (kind === 'uuid') assert.equal(String(actual).toLowerCase(), expected)
  else if (kind === 'big_integer') {
    assert.ok(typeof actual !== 'number' || Number.isSafeInteger(actual), `${String(actual)} has lost its last digits`)
    assert.equal(String(actual), String(expected))
  } else assert.deepEqual(actual, expected)
}

/** Order and form of values. */
export const connectorValuesContract = (test: Test, open: OpenConnector, options: ConnectorContractOptions): void => {
  const given = connectorCases(test, open, options)
  const digits = options.secondDigits ?? 6
  const { columns, rows } = tableOf('all_kinds')

  given('a row gives its values in the order of the columns asked for', async ({ connection }) => {
    const read = (names: string[]) =>
      rowsOf(connection, { collection: 'customers', columns: names, anyOf: [anyOf('id', 3)] })
    assert.deepEqual(await read(['id', 'email', 'name']), [[3, 'john@example.com', 'Customer 3']])
    assert.deepEqual(await read(['name', 'id', 'email']), [['Customer 3', 3, 'john@example.com']])
    assert.deepEqual(await read(['email']), [['john@example.com']])
  })

  for (const { name, kind } of columns) {
    given(`a value of the kind ${kind} has its JSON form (${name})`, async ({ connection }) => {
      for (const row of rows) {
        const read = { collection: 'all_kinds', columns: [name], anyOf: [anyOf('id', row['id']!)] }
        const [found] = await rowsOf(connection, read)
        assertForm(kind, found?.[0], row[name]!, digits)
      }
    })
  }

  for (const { name, kind } of columns) {
    if (kind === 'bytes' || kind === 'object') continue
    given(`a value of the kind ${kind} that was read finds its row again (${name})`, async ({ connection }) => {
      const { collections } = await connection.describe()
      const live = collections.find((collection) => collection.name === 'all_kinds')
      const liveKind = live?.columns.find((column) => column.name === name)?.kind
      const field = { path: [name], ...(liveKind !== undefined && { kind: liveKind }) }
      for (const { id } of rows) {
        const [row] = await rowsOf(connection, { collection: 'all_kinds', columns: [name], anyOf: [anyOf('id', id!)] })
        const value = row?.[0] ?? null
        if (value === null) continue
        const again = await rowsOf(connection, {
          collection: 'all_kinds',
          columns: ['id', name],
          anyOf: [anyOf(field, value)],
        })
        assert.ok(
          again.some(([found]) => found === id),
          `${String(value)} finds row ${String(id)}`,
        )
        assert.ok(
          again.every(([, found]) => found === value),
          'and no row with another value',
        )
      }
    })
  }

  given('objects and lists come whole', async ({ connection }) => {
    const { rows: carts } = tableOf('carts')
    const read = { collection: 'carts', columns: ['id', 'owner', 'items'], anyOf: [anyOf('id', 1, 2, 3, 4)] }
    const found = await rowsOf(connection, read)
    found.sort(([left], [right]) => Number(left) - Number(right))
    assert.deepEqual(
      found,
      carts.map((cart) => [cart['id'], cart['owner'], cart['items']]),
    )
  })
}
