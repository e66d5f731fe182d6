import type { Value } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { having, openDatabase, rowsOf, type TestDatabase } from './database.js'

/** What is stored, as the server takes it, and how it is to be read. */
const values: readonly (readonly [type: string, stored: string, read: Value])[] = [
  ['smallint', '-7', -7],
  ['integer', '2147483647', 2147483647],
  ['bigint', '5', '5'],
  ['bigint', '9223372036854775807', '9223372036854775807'],
  ['numeric', '0.10', '0.10'],
  ['numeric', 'NaN', 'NaN'],
  ['numeric', '-Infinity', '-Infinity'],
  ['real', 'NaN', 'NaN'],
  ['real', '0.1', 0.1],
  ['double precision', '0.30000000000000004', 0.30000000000000004],
  ['double precision', '-Infinity', '-Infinity'],
  ['money', '1234.5', '1234.50'],
  ['boolean', 'f', false],
  ['text', '', ''],
  ['char(6)', 'ab c', 'ab c'],
  ['varchar(6)', 'ab ', 'ab '],
  ['uuid', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  ['date', '2024-02-29', '2024-02-29'],
  ['date', 'infinity', 'infinity'],
  ['date', '5874897-12-31', '5874897-12-31'],
  ['date', '4714-11-24 BC', '4714-11-24 BC'],
  ['date', '0044-03-15 BC', '0044-03-15 BC'],
  ['timestamp', '2024-01-31 12:00:00.5', '2024-01-31T12:00:00.5'],
  ['timestamp', '-infinity', '-infinity'],
  ['timestamp', '294276-12-31 23:59:59.999999', '294276-12-31T23:59:59.999999'],
  ['timestamptz', '2024-01-31 12:00:00.123456+05:30', '2024-01-31T06:30:00.123456Z'],
  ['timestamptz', '0044-03-15 12:00:00+00 BC', '0044-03-15T12:00:00Z BC'],
  ['timestamptz', 'infinity', 'infinity'],
  ['timestamptz', '294276-12-31 23:59:59.999999+00', '294276-12-31T23:59:59.999999Z'],
  ['timestamptz', '4714-11-24 00:00:00+00 BC', '4714-11-24T00:00:00Z BC'],
  ['time', '12:30', '12:30:00'],
  ['interval', '1 year 2 days 3 hours', 'P1Y2DT3H'],
  ['bytea', '\\x00ff10', 'AP8Q'],
  ['inet', '10.0.0.1', '10.0.0.1'],
  ['int4range', '[1,5)', '[1,5)'],
  ['json', '{"a": 1.5, "b": [null, "x"]}', { a: 1.5, b: [null, 'x'] }],
  [
    'jsonb',
    '{"id": 9007199254740993, "pi": 3.14159265358979323846}',
    { id: '9007199254740993', pi: '3.14159265358979323846' },
  ],
  ['jsonb', '{"text": "9007199254740993", "e": 1e400}', { text: '9007199254740993', e: `1${'0'.repeat(400)}` }],
  ['jsonb', '"scalar"', 'scalar'],
  ['jsonb', 'null', null],
  ['integer[]', '{1,NULL,3}', [1, null, 3]],
  ['integer[]', '[2:3]={7,8}', [7, 8]],
  ['bigint[]', '{9223372036854775807}', ['9223372036854775807']],
  [
    'integer[]',
    '{{1,2},{3,4}}',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['integer[]', '{}', []],
  [
    'text[]',
    '{plain,"with, comma","quo\\"te","back\\\\slash","NULL",""}',
    ['plain', 'with, comma', 'quo"te', 'back\\slash', 'NULL', ''],
  ],
  ['boolean[]', '{t,f}', [true, false]],
  ['double precision[]', '{0.5,NaN}', [0.5, 'NaN']],
  ['timestamptz[]', '{"2024-01-31 12:00:00+00"}', ['2024-01-31T12:00:00Z']],
  ['uuid[]', '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}', ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']],
  ['jsonb[]', '{"{\\"a\\": [1]}"}', [{ a: [1] }]],
  ['money[]', '{1.5}', ['1.50']],
  ['bytea[]', '{"\\\\x00ff"}', ['AP8=']],
  ['mood', 'sad', 'sad'],
  ['mood[]', '{sad,fine}', ['sad', 'fine']],
  ['label', 'text', 'text'],
  ['labels', '{a,b}', ['a', 'b']],
]

const name = (index: number) => `c${index}`

/** In which form values are read, and that each, once read, finds its row again. */
export function valuesSuite(url: () => string): void {
  describe('values', () => {
    let database: TestDatabase
    beforeAll(async () => {
      const columns = values.map(([type], index) => `${name(index)} ${type}`)
      database = await openDatabase(
        url(),
        `create type mood as enum ('fine', 'sad'); create domain label as text; create domain labels as text[];
         create table sample (id integer primary key, ${columns.join(', ')})`,
      )
      // a session with other habits than ours, to see that ours are set
      await database.client.query(`alter role current_user set timezone to 'Asia/Kolkata'`)
      const places = values.map((_, index) => `$${index + 1}`)
      await database.client.query(
        `insert into sample values (1, ${places.join(', ')})`,
        values.map(([, stored]) => stored),
      )
      await database.client.query('insert into sample (id) values (2)')
    })
    afterAll(async () => {
      await database?.client.query('alter role current_user reset timezone')
      await database?.close()
    })

    it.each(values.map(([type, stored, read], index) => ({ type, stored, read, index })))(
      '$type $stored',
      async ({ index, read }) => {
        const columns = ['id', name(index)]
        const rows = await rowsOf(database.connection, 'sample', columns, having('id', 1, 2))
        expect(rows).toEqual([
          [1, read],
          [2, null],
        ])
      },
    )

    const findable = values.flatMap(([type, stored, read], index) => {
      const keys = (Array.isArray(read) ? read.flat() : [read]).filter((key) => key !== null && typeof key !== 'object')
      return keys.length === 0 ? [] : [{ type, stored, keys, index }]
    })
    it.each(findable)('$type $stored is found again by what was read', async ({ index, keys }) => {
      for (const key of keys) {
        const rows = await rowsOf(database.connection, 'sample', ['id'], having(name(index), key))
        expect(rows, String(key)).toEqual([[1]])
      }
    })

    it('reads equal rows as often as they exist, also without a column', async () => {
      expect(await rowsOf(database.connection, 'sample', [], having('id', 1, 2))).toHaveLength(2)
    })
  })
}
