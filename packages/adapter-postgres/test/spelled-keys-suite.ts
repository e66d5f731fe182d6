import type { Connection, KeyGroup, Row, SpelledKey } from '@habeas/core'
import { compileRead } from '@habeas/sql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalogueRow, liveTable } from '../src/catalogue.js'
import { postgresQueries } from '../src/catalogue-query.js'
import { postgresDialect } from '../src/dialect.js'
import type { KeyArray } from '../src/key-array.js'
import { openDatabase, type TestDatabase } from './database.js'
import { caseless, looseTypes } from './loose-types.js'

/** Foreign keys over which the server takes what is written differently for equal: key, pointer, another key. */
const pairs = [
  ...looseTypes,
  ['text', 'char(5)', 'Ab', 'Ab', 'ac'],
  ['jsonb', 'jsonb', '{"a": [1, "x"]}', '{"a": [1.00, "x"]}', '{"a": ["1", "x"]}'],
  ['jsonb', 'jsonb', '9007199254740993.0', '9007199254740993', '"9007199254740993"'],
  ['int[]', 'int[]', '{1,NULL}', '{1,NULL}', '{1,2}'],
  ['float8', 'bigint', '9007199254740992', '9007199254740993', '9007199254740994'],
  ['float8', 'real', '0.10000000149011612', '0.1', '0.1'],
  ['timestamptz', 'timestamp', '2024-02-29 12:00+00', '2024-02-29 12:00', '2024-02-29 13:00+00'],
] as const

const fields = (columns: readonly string[]) => columns.map((column) => ({ path: [column] }))
const referencing = (as: SpelledKey['as'], columns: readonly string[], ...keys: Row[]): KeyGroup => ({
  fields: fields(columns),
  values: columns.map((_, part) => keys.map((key) => key[part] as string)),
  spelledAs: as,
})

async function all(connection: Connection, read: Parameters<Connection['read']>[0]): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of connection.read(read)) rows.push(...batch)
  return rows
}

