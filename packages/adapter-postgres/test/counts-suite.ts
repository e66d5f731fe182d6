import type { CountRows, KeyGroup } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { having, openDatabase, type TestDatabase } from './database.js'

const setUp = `
create extension if not exists citext with schema public;
create type mark as enum ('', 'fine', 'N/A');
create collation if not exists forgiving (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create table held (
  id integer primary key, code char(5), alias public.citext, title text collate forgiving, mark mark, host inet, photo bytea,
  amount numeric, price money, ratio real, exact double precision, flag boolean, handle uuid, born date, seen timestamptz,
  tags text[], grid integer[], aliases public.citext[], profile jsonb, plain json, documents jsonb[], called name,
  element text
);
insert into held values
  (1, 'ab', 'Jane', 'Dr', 'fine', '10.0.0.1', 'x', 1, 1, 1, 1, true, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '2024-02-29',
    '2024-02-29 12:00+00', '{x}', '{{1,2}}', '{a}', '{"a": "x"}', '{"a": "x"}', '{"{}"}', 'n', 'e'),
  (2, '', '', '', '', null, '', 0.00, 0, 0, 0, false, '00000000-0000-0000-0000-000000000000', '1970-01-01',
    '1970-01-01 00:00+00', '{}', '{}', '{""}', '{"a": 0.0}', '{"a": " "}', '{}', ' ', ''),
  (3, 'N/A', 'N/A', 'N/A', 'N/A', '0.0.0.0', '\\x00', 12, 12, 12, 12, null, null, 'infinity', '-infinity',
    '{" ",NULL,N/A}', '{{0,0}}', '{N/A,n/a}', '{"a": [[0], "0.00", null]}', '{"a": {"b": 1}}', '{"[]","null"}', '-0.0', '0.0');
insert into held (id) values (4);
create table look_alike (called name, element text, alias public.citext);
insert into look_alike values ('mark', ' mark', 'mark'), (E'mar\\u212a', E'mar\\u212a ', E'mar\\u212a');
create table many (id integer primary key, a integer not null, b text not null);
insert into many select i, i, 'b' || i from generate_series(1, 50000) i;`

const all = having('id', 1, 2, 3, 4)

