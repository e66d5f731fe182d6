import { inspect } from 'node:util'
import type { KeyGroup, Value } from '@habeas/core'
import { expect, it } from 'vitest'
import { having } from './database.js'
import { describePeople } from './erased-people.js'

/** What erasing does to types that only this server has. */
export function erasingTypesSuite(url: () => string): void {
  describePeople('erasing, type by type', url, (people) => {
    it.each<[string, Value[], number[]]>([
      ['alias', ['jane'], [2]],
      ['title', ['René', 'RENE'], [2]],
      ['code', ['ab'], [1]],
      ['code', ['AB', 'ab '], [1, 3]],
      ['mood', ['sad', 'neither'], [2]],
      ['host', ['10.0.0.1'], [1]],
      ['price', ['12.5', '-0.01'], [1, 3]],
      ['ratio', [0.1, 'NaN'], [1, 3]],
      ['amount', ['NaN', 'Infinity', '0.1'], [1, 2, 3]],
      ['born', ['infinity', '2024-02-29'], [1, 3]],
      ['seen', ['0044-03-15T12:00:00 BC', 'infinity'], [1, 2]],
      ['photo', ['AP8='], [1]],
      ['flag', ['101'], [1]],
      ['tags', [[], ['x', null, 'y,z']], [1, 2, 3]],
      ['aliases', [['a', 'b']], [2]],
      ['codes', [['a', 'bc']], [1]],
      ['moods', [['fine', 'sad']], [1]],
      [
        'grid',
        [
          [
            [1, 2],
            [3, 4],
          ],
        ],
        [1],
      ],
      ['documents', [[{ k: 'v' }]], [1]],
      ['profile', [{ a: { b: [1] } }, 'scalar'], [2, 3]],
      ['text_profile', [[1, 2]], [2]],
    ])('a key that lies in %s names the rows that hold exactly it, case %#', async (key, keys, expected) => {
      const distinct = expected.length === keys.length || keys.length > expected.length
      await people.run({ key: [key], keys: [keys], ...(distinct ? {} : { rows: expected.length }) })
      expect(await people.touched()).toEqual(expected)
    })

    it('a whole row names itself, with every type in full precision and null', async () => {
      const { collections } = await people.database.connection.describe()
      const columns = collections.find(({ name }) => name === 'person')!.columns.map(({ name }) => name)
      const rows: (readonly (Value | undefined)[])[] = []
      const read = { collection: 'person', columns, anyOf: [having('owner', 1)] }
      for await (const found of people.database.connection.read(read)) rows.push(...found)
      // numbers beyond a double come as text, and members that are repeated together: no document holds them as such
      const known = columns.filter((name) => name !== 'profile' && name !== 'text_profile')
      const keys = known.map((name) => rows.map((row) => row[columns.indexOf(name)]!))
      await people.run({ key: known, keys, rows: 3 })
      expect(await people.touched()).toEqual([1, 2, 3])
    })

    it('keys of several columns are compared exactly, each in its type', async () => {
      await people.run({
        key: ['alias', 'owner'],
        keys: [
          ['JANE', 'jane', 'jané'],
          [1, 1, 2],
        ],
      })
      expect(await people.touched()).toEqual([2])
      await people.run({
        key: ['title', 'mood', 'id'],
        keys: [
          ['Rene', 'RENE', 'Réné'],
          ['fine', 'fine', 'fine'],
          [1, 1, 3],
        ],
      })
      expect(await people.touched()).toEqual([1, 2, 3])
    })

    it.each<[string, Value, string]>([
      ['alias', 'X', 'X'],
      ['title', "o'x", "o'x"],
      ['code', 'y', 'y     '],
      ['mood', 'sad', 'sad'],
      ['host', '::2/64', '::2/64'],
      ['price', '1.25', '$1.25'],
      ['ratio', 0.5, '0.5'],
      ['amount', '1.50', '1.50'],
      ['amount', 'NaN', 'NaN'],
      ['born', 'infinity', 'infinity'],
      ['seen', '0044-03-15T12:00:00Z BC', '0044-03-15 12:00:00+00 BC'],
      ['noted', '1970-01-01T00:00:00', '1970-01-01 00:00:00'],
      ['span', 'P1DT3H', '1 day 03:00:00'],
      ['shorter', 'masked', 'masked'],
      ['tags', ['a', null, 'NULL', 'b"c\\,{}'], '{a,NULL,"NULL","b\\"c\\\\,{}"}'],
      ['aliases', [], '{}'],
      ['codes', ['z'], '{"z  "}'],
      ['moods', ['sad'], '{sad}'],
      ['grid', [[1], [2]], '{{1},{2}}'],
      ['documents', [{ a: [1] }, ['x'], 'y'], '{"{\\"a\\": [1]}","[\\"x\\"]","\\"y\\""}'],
      ['profile', { a: 'b', n: 12345678901234567890n }, '{"a": "b", "n": 12345678901234567890}'],
      ['text_profile', { a: "o'b" }, `{"a":"o'b"}`],
      ['photo', 'AQI=', '\\x0102'],
      ['flag', '111', '111'],
    ])('%s becomes what it should, for all rows and row by row, case %#', async (name, to, expected) => {
      const held = await people.values(`${name} is null`)
      await people.database.client.query(`set timezone = 'UTC'`)
      for (const assignment of [
        { column: name, to },
        { column: name, toEach: [to, to, to] },
      ]) {
        await people.run({ set: [assignment] })
        const written = await people.values(`format('%s', ${name}), ${name} is null`)
        expect(written).toEqual(held.flatMap((isNull) => [isNull ? '' : expected, isNull]))
      }
    })

    it.each<[string, Value]>([
      ['mood', 'unheard'],
      ['shorter', 'forbidden'],
      ['shorter', 'interminably lengthy'],
      ['tags', 'unlisted'],
      ['grid', ['uncounted']],
      ['price', 'unpayable'],
      ['host', 'unreachable'],
      ['label', 'embedded \0 zero'],
      ['profile', { member: 'embedded \0 zero' }],
      ['label', { member: 'embedded' }],
    ])('%s refuses what does not fit it, without repeating it, case %#', async (name, to) => {
      const before = await people.values(`${name}::text`)
      for (const assignment of [
        { column: name, to },
        { column: name, toEach: [to, to, to] },
      ]) {
        const failure = await people.run({ set: [assignment] }).catch((error) => error)
        expect(failure).toMatchObject({ code: 'connection_failed', details: { reason: 'refused' } })
        const shown = `${JSON.stringify(failure)} ${failure.message} ${inspect(failure.cause, { showHidden: true })}`
        for (const word of JSON.stringify(to).match(/[a-z]{3,}/g)!) expect(shown).not.toContain(word)
      }
      expect(await people.values(`${name}::text`)).toEqual(before)
    })

    it('members are written beside numbers that no double holds, which stay as they are', async () => {
      const read = { big: '9007199254740993', list: ['9007199254740993', 'x', 1.5], name: 'Jane' }
      const rewriting = (to: Value) =>
        people.run({ keys: [[1]], set: [{ column: 'profile', toEach: [to], was: [read] }] })
      await rewriting({ ...read, name: 'm', list: ['9007199254740993', 'y', 1.5] })
      expect((await people.values('profile::text'))[0]).toBe(
        '{"big": 9007199254740993, "list": [9007199254740993, "y", 1.50], "name": "m"}',
      )
      await rewriting({ ...read, big: null, list: read.list })
      expect((await people.values('profile::text'))[0]).toBe(
        '{"big": null, "list": [9007199254740993, "y", 1.50], "name": "m"}',
      )
    })

    it('members are written whatever a document has become meanwhile', async () => {
      const was = { a: { b: [1] }, 'x"y': "o'z", '0': 'zero' }
      const to = { a: { b: [2] }, 'x"y': 'm', '0': 'm' }
      const documents = [
        '{"a": {"b": [1]}, "x\\"y": "o\'z", "0": "zero"}',
        '[{"a": 1}]',
        '{"a": [["b", 1]], "0": {"x": 1}}',
      ]
      for (const [index, document] of documents.entries()) {
        await people.database.client.query(
          'update person set profile = $1::text::jsonb, text_profile = $1::text::json where id = $2',
          [document, index + 1],
        )
      }
      const each = { toEach: [to, to, to], was: [was, was, was] }
      await people.run({
        set: [
          { column: 'profile', ...each },
          { column: 'text_profile', ...each },
        ],
      })
      const written = { a: { b: [2] }, 'x"y': 'm', '0': 'm' }
      expect(await people.values('profile')).toEqual([written, [{ a: 1 }], { a: [['b', 1]], '0': { x: 1 } }])
      expect(await people.values('text_profile')).toEqual([written, [{ a: 1 }], { a: [['b', 1]], '0': { x: 1 } }])
      expect((await people.values('text_profile::text')).slice(1)).toEqual(documents.slice(1))
    })

    it('members are removed where they have to be', async () => {
      const was = [{ name: 'Jane', big: 1 }, 'scalar', { a: { b: [1] } }]
      await people.run({ set: [{ column: 'profile', toEach: [{ big: 1 }, 'masked', { a: {} }], was }] })
      expect(await people.values('profile')).toEqual([
        { big: expect.anything(), list: expect.anything() },
        'masked',
        { a: {} },
      ])
    })

    it('a list of a column is replaced while it is unchanged', async () => {
      const was = [['x', null, 'y,z'], ['x'], []]
      await people.run({ set: [{ column: 'tags', toEach: [['m', null, 'y,z'], ['m'], ['m']], was }] })
      expect(await people.values('tags')).toEqual([['m', null, 'y,z'], ['x', null, 'y,z'], ['m']])
      await people.run({
        set: [{ column: 'aliases', toEach: [['m'], ['m'], ['m']], was: [['a', 'b'], ['a', 'b'], []] }],
      })
      expect(await people.values('aliases::text')).toEqual(['{A,b}', '{m}', '{m}'])
      await people.run({ set: [{ column: 'alias', toEach: ['m', 'm', null], was: ['jane', 'jane', 'janés'] }] })
      expect(await people.values('alias::text')).toEqual(['Jane', 'm', 'jané'])
    })

    it('counts each key in elements of lists and documents once for each row', async () => {
      const count = (group: KeyGroup) => people.database.connection.countEach!({ collection: 'person', group })
      await people.database.client.query(
        `update person set profile = '[{"n": 41}, {"n": "41"}, {"n": 41}]' where id = 1`,
      )
      expect(await count(having(['profile', 'n'], '41', 41, 7))).toEqual([1, 1, 0])
      expect(await count(having('tags', 'x', 'y', 'y,z'))).toEqual([2, 0, 2])
      expect(await count(having('aliases', 'a', 'A', 'b'))).toEqual([1, 1, 2])
      expect(await count({ fields: [{ path: ['aliases'], caseInsensitive: true }], values: [['A', 'c']] })).toEqual([
        2, 0,
      ])
      // its collation takes other spellings for equal
      expect(await count(having('title', 'Rene', 'rene'))).toEqual([3, 3])
      expect(await count(having('host', '10.0.0.1', '::1'))).toEqual([1, 1])
      expect(await count(having('amount', '0.1', 'x'))).toEqual([1, 0])
    })
  })
}