/** Keys that are told, and met, as the server compares them over a foreign key. */
export function spelledKeysSuite(url: () => string): void {
  describe('keys of foreign keys that compare loosely', () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await openDatabase(url(), caseless)
      await database.client.query("set timezone to 'UTC'")
    })
    afterAll(() => database?.close())

    it.each(pairs)('%s that a %s refers to', async (type, pointer, key, other, another) => {
      const { client, connection } = database
      await client.query(
        `drop table if exists child, parent;
         create table parent (id int, key ${type} primary key);
         create table child (id int primary key, key ${pointer} references parent, remark text);
         insert into parent values (1, '${key}'), (2, '${another}');
         insert into child values (1, '${other}', 'x'), (2, null, 'x')`,
      )
      if (type !== 'float8') await client.query(`insert into child values (3, '${another}', 'x')`)
      const { collections } = await connection.describe()
      expect(collections.find(({ name }) => name === 'child')?.foreignKeys).toMatchObject([{ loose: true }])
      const as = { collection: 'parent', columns: ['key'] }
      const spelled = [{ columns: ['key'], as }]
      const id = { fields: fields(['id']), values: [[1]] }
      const [[told] = []] = await all(connection, { collection: 'parent', columns: [], anyOf: [id], spelled })
      const points = referencing(as, ['key'], [told])
      const asked = { collection: 'child', columns: ['id'], spelled, anyOf: [points] }
      expect(await all(connection, asked)).toEqual([[1, told]])
      const whole = { ...asked, anyOf: [{ fields: fields(['id']), values: [[1, 2]] }] }
      expect(await all(connection, whole)).toEqual([
        [1, told],
        [2, null],
      ])
      expect(await all(connection, { collection: 'parent', columns: ['id'], anyOf: [points] })).toEqual([[1]])
      expect(await connection.countEach!({ collection: 'child', group: points })).toEqual([1])
      const others = { collection: 'child', anyOf: whole.anyOf, noneOf: [points] }
      expect(await connection.count([{ collection: 'child', anyOf: [points] }, others])).toEqual([1, 1])
      await connection.erase!({
        ...{ collection: 'child', key: ['id'], keys: [[1, 2, 3]], anyOf: [points] },
        set: [{ column: 'remark', to: 'erased' }],
      })
      const { rows } = await client.query("select id from child where remark = 'erased'")
      expect(rows).toEqual([{ id: 1 }])
    })

    it.each([
      ['numeric', 'int'],
      ['numeric(9, 2)', 'numeric'],
      ['bigint', 'smallint'],
      ['text', 'varchar(9)'],
      ['text', 'public.citext'],
      ['char(5)', 'char(9)'],
      ['uuid', 'uuid'],
      ['date', 'date'],
      ['timestamptz', 'timestamptz'],
      ['float8', 'float8'],
      ['bytea', 'bytea'],
    ])('are none from a %s to a %s', async (type, pointer) => {
      await database.client.query(
        `drop table if exists child, parent; create table parent (key ${type} primary key);
         create table child (key ${pointer} references parent)`,
      )
      const { collections } = await database.connection.describe()
      const [found] = collections.find(({ name }) => name === 'child')?.foreignKeys ?? []
      expect(found?.columns).toEqual(['key'])
      expect(found).not.toHaveProperty('loose')
    })

    it('of several parts are compared together, also to the table itself and where others inherit from it', async () => {
      const { client, connection } = database
      await client.query(
        `drop table if exists child, parent, staff;
         create table staff (site int, key public.citext, boss_site int, boss public.citext, primary key (site, key),
           foreign key (boss_site, boss) references staff);
         create table former () inherits (staff);
         insert into staff values (1, 'Ab', null, null), (2, 'ab', 1, 'aB'), (1, 'cd', 2, 'AB'), (3, 'ef', 3, 'EF');
         insert into former values (1, 'AB', null, null)`,
      )
      const as = { collection: 'staff', columns: ['site', 'key'] }
      const asked = { collection: 'staff', columns: ['site', 'key'], spelled: [{ columns: ['boss_site', 'boss'], as }] }
      const points = referencing(as, ['boss_site', 'boss'], ['1', 'Ab'], ['2', 'x'], ['3', 'ef'])
      expect(await all(connection, { ...asked, anyOf: [points] })).toEqual([
        [2, 'ab', '1', 'Ab'],
        [3, 'ef', '3', 'ef'],
      ])
      expect(await connection.countEach!({ collection: 'staff', group: points })).toEqual([1, 0, 1])
      await connection.erase!({
        ...{ collection: 'staff', key: ['site', 'key'], anyOf: [points] },
        ...{
          keys: [
            [2, 1, 3],
            ['ab', 'cd', 'ef'],
          ],
          set: [{ column: 'boss', to: null }],
        },
      })
      const { rows } = await client.query('select key from only staff where boss is null order by site')
      expect(rows.map(({ key }) => key)).toEqual(['Ab', 'ab', 'ef'])
    })

    it('are found by an index', async () => {
      const { client } = database
      await client.query(
        `drop table if exists child, parent; create table parent (key public.citext primary key);
         create table child (id int primary key, key public.citext references parent); create index on child (key);
         insert into parent select 'Key ' || n from generate_series(1, 20000) n;
         insert into child select n, 'kEY ' || n from generate_series(1, 20000) n; analyze parent, child`,
      )
      const catalogue = await client.query({
        text: postgresQueries.schema,
        values: [database.schema],
        rowMode: 'array',
      })
      const tables = catalogue.rows.map((row) => liveTable(database.schema, catalogueRow(row as Row)))
      const [parent, child] = ['parent', 'child'].map((name) => tables.find(({ path }) => path[1] === name))
      const pointedTo = new Map([['parent', parent!]])
      const as = { collection: 'parent', columns: ['key'] }
      const keys = Array.from({ length: 50 }, (_, at) => [`Key ${at + 1}`])
      const read = { collection: 'child', columns: ['id'], spelled: [{ columns: ['key'], as }] }
      const statement = compileRead(
        { ...read, anyOf: [referencing(as, ['key'], ...keys)] },
        { ...child!, pointedTo },
        postgresDialect,
      )
      const values = statement!.parameters.map((list) => (list as KeyArray).encoded)
      const { rows } = await client.query(`explain (analyze, costs off, timing off) ${statement!.sql}`, values)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan).toContain('actual rows=50')
      expect(plan).not.toMatch(/Seq Scan/)
      expect(plan.match(/Index/g)?.length).toBeGreaterThan(1)
    })
  })
}