/** What counts know of every type. */
export function countsSuite(url: () => string): void {
  describe('counts', () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await openDatabase(url(), setUp)
    })
    afterAll(() => database?.close())

    const empties = async (path: string, placeholders: (string | number | boolean)[]) => {
      const empty = [{ path: path.split('.'), placeholders }]
      const counts = [1, 2, 3, 4].map((id): CountRows => ({ collection: 'held', anyOf: [having('id', id)], empty }))
      return (await database.connection.count(counts)).flatMap((count, at) => (count === 1 ? [at + 1] : []))
    }

    it.each<[string, (string | number | boolean)[], number[]]>([
      ['code', [], [2, 4]],
      ['code', ['N/A'], [2, 3, 4]],
      ['alias', ['n/a', 'jane'], [2, 4]],
      ['alias', ['N/A'], [2, 3, 4]],
      ['title', ['n/a', 'dr'], [2, 4]],
      ['title', ['Dr'], [1, 2, 4]],
      ['mark', ['N/A', 'neither'], [2, 3, 4]],
      ['host', ['0.0.0.0'], [2, 3, 4]],
      ['photo', [], [2, 4]],
      ['photo', ['AA=='], [2, 3, 4]],
      ['amount', ['N/A', true], [4]],
      ['amount', [0], [2, 4]],
      ['amount', ['12.0'], [3, 4]],
      ['price', [0], [2, 4]],
      ['ratio', [12], [3, 4]],
      ['exact', [0, '12'], [2, 3, 4]],
      ['flag', [], [3, 4]],
      ['flag', [false], [2, 3, 4]],
      ['flag', ['true', 0], [1, 3, 4]],
      ['handle', ['00000000-0000-0000-0000-000000000000', 'none'], [2, 3, 4]],
      ['born', ['1970-01-01'], [2, 4]],
      ['seen', ['1970-01-01T01:00:00+01:00'], [2, 4]],
      ['tags', [], [2, 4]],
      ['tags', ['N/A'], [2, 3, 4]],
      ['grid', [0], [2, 3, 4]],
      ['grid', [1], [2, 4]],
      ['aliases', ['N/A'], [2, 4]],
      ['aliases', ['N/A', 'n/a'], [2, 3, 4]],
      ['profile', [], [4]],
      ['profile.a', [], [4]],
      ['profile.a', [0], [2, 3, 4]],
      ['profile.a', ['0'], [4]],
      ['profile.a', ['x'], [1, 4]],
      ['profile.a.b', [], [1, 2, 3, 4]],
      ['plain.a', [], [2, 4]],
      ['plain.a.b', ['1'], [1, 2, 3, 4]],
      ['documents', ['{}'], [2, 3, 4]],
      ['called', [0], [2, 3, 4]],
      ['element', [0], [2, 3, 4]],
      ['element', ['0', "' or true --", '\0', '\ud800'], [2, 4]],
      ['alias.deeper', [], [1, 2, 3, 4]],
    ])('%s holds nothing but %j', async (path, placeholders, expected) => {
      expect(await empties(path, placeholders)).toEqual(expected)
    })

    it('take texts for blank that trimming empties, and no others', async () => {
      const { client, connection } = database
      await client.query('create table blank (code integer primary key, held text)')
      // a character alone; NUL and halves of characters are none the server stores
      await client.query(
        `insert into blank select i, chr(i) from generate_series(1, 65535) i where i not between 55296 and 57343`,
      )
      const codes = Array.from({ length: 65_535 }, (_, index) => index + 1)
      const blank = codes.filter((code) => String.fromCharCode(code).trim() === '')
      const found = [
        { collection: 'blank', anyOf: [having('code', ...codes)], empty: [{ path: ['held'] }] },
        { collection: 'blank', anyOf: [having('code', ...blank)], empty: [{ path: ['held'] }] },
      ]
      expect(await connection.count(found)).toEqual([blank.length, blank.length])
    })

    it('leave rows out exactly by documents, lists and lower-cased texts', async () => {
      const count = async (...noneOf: KeyGroup[]) =>
        (await database.connection.count([{ collection: 'held', anyOf: [all], noneOf }]))[0]
      expect(await count(having('alias', 'jane'))).toBe(4)
      expect(await count({ fields: [{ path: ['alias'], caseInsensitive: true }], values: [['JANE', 'n/A']] })).toBe(2)
      const looking = (path: string, text: string) => ({
        fields: [{ path: [path], caseInsensitive: true, trimmed: path === 'element' }],
        values: [[text]],
      })
      for (const path of ['called', 'element', 'alias']) {
        const counted = await database.connection.count([{ collection: 'look_alike', anyOf: [looking(path, 'MARK')] }])
        expect([path, counted]).toEqual([path, [1]])
      }
      expect(await count(having(['profile', 'a'], 'x', 0))).toBe(1)
      const pairs: KeyGroup = {
        fields: [{ path: ['tags'] }, { path: ['profile', 'a'] }],
        values: [
          ['x', 'N/A'],
          [0, 'x'],
        ],
      }
      expect(await count(pairs)).toBe(4)
      const whole: KeyGroup = {
        fields: [{ path: ['tags'] }, { path: ['flag'] }],
        values: [[null], [null]],
        exact: true,
      }
      expect(await count(whole)).toBe(3)
    })

    it('compare more tuples than the server hashes at once', async () => {
      const ids = Array.from({ length: 50_000 }, (_, index) => index + 1)
      const tuples: KeyGroup = {
        fields: [{ path: ['a'] }, { path: ['b'] }],
        values: [ids, ids.map((id) => `b${id % 2 === 0 ? id : id - 1}`)],
      }
      const each = { collection: 'many', anyOf: [tuples] }
      const rest = { collection: 'many', anyOf: [having('id', ...ids)], noneOf: [tuples] }
      expect(await database.connection.count([each, rest])).toEqual([25_000, 25_000])
    })

    it('may be more than a statement has columns', async () => {
      const counts = Array.from({ length: 2_000 }, (_, index) => ({
        collection: 'many',
        anyOf: index % 2 === 0 ? [having('id', index, index + 1, index + 2)] : [],
      }))
      const found = await database.connection.count(counts)
      expect(found).toEqual(counts.map((_, index) => (index % 2 === 1 ? 0 : index === 0 ? 2 : 3)))
    })
  })
}
