import type { KeyGroup, Value } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { having, openDatabase, rowsOf, type TestDatabase } from './database.js'

const setUp = `
create extension if not exists citext with schema public;
create type mood as enum ('fine', 'sad');
create table person (
  id integer primary key, small smallint, big bigint, amount numeric, ratio real, code char(5), alias public.citext, mood mood,
  handle uuid, born date, seen timestamptz, noted timestamp, tags text[], tags_indexed varchar(9)[], numbers bigint[], moods mood[], profile jsonb, text_profile json,
  documents jsonb[], name text,
  moods_indexed mood[] default '{fine}', hosts inet[] default '{10.0.0.1}', prices money[] default '{10.5}',
  names name[] default array[repeat('n', 63)]::name[]
);
create index on person using gin (tags_indexed);
create index on person using gin (moods_indexed);
create index on person using gin (hosts);
create index on person using gin (prices);
create index on person using gin (names);
insert into person values
  (1, 1, 5000000000, 10.50, 0.1, 'ab', 'Jane', 'fine', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '2024-02-29', '2024-01-31 12:00+00', '2024-01-31 12:00',
   '{x,y}', '{x,y}', '{1,5000000000}', '{fine,sad}', '{"emails": [{"address": "jane@x.org", "ids": [[7], [8]]}], "age": 41, "big": 9007199254740993, "yes": true}',
   '{"a": {"b": "c"}}', '{"{\\"k\\": \\"v\\"}"}', '42'),
  (2, 2, 6, 7, 2.5, 'cd', 'jane', 'sad', null, null, null, null, '{}', null, null, null, '{"emails": {"address": ["JANE@x.org"]}, "age": "41"}', null, null, 'jane');
create table part (a integer, b text, c bigint, mood mood, primary key (a, b));
insert into part select i / 10, 'b' || i % 10, i, 'fine' from generate_series(0, 99) i;
create table many (id bigint primary key, code text unique);
insert into many select i, 'code ' || i from generate_series(1, 30000) i;`

const tuple = (paths: readonly string[], ...tuples: Value[][]): KeyGroup => ({
  fields: paths.map((path) => ({ path: [path] })),
  values: paths.map((_, part) => tuples.map((values) => values[part]!)),
})

