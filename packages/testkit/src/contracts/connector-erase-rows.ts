import assert from 'node:assert/strict'
import type { Connection, KeyGroup, Value } from '@habeas/core'
import { hostileTexts, lookAlikes } from '../fixtures/shop.js'
import type { Test } from '../test.js'
import { anyOf, anyTupleOf, oddTable, rowsOf, sortedTexts } from './connector-under-test.js'
import {
  byEmail,
  type EraseContractOptions,
  eraseCases,
  erased,
  erasing,
  type OpenErase,
  people,
  seen,
} from './erase-under-test.js'
import { rejection } from './rejection.js'

/** The rows that a batch touches. */
export const connectorEraseRowsContract = (test: Test, open: OpenErase, options: EraseContractOptions): void => {
  const given = eraseCases(test, open, options)
  const namesLeft = async (other: Connection) => (await people(other, 'name')).map(([, name]) => name)

  given('erase touches the rows that hold a key and meet a group, and no other', async ({ connection, other }) => {
    const groups = [anyOf('email', 'person-1@example.com', 'person-4@example.com'), anyOf('age', 42)]
    await erased(connection, erasing({ keys: [[1, 3, 5]], anyOf: groups }))
    assert.deepEqual(await namesLeft(other), [null, null, null, 'Jill', 'Jack', 'June'])
  })

  given('a row that meets no group any more is left', async ({ connection, other }) => {
    const moved = [anyOf('email', 'old-address@example.com')]
    await erased(connection, erasing({ anyOf: moved, set: 'delete' }))
    await erased(connection, erasing({ anyOf: moved }))
    const before = await people(other, 'name')
    assert.equal(before.length, 6)
    assert.equal(before[0]?.[1], 'Jane')
  })

  given('when narrows its own group', async ({ connection, other }) => {
    const group: KeyGroup = { ...anyOf('id', 1, 3, 4), when: [{ path: ['handle'], equals: 'handle-3' }] }
    await erased(connection, erasing({ keys: [[1, 3, 4, 5]], anyOf: [group, anyOf('age', 44)] }))
    assert.deepEqual(await namesLeft(other), ['Jane', null, null, 'Jill', null, 'June'])
  })

  given('the parts of a group must be met together, not crosswise', async ({ connection, other }) => {
    const tuples = anyTupleOf(['email', 'age'], ['person-1@example.com', 42], ['person-3@example.com', 40])
    await erased(connection, erasing({ keys: [[1, 3, 4]], anyOf: [tuples] }))
    assert.deepEqual(await namesLeft(other), ['Jane', null, 'John', 'Jill', 'Jack', 'June'])
    const met = anyTupleOf(['email', 'age'], ['person-1@example.com', 40], ['person-3@example.com', 40])
    await erased(connection, erasing({ keys: [[1, 3, 4]], anyOf: [met] }))
    assert.deepEqual(await namesLeft(other), [null, null, 'John', 'Jill', 'Jack', 'June'])
    const folded: KeyGroup = {
      fields: [{ path: ['email'], caseInsensitive: true }, { path: ['age'] }],
      values: [
        ['PERSON-3@example.com', 'Person-4@Example.com'],
        [43, 43],
      ],
    }
    await erased(connection, erasing({ keys: [[3, 4]], anyOf: [folded] }))
    assert.deepEqual(await namesLeft(other), [null, null, 'John', null, 'Jack', 'June'])
  })

  given('all parts of a key name a row, zero among them', async ({ connection, other }) => {
    const left = async () => {
      const rows = await seen(other, 'seats', ['hall', 'number', 'remark'], 'hall', 0, 5)
      return rows
        .filter(([, , remark]) => remark !== null)
        .map(([hall, number]) => `${hall}/${number}`)
        .sort()
    }
    const batch = erasing({
      collection: 'seats',
      key: ['hall', 'number'],
      keys: [[5], [0]],
      anyOf: [anyOf('person_id', 1, 2)],
      set: [{ column: 'remark', to: null }],
    })
    await erased(connection, batch)
    assert.deepEqual(await left(), ['0/0', '0/5', '5/5'])
    await erased(connection, {
      ...batch,
      keys: [
        [0, 5],
        [0, 5],
      ],
      anyOf: [anyOf('person_id', 2)],
    })
    assert.deepEqual(await left(), ['0/5', '5/5'])
    await erased(connection, {
      ...batch,
      key: ['number', 'hall'],
      keys: [
        [5, 5],
        [0, 5],
      ],
      set: 'delete',
    })
    assert.deepEqual(await left(), [])
    assert.equal((await seen(other, 'seats', ['hall'], 'hall', 0, 5)).length, 2)
  })

  given('whole numbers beyond 2^53 name the row they are', async ({ connection, other }) => {
    const batch = erasing({
      collection: 'orders',
      anyOf: [anyOf('person_id', 1, 2)],
      set: [{ column: 'address', to: null }],
    })
    await erased(connection, { ...batch, keys: [['9007199254740993']] })
    await erased(connection, { ...batch, keys: [[9_007_199_254_740_994n]] })
    const rows = await seen(other, 'orders', ['address'], 'person_id', 1, 2)
    assert.deepEqual(rows.map(String).sort(), ['', 'Main Street 1', 'Main Street 2'])
  })

  given('letters that become others in small letters name rows of others', async ({ connection, other }) => {
    const texts = lookAlikes.flat()
    const ids = texts.map((_, at) => 7 + at)
    const batch = erasing({ collection: 'aliases', keys: [ids] })
    for (const field of ['alias', 'spelling']) {
      const folded = { path: [field], caseInsensitive: true }
      for (const [text] of lookAlikes) {
        const asked = text.toUpperCase()
        const remark = (to: string) => [{ column: 'remark', to }]
        const alone: KeyGroup = { fields: [folded], values: [[asked]] }
        await erased(connection, { ...batch, anyOf: [alone], set: remark('alone') })
        const beside: KeyGroup = { fields: [folded, { path: ['remark'] }], values: [[asked], ['alone']] }
        await erased(connection, { ...batch, anyOf: [beside], set: remark(`by ${field}`) })
      }
      const rows = await seen(other, 'aliases', ['id', 'remark'], 'id', ...ids)
      const expected = texts.map((_, at) => (at % 2 === 0 ? `by ${field}` : 'alias'))
      assert.deepEqual(
        rows.map(([, remark]) => remark),
        expected,
      )
    }
  })

  given('texts are compared exactly where the server would compare loosely', async ({ connection, other }) => {
    const left = async () =>
      (await seen(other, 'aliases', ['id', 'remark'], 'id', 1, 2, 3, 4, 5, 6)).map(([, remark]) => remark)
    const batch = erasing({
      collection: 'aliases',
      key: ['alias'],
      keys: [['jane']],
      anyOf: [anyOf('id', 1, 2, 3, 4, 5, 6)],
    })
    const touched = ['', 'alias', 'alias', 'alias', 'alias', 'alias']
    await erased(connection, { ...batch, set: [{ column: 'remark', to: '' }] })
    assert.deepEqual(await left(), touched)
    await erased(connection, {
      ...batch,
      key: ['id', 'alias'],
      keys: [
        [2, 3],
        ['jane', 'jane'],
      ],
      set: 'delete',
    })
    assert.deepEqual(await left(), touched)
    const byId = { ...batch, key: ['id'], keys: [[1, 2, 3, 4, 5, 6]] }
    await erased(connection, { ...byId, anyOf: [anyOf('alias', 'JANE', 'jane')], set: 'delete' })
    assert.deepEqual(await left(), ['alias', 'alias', 'alias', 'alias'])
    await erased(connection, {
      ...byId,
      anyOf: [anyTupleOf(['alias', 'spelling'], ['jané', 'JANÉ'], ['jane ', 'jane '])],
      set: 'delete',
    })
    assert.deepEqual(await left(), ['alias', 'alias', 'alias'])
    await erased(connection, { ...byId, anyOf: [anyOf('spelling', 'jane', 'JANÉ', 'jane  ')], set: 'delete' })
    assert.deepEqual(await left(), ['alias', 'alias', 'alias'])
  })

  given(
    'rows that refer to a key over a foreign key are touched, however they spell it',
    async ({ connection, other }) => {
      const { collections } = await connection.describe()
      const keys = collections.find(({ name }) => name === 'mentions')?.foreignKeys ?? []
      const left = async () => (await seen(other, 'mentions', ['id'], 'id', 1, 2, 3, 4, 5)).flat()
      const ids = [1, 2, 3, 4, 5]
      for (const { columns, references, loose } of keys.toSorted(
        (one, next) => next.columns.length - one.columns.length,
      )) {
        if (!loose) continue
        const as = { collection: references.collection, columns: references.columns }
        const read = { collection: 'handles', columns: [], anyOf: [anyOf('site', 1)] }
        const [key = []] = await rowsOf(connection, { ...read, spelled: [{ columns: as.columns, as }] })
        const points = { ...anyTupleOf(columns, key as Value[]), spelledAs: as }
        const counted = await connection.countEach!({ collection: 'mentions', group: points })
        assert.deepEqual(counted, [columns.length === 1 ? 1 : 2])
        await erased(connection, erasing({ collection: 'mentions', keys: [ids], anyOf: [points], set: 'delete' }))
        assert.deepEqual(await left(), columns.length === 1 ? [4, 5] : [3, 4, 5])
      }
    },
  )

  given('hostile text names a row by being equal and is never interpreted', async ({ connection, other }) => {
    for (const text of hostileTexts) {
      const set = [{ column: 'spare', to: text }]
      await erased(
        connection,
        erasing({ collection: 'quotes', key: ['text'], keys: [[text]], anyOf: [anyOf('copy', text)], set }),
      )
    }
    const rows = await seen(other, 'quotes', ['text', 'spare'], 'text', ...hostileTexts)
    assert.deepEqual(
      rows,
      rows.map(([text]) => [text, text]),
    )
    assert.equal(rows.length, hostileTexts.length)
    const batch = { collection: 'quotes', key: ['text'], keys: [hostileTexts], anyOf: [anyOf('copy', ...hostileTexts)] }
    const reversed = (text: unknown) => [...String(text)].reverse().join('')
    await erased(connection, erasing({ ...batch, set: [{ column: 'spare', toEach: hostileTexts.map(reversed) }] }))
    const again = await seen(other, 'quotes', ['text', 'spare'], 'text', ...hostileTexts)
    assert.deepEqual(
      again,
      again.map(([text]) => [text, reversed(text)]),
    )
  })

  given('odd names of tables and columns are names and nothing else', async ({ connection, other }) => {
    const { name: collection, columns } = oddTable(options)
    const names = columns.map(({ name }) => name)
    const original = (row: number, column: string) => `row ${row} column ${names.indexOf(column)}`
    const [key, second, third, ...others] = names as [string, string, string, ...string[]]
    const first = erasing({ collection, key: [key], keys: [[original(1, key)]] })
    for (const column of others) {
      await erased(connection, { ...first, anyOf: [anyOf(column, original(1, column))], set: [{ column, to: 'x' }] })
    }
    assert.deepEqual(await seen(other, collection, others, key, original(1, key)), [others.map(() => 'x')])
    assert.deepEqual(await seen(other, collection, others, key, original(2, key)), [
      others.map((name) => original(2, name)),
    ])
    const keys = [[original(2, key)], [original(2, second)]]
    const each = others.map((column) => ({ column, toEach: ['y'] }))
    await erased(connection, {
      ...first,
      key: [key, second],
      keys,
      anyOf: [anyOf(third, original(2, third))],
      set: each,
    })
    assert.deepEqual(await seen(other, collection, others, key, original(2, key)), [others.map(() => 'y')])
    await erased(connection, { ...first, anyOf: [anyOf(third, original(1, third))], set: 'delete' })
    assert.deepEqual(await seen(other, collection, [key], key, original(1, key), original(2, key)), [
      [original(2, key)],
    ])
  })

  given('rows are read back by the keys that were read of them, null equal to null', async ({ connection }) => {
    const read = async (...tuples: readonly (readonly Value[])[]) => {
      const named: KeyGroup = { ...anyTupleOf(['id', 'name', 'age'], ...tuples), exact: true }
      return sortedTexts(await rowsOf(connection, { collection: 'people', columns: ['id'], anyOf: [named] }))
    }
    assert.deepEqual(await read([1, 'Jane', 40], [2, null, null], [3, null, 42], [4, 'Jill', 40]), ['1', '2'])
    assert.deepEqual(await read([1, 'Jane', 40], [5, 'Jack', 44], [6, 'Jack', 45]), ['1', '5'])
    const seats: KeyGroup = { ...anyTupleOf(['hall', 'number'], [5, 0], [0, 0], [1, 1]), exact: true }
    const found = await rowsOf(connection, { collection: 'seats', columns: ['hall', 'number'], anyOf: [seats] })
    assert.deepEqual(sortedTexts(found), ['0/0', '5/0'])
  })

  given('rows that are no longer there are no failure', async ({ connection, other }) => {
    const gone = erasing({ keys: [[1, 70, 71]], anyOf: [byEmail(1, 70, 71)], set: 'delete' })
    await erased(connection, { ...gone, keys: [[70, 71]] })
    await erased(connection, { ...gone, keys: [[6, 70]], anyOf: [byEmail(6, 70)] })
    await erased(connection, { ...gone, keys: [[6, 70]], anyOf: [byEmail(6, 70)] })
    assert.equal((await people(other)).length, 5)
  })

  given('a table or column that is not there is named as missing', async ({ connection }) => {
    const missing = async (change: Parameters<typeof erasing>[0]) =>
      (await rejection(erased(connection, erasing(change)), 'connection_failed')).details.reason
    assert.equal(await missing({ collection: 'nothing_of_that_name' }), 'missing_collection')
    assert.equal(await missing({ set: [{ column: 'nothing', to: null }] }), 'missing_column')
    assert.equal(await missing({ key: ['nothing'] }), 'missing_column')
    assert.equal(await missing({ anyOf: [anyOf('nothing', 1)] }), 'missing_column')
    await connection.ping()
  })
}
