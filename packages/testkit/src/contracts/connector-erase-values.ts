import assert from 'node:assert/strict'
import type { Value } from '@habeas/core'
import type { FixtureKind } from '../fixtures/fixture.js'
import type { Test } from '../test.js'
import { anyOf, tableOf } from './connector-under-test.js'
import { assertForm } from './connector-values.js'
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

/** Values that differ from those of the fixture. */
const fresh: Readonly<Record<FixtureKind, readonly [Value, Value]>> = {
  integer: [7, -7],
  big_integer: ['9007199254740995', 5],
  decimal: ['12345678901234567891.0123456788', '-1.5'],
  float: [0.2, -1e100],
  boolean: [true, false],
  string: ['o\'brien \\ " $1 🧿', ''],
  uuid: ['0e4a2f5c-6a0b-4a57-9d51-2f1a3b0c4d09', '0e4a2f5c-6a0b-4a57-9d51-2f1a3b0c4d0a'],
  date: ['1970-01-01', '2000-02-29'],
  timestamp: ['1970-01-01T00:00:00Z', '2000-02-29T12:30:00.25Z'],
  bytes: [Buffer.from('fresh').toString('base64'), ''],
  object: [{ name: "o'brien", list: ['\\', { 'a"b': null }] }, ['x', 1]],
}

/** New values of columns. */
export const connectorEraseValuesContract = (test: Test, open: OpenErase, options: EraseContractOptions): void => {
  const given = eraseCases(test, open, options)

  given('a column becomes the same in every row, and null stays null', async ({ connection, other }) => {
    await erased(
      connection,
      erasing({
        set: [
          { column: 'name', to: 'masked' },
          { column: 'note', to: '' },
        ],
      }),
    )
    assert.deepEqual(await people(other, 'name', 'note'), [
      [1, 'masked', ''],
      [2, null, null],
      [3, 'masked', ''],
      [4, 'Jill', 'note 4'],
      [5, 'Jack', 'note 5'],
      [6, 'June', 'note 6'],
    ])
  })

  given(
    'a column becomes one value a row, in the order of the keys, and null stays null',
    async ({ connection, other }) => {
      const keys = [[1, 2, 3, 60]]
      const groups = [anyOf('id', 1, 2, 3, 60)]
      const set = [
        { column: 'name', toEach: ['one', 'two', null, 'none'] },
        { column: 'age', toEach: [21, 22, 23, 24] },
        { column: 'note', to: null },
      ]
      await erased(connection, erasing({ keys, anyOf: groups, set }))
      assert.deepEqual((await people(other, 'name', 'age', 'note')).slice(0, 4), [
        [1, 'one', 21, null],
        [2, null, null, null],
        [3, null, 23, null],
        [4, 'Jill', 43, 'note 4'],
      ])
    },
  )

  given('the key and the values that a row had to hold may change', async ({ connection, other }) => {
    const set = [
      { column: 'id', toEach: [13, 14] },
      { column: 'email', toEach: ['a', 'b'] },
    ]
    await erased(
      connection,
      erasing({ keys: [[3, 4]], anyOf: [anyOf('email', 'person-3@example.com', 'person-4@example.com')], set }),
    )
    assert.deepEqual(await seen(other, 'people', ['id', 'email'], 'id', 3, 4, 13, 14), [
      [13, 'a'],
      [14, 'b'],
    ])
  })

  for (const { name, kind } of tableOf('all_kinds').columns.slice(1)) {
    given(
      `a value of the kind ${kind} is written as it is, for all rows and row by row (${name})`,
      async ({ connection, other }) => {
        const batch = erasing({ collection: 'all_kinds', keys: [[1, 2, 4]], anyOf: [anyOf('id', 1, 2, 4)] })
        const written = async () =>
          (await seen(other, 'all_kinds', ['id', name], 'id', 1, 2, 3, 4)).map(([, value]) => value)
        const [, , untouched] = await written()
        for (const [one, two] of [[fresh[kind][0], fresh[kind][0]], fresh[kind]] as const) {
          const assignment = one === two ? { column: name, to: one } : { column: name, toEach: [one, two, one] }
          await erased(connection, { ...batch, set: [assignment] })
          const [first, second, third, fourth] = await written()
          assertForm(kind, first, one, options.secondDigits ?? 6)
          assertForm(kind, second, two, options.secondDigits ?? 6)
          assert.deepEqual([third, fourth], [untouched, null])
        }
        await erased(connection, { ...batch, set: [{ column: name, to: null }] })
        assert.deepEqual(await written(), [null, null, untouched, null])
      },
    )
  }

  given('rows of a batch are deleted, and no other', async ({ connection, other }) => {
    await erased(connection, erasing({ keys: [[3, 4, 5]], anyOf: [byEmail(3, 5, 6)], set: 'delete' }))
    assert.deepEqual((await people(other)).flat(), [1, 2, 4, 6])
  })
}