/** Which rows keys of every type find. */
export function keysSuite(url: () => string): void {
  describe('keys', () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await openDatabase(url(), setUp)
    })
    afterAll(() => database?.close())
    const people = async (...groups: KeyGroup[]) =>
      (await rowsOf(database.connection, 'person', ['id'], ...groups)).map(([id]) => id).sort()

    it.each<[string, Value[], number[]]>([
      ['id', [5_000_000_000, 1], [1]],
      ['id', ['1', 2n, 2.5, 'x', true, null, {}, 1e300, '-99999999999999999999'], [1, 2]],
      ['small', [1, 70_000], [1]],
      ['big', ['5000000000', 6, '9223372036854775808'], [1, 2]],
      ['amount', ['10.5', 7, 'seven', '1e1000'], [1, 2]],
      ['ratio', [0.1, 1e300], [1]],
      ['code', ['ab', 'cd   '], [1, 2]],
      ['alias', ['jane'], [2]],
      ['alias', ['JANE'], []],
      ['mood', ['fine', 'neither'], [1]],
      ['handle', ['A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'no uuid'], [1]],
      ['born', ['2024-02-29', '2023-02-29', '2024-13-01'], [1]],
      ['seen', ['2024-01-31T13:00:00+01:00', '2024-01-31T25:00:00Z', 'yesterday'], [1]],
      ['noted', ['2024-01-31T12:00:00'], [1]],
      ['name', [42, 'jane', 'with \0 nul', '\ud800'], [1, 2]],
      ['tags', ['y', 'z'], [1]],
      ['tags', [7], []],
      ['tags_indexed', ['y', 'far longer than nine'], [1]],
      ['numbers', [5_000_000_000], [1]],
      ['numbers', ['1'], [1]],
      ['moods', ['sad'], [1]],
      ['moods_indexed', ['fine', 'neither'], [1, 2]],
      ['hosts', ['10.0.0.1', 'no address'], [1, 2]],
      ['prices', [10.5, 'NaN'], [1, 2]],
      ['names', ['n'.repeat(63)], [1, 2]],
      ['names', ['n'.repeat(64)], []],
    ])('%s, case %#', async (column, keys, expected) => {
      expect(await people(having(column, ...keys))).toEqual(expected)
      expect(await database.connection.count([{ collection: 'person', anyOf: [having(column, ...keys)] }])).toEqual([
        expected.length,
      ])
    })

    it.each<[string, Value[], number[]]>([
      ['profile.emails.address', ['jane@x.org'], [1]],
      ['profile.emails.ids', [8], [1]],
      ['profile.age', [41], [1]],
      ['profile.age', ['41'], [1, 2]],
      ['profile.big', ['9007199254740993'], [1]],
      ['profile.yes', [true], [1]],
      ['profile.no', [true], []],
      ['profile.emails.address', ['"} || true'], []],
      ['text_profile.a.b', ['c'], [1]],
      ['documents.k', ['v'], [1]],
      ['name.deeper', ['42'], []],
    ])('%s inside a document, case %#', async (path, keys, expected) => {
      expect(await people(having(path.split('.'), ...keys))).toEqual(expected)
    })

    it.each<[string, string, number[]]>([
      ['name', 'JANE', [2]],
      ['alias', 'JANE', [1, 2]],
      ['code', 'AB', [1]],
      ['mood', 'FINE', [1]],
      ['tags', 'Y', [1]],
      ['profile.emails.address', 'Jane@X.org', [1, 2]],
      ['name', 'jane\u001f0\u001f', []],
    ])('%s holding %s, lower-cased on both sides', async (path, key, expected) => {
      const field = { path: path.split('.'), caseInsensitive: true }
      expect(await people({ fields: [field], values: [[key, 'another']] })).toEqual(expected)
    })

    it('a single key that is empty finds empty values', async () => {
      await database.client.query(`insert into person (id, name, tags) values (3, '', '{}'), (4, 'x', '{""}')`)
      const empty = (path: string): KeyGroup => ({ fields: [{ path: [path], caseInsensitive: true }], values: [['']] })
      expect(await people(empty('name'))).toEqual([3])
      expect(await people(empty('tags'))).toEqual([4])
      await database.client.query('delete from person where id > 2')
    })

    it('finds by UUIDs as bytes what it finds by their texts', async () => {
      const texts = ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']
      const uuids = Buffer.from(texts.join('').replaceAll('-', ''), 'hex')
      const packed: KeyGroup = {
        fields: [{ path: ['handle'], kind: 'uuid' }],
        get values(): never {
          throw new Error('the texts were made all the same')
        },
        uuids,
      }
      expect(await people(packed)).toEqual([1])
      // as text they may be what another type holds
      expect(await people({ fields: [{ path: ['name'] }], values: [['jane']], uuids })).toEqual([2])
    })

    it('tuples are met together, whatever their types', async () => {
      const rows = (...groups: KeyGroup[]) => rowsOf(database.connection, 'part', ['c'], ...groups)
      expect(await rows(tuple(['a', 'b'], [1, 'b2'], [2, 'b1'], [11, 'b1']))).toEqual([['12'], ['21']])
      expect(await rows(tuple(['b', 'a', 'c'], ['b2', 1, '12'], ['b2', 2, 12]))).toEqual([['12']])
      expect(await rows(tuple(['a', 'mood'], [9, 'sad'], [3, 'fine'], [4, 'none']))).toHaveLength(10)
      expect(await rows(tuple(['a', 'b'], [1, 'b2'], ['x', 'b3'], [5_000_000_000, 'b4']))).toEqual([['12']])
      const both = [
        { ...having('c', 12, 55), when: [{ path: ['b'], equals: 'b5' }] },
        tuple(['a', 'b'], [0, 'b0'], [9, 'b9']),
      ]
      expect(await rows(...both)).toEqual([['0'], ['55'], ['99']])
    })

    it('takes 20,000 keys in each type, and tuples of as many', async () => {
      const numbers = Array.from({ length: 20_000 }, (_, index) => index + 1)
      const codes = numbers.map((number) => `code ${number}`)
      const count = async (group: KeyGroup) =>
        (await database.connection.count([{ collection: 'many', anyOf: [group] }]))[0]
      const column = (path: string, values: KeyGroup['values'][number]) => ({
        fields: [{ path: [path] }],
        values: [values],
      })
      expect(await count(column('id', Int32Array.from(numbers)))).toBe(20_000)
      expect(await count(column('id', Float64Array.from(numbers)))).toBe(20_000)
      expect(await count(column('id', numbers.map(String)))).toBe(20_000)
      expect(await count(column('code', codes))).toBe(20_000)
      expect(await count({ ...column('code', codes), fields: [{ path: ['code'], caseInsensitive: true }] })).toBe(
        20_000,
      )
      const crossed = codes.map((_, index) => codes[(index + (index % 2)) % codes.length]!)
      expect(await count({ fields: [{ path: ['id'] }, { path: ['code'] }], values: [numbers, crossed] })).toBe(10_000)
    })

    it('asks nothing where no key fits its column', async () => {
      const nowhere = having('id', 'no number')
      expect(await rowsOf(database.connection, 'person', ['id'], nowhere)).toEqual([])
      expect(await database.connection.count([{ collection: 'person', anyOf: [nowhere] }])).toEqual([0])
      expect(await people(nowhere, having('id', 2))).toEqual([2])
      expect(await people({ ...having('id', 2), when: [{ path: ['born'], equals: true }] })).toEqual([])
    })
  })
}
