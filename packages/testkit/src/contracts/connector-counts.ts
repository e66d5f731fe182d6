import assert from 'node:assert/strict'
import type { Connection, CountRows, EmptyField, KeyGroup } from '@habeas/core'
import { hostileTexts } from '../fixtures/shop.js'
import type { Test } from '../test.js'
import {
  anyOf,
  anyTupleOf,
  type ConnectorContractOptions,
  connectorCases,
  type OpenConnector,
  oddTable,
  tableOf,
} from './connector-under-test.js'
import { rejection } from './rejection.js'

const allNotes = anyOf('id', ...tableOf('notes').rows.map(({ id }) => id!))

const countOf = async (connection: Connection, counted: CountRows): Promise<number> => {
  const counts = await connection.count([counted])
  assert.equal(counts.length, 1, 'one number for one question')
  return counts[0]!
}

/** Counts of rows that are never read. */
export const connectorCountsContract = (test: Test, open: OpenConnector, options: ConnectorContractOptions): void => {
  const given = connectorCases(test, open, options)
  const loosely = options.comparesLoosely === true

  given('a count is the number of rows that meet a group', async ({ connection }) => {
    const count = (collection: string, ...groups: KeyGroup[]) => countOf(connection, { collection, anyOf: groups })
    assert.equal(await count('events', anyOf('id', 1, 2, 3, 3, -1)), 3)
    assert.equal(await count('orders', anyOf('customer_id', 1), anyOf('id', 1, 3)), 3)
    assert.equal(await count('remarks', anyOf('customer_id', 1), anyOf('remark', 'same')), 3)
    assert.equal(await count('customers', anyOf('email', 'nobody')), 0)
    assert.equal(await count('order_lines', anyTupleOf(['order_id', 'line'], [1, 2], [2, 3], [3, 9])), 2)
  })

  given('counts come in the order in which they were asked for, each of its own collection', async ({ connection }) => {
    const counts = await connection.count([
      { collection: 'orders', anyOf: [anyOf('customer_id', 1)] },
      { collection: 'customers', anyOf: [anyOf('email', 'nobody')] },
      { collection: 'order_lines', anyOf: [anyOf('order_id', 1)], noneOf: [anyOf('line', 2)] },
      { collection: 'notes', anyOf: [] },
      { collection: 'orders', anyOf: [anyOf('customer_id', 2)] },
      { collection: 'notes', anyOf: [allNotes], empty: [{ path: ['author_id'] }] },
      { collection: 'order_lines', anyOf: [anyOf('order_id', 1, 2, 3)] },
      { collection: 'notes', anyOf: [anyOf('author_id', 1)], noneOf: [anyOf('handle', 'jane')] },
    ])
    assert.deepEqual(counts, [2, 0, 2, 0, 1, 1, 9, 5])
    assert.deepEqual(await connection.count([]), [])
  })

  given('a count without keys that fit is none, whatever else it says', async ({ connection }) => {
    const none: KeyGroup[][] = [[], [anyOf('id')], [anyOf('id'), anyTupleOf(['author_id', 'handle'])]]
    for (const groups of none) {
      assert.equal(await countOf(connection, { collection: 'notes', anyOf: groups }), 0)
      const more = { noneOf: [anyOf('author_id', 2)], empty: [{ path: ['handle'] }] }
      assert.equal(await countOf(connection, { collection: 'notes', anyOf: groups, ...more }), 0)
    }
    assert.equal(await countOf(connection, { collection: 'notes', anyOf: [anyOf('id', 'no number', null)] }), 0)
  })

  given('rows that meet a group of noneOf are left out', async ({ connection }) => {
    const count = (collection: string, group: KeyGroup, ...noneOf: KeyGroup[]) =>
      countOf(connection, { collection, anyOf: [group], noneOf })
    assert.equal(await count('orders', anyOf('customer_id', 1, 2, 3)), 5)
    assert.equal(await count('orders', anyOf('customer_id', 1, 2, 3), anyOf('id', 1, 3, 99)), 3)
    assert.equal(await count('orders', anyOf('customer_id', 1, 2, 3), anyOf('id', 1), anyOf('urgent', true)), 2)
    const urgent = { ...anyOf('customer_id', 1, 3), when: [{ path: ['urgent'], equals: true }] }
    assert.equal(await count('orders', anyOf('customer_id', 1, 2, 3), urgent), 2)
    const tuples = anyTupleOf(['order_id', 'line'], [1, 2], [2, 3])
    assert.equal(await count('order_lines', anyOf('order_id', 1, 2), tuples), 4)
    const upper = anyOf({ path: ['email'], kind: 'string', caseInsensitive: true }, 'JANE@example.com')
    assert.equal(await count('customers', anyOf('id', 1, 2, 3), upper), 1)
  })

  given('tuples whose texts are lower-cased are met together as well', async ({ connection }) => {
    const fields = [{ path: ['id'] }, { path: ['email'], kind: 'string', caseInsensitive: true }] as const
    const tuples: KeyGroup = {
      fields,
      values: [
        [1, 2, 3],
        ['JANE@example.com', 'john@example.com', 'John@Example.com'],
      ],
    }
    assert.equal(await countOf(connection, { collection: 'customers', anyOf: [tuples] }), 2)
    const rest = { collection: 'customers', anyOf: [anyOf('id', 1, 2, 3)], noneOf: [tuples] }
    assert.equal(await countOf(connection, rest), 1)
  })

  given('a null meets no group of noneOf, and keys that no row can hold leave out none', async ({ connection }) => {
    const count = (...noneOf: KeyGroup[]) => countOf(connection, { collection: 'notes', anyOf: [allNotes], noneOf })
    assert.equal(await count(anyOf('author_id', 1)), 3)
    assert.equal(await count(anyOf('handle', 'jane', 'N/A', null)), 7)
    assert.equal(await count(anyTupleOf(['author_id', 'handle'], [1, 'jane'], [2, 'bob'], [1, null])), 8)
    const confirmed = { ...anyOf('author_id', 1, 2), when: [{ path: ['confirmed'], equals: false }] }
    assert.equal(await count(confirmed), 6)
    assert.equal(await count(anyOf('id', 'no number'), anyOf('handle'), anyOf('author_id', null)), 9)
  })

  given('fields that must be empty hold null, blanks or a placeholder', async ({ connection }) => {
    const count = (...empty: EmptyField[]) => countOf(connection, { collection: 'notes', anyOf: [allNotes], empty })
    const handle = { path: ['handle'] }
    assert.equal(await count(), 9)
    assert.equal(await count(handle), 4)
    assert.equal(await count({ ...handle, placeholders: ['N/A'] }), 5)
    assert.equal(await count({ ...handle, placeholders: ['N/A', '.', 0] }), 6)
    if (!loosely) assert.equal(await count({ ...handle, placeholders: ['n/a', 'JANE'] }), 4)
    assert.equal(await count({ path: ['author_id'] }), 1)
    assert.equal(await count({ path: ['author_id'], placeholders: ['N/A', 2] }), 3)
    assert.equal(await count({ path: ['author_id'], placeholders: ['1'] }), 7)
    assert.equal(await count({ path: ['score'] }), 2)
    assert.equal(await count({ path: ['score'], placeholders: [0, -1] }), 6)
    assert.equal(await count({ path: ['confirmed'], placeholders: [true] }), 5)
    assert.equal(await count({ path: ['details'] }), 1)
    assert.equal(await count(handle, { path: ['score'] }), 2)
    assert.equal(await count({ path: ['author_id'], placeholders: [2] }, { ...handle, placeholders: ['0.0'] }), 1)
    assert.equal(await count({ path: ['id'] }), 0)
  })

  given('members that must be empty are absent or hold nothing, as elements do', async ({ connector, connection }) => {
    const count = (path: string, ...placeholders: (string | number)[]) => {
      const empty = [{ path: path.split('.'), placeholders }]
      return countOf(connection, { collection: 'notes', anyOf: [allNotes], empty })
    }
    if (!connector.capabilities.nestedFields) {
      await assert.rejects(count('details.editor'))
      return
    }
    assert.equal(await count('details.editor'), 5)
    assert.equal(await count('details.editor', 'N/A'), 6)
    assert.equal(await count('details.editor', 'N/A', 0), 7)
    assert.equal(await count('details.tags'), 4)
    assert.equal(await count('details.tags', 'N/A'), 5)
    assert.equal(await count('details.tags', 'N/A', 0, 'y'), 7)
    assert.equal(await count('details.nothing.at.all'), 9)
    const cart = { collection: 'carts', anyOf: [anyOf('id', 1, 2, 3, 4)] }
    assert.equal(await countOf(connection, { ...cart, empty: [{ path: ['items'] }] }), 2)
    const noneOf = [anyOf({ path: ['items', 'sku'] }, 'b'), anyOf({ path: ['owner', 'phones'] }, '1')]
    assert.equal(await countOf(connection, { ...cart, noneOf }), 2)
  })

  given('hostile keys, placeholders and names are never interpreted in a count', async ({ connection }) => {
    const customers = {
      collection: 'customers',
      anyOf: [anyOf('id', ...tableOf('customers').rows.map(({ id }) => id!))],
    }
    const all = tableOf('customers').rows.length
    const others = await countOf(connection, { ...customers, noneOf: [anyOf('email', ...hostileTexts)] })
    assert.equal(others, all - hostileTexts.length)
    for (const text of hostileTexts) {
      const counts = await connection.count([
        { ...customers, noneOf: [anyOf('email', text)] },
        { ...customers, empty: [{ path: ['email'], placeholders: [text] }] },
      ])
      assert.deepEqual(counts, [all - 1, 1], text)
    }
    const { name: collection, columns, rows } = oddTable(options)
    const odd = columns.map(({ name }) => {
      const [one, other] = rows.map((row) => row[name] as string)
      const empty = [{ path: [name], placeholders: [one!] }]
      return { collection, anyOf: [anyOf(name, one!, other!)], noneOf: [anyOf(name, other!)], empty }
    })
    assert.deepEqual(
      await connection.count(odd),
      odd.map(() => 1),
    )
  })

  given('both lists of a count take as many keys as a read', async ({ connector, connection }) => {
    const { rows } = tableOf('events')
    const size = Math.min(connector.capabilities.maxKeys, 20_000)
    const ids = Array.from({ length: size }, (_, index) => index + 1)
    const spared = Math.min(size, 7)
    const codes = ids.filter((id) => id !== spared).map((id) => `event-${id}`)
    const tuples = anyTupleOf(['id', 'code'], ...ids.map((id) => [id, `event-${id % 2 === 0 ? id : id + 1}`]))
    const some = { collection: 'events', anyOf: [anyOf('id', ...ids)] }
    const expected = Math.min(size, rows.length)
    const counts = await connection.count([
      { ...some, noneOf: codes.length === 0 ? [] : [anyOf('code', ...codes)] },
      { ...some, noneOf: [tuples] },
      { ...some, anyOf: [tuples] },
    ])
    assert.deepEqual(counts, [1, Math.ceil(expected / 2), Math.floor(expected / 2)])
  })

  given('a count names the collection or the column that is missing', async ({ connection }) => {
    const sound = { collection: 'customers', anyOf: [anyOf('id', 1)] }
    const missing = await rejection(
      connection.count([sound, { ...sound, collection: 'nothing_of_that_name' }, sound]),
      'connection_failed',
    )
    assert.equal(missing.details.reason, 'missing_collection')
    assert.ok(missing.message.includes('nothing_of_that_name'))
    const counts: CountRows[] = [
      { ...sound, anyOf: [anyOf('id', 1), anyOf('no_such_column', 1)] },
      { ...sound, noneOf: [anyOf('no_such_column', 1)] },
      { ...sound, noneOf: [{ ...anyOf('id', 1), when: [{ path: ['no_such_column'], equals: 1 }] }] },
      { ...sound, empty: [{ path: ['no_such_column'] }] },
    ]
    for (const counted of counts) {
      const error = await rejection(connection.count([sound, counted]), 'connection_failed')
      assert.equal(error.details.reason, 'missing_column')
      assert.ok(error.message.includes('no_such_column'))
    }
    assert.deepEqual(await connection.count([sound]), [1])
  })
}
