import type { Erase, KeyGroup, Value } from '@habeas/core'
import { compileErase, compilePointers } from '@habeas/sql'
import { describe, expect, it } from 'vitest'
import { postgresDialect } from '../src/dialect.js'
import { type CatalogueColumn, liveColumn } from '../src/live-column.js'

const column = (name: string, typeName: string, indexed = false, more: Partial<CatalogueColumn> = {}) =>
  liveColumn(
    {
      name,
      type: typeName,
      typeSchema: 'pg_catalog',
      typeName,
      labels: null,
      isArray: false,
      modifier: -1,
      nullable: true,
      generated: false,
      collation: null,
      ...more,
    },
    { indexed },
  )
const columns = [
  column('id', 'int8', true),
  column('part', 'int4'),
  column('name', 'varchar', true),
  column('alias', 'citext', false, { typeSchema: 'ext' }),
  column('data', 'jsonb'),
  column('batches', 'json'),
  column('tags', 'text', false, { isArray: true }),
]
const table = {
  path: ['shop', 'people'],
  columns: new Map(columns.map((column) => [column.name, column])),
  rowKeys: [['id']],
}
const holding = (column: string, ...values: Value[]): KeyGroup => ({ fields: [{ path: [column] }], values: [values] })
const text = (change: Partial<Erase>) => {
  const erase = {
    collection: 'people',
    key: ['id'],
    keys: [[1, 2]],
    anyOf: [holding('part', 7)],
    set: 'delete' as const,
  }
  const { holders, statements } = compileErase({ ...erase, ...change }, table, postgresDialect)
  return [...(holders ? [holders] : []), ...statements].map(({ sql }) => sql)
}

/** Texts that plans depend on: lists stay parameters, and nothing makes the server read a whole table. */
describe('the statements of a batch', () => {
  it('deletes by one list', () => {
    expect(text({})).toEqual(['delete from "shop"."people" where "id" = any($1::int4[]) and "part" = any($2::int4[])'])
  })

  it('sets constants by one list', () => {
    expect(
      text({
        set: [
          { column: 'name', to: 'x' },
          { column: 'part', to: null },
          { column: 'tags', to: [] },
        ],
      }),
    ).toEqual([
      'update "shop"."people" set "name" = case when "name" is null then null else $1::varchar end, "part" = null, ' +
        '"tags" = case when "tags" is null then null else $2::text[] end ' +
        'where "id" = any($3::int4[]) and "part" = any($4::int4[])',
    ])
  })

  it('joins values to rows, finds the rows by the list nevertheless, and checks what they hold after the join', () => {
    expect(text({ set: [{ column: 'name', toEach: ['x', 'y'] }] })).toEqual([
      'update "shop"."people" set "name" = case when "name" is null then null else "batch__1" end ' +
        'from unnest($1::int4[], $2::varchar[]) as "batch_"("batch__0", "batch__1") ' +
        'where "id" = "batch__0" and "id" = any($1::int4[]) and case when "batch__0" is not null then "part" = any($3::int4[]) end',
    ])
  })

  it('compares loose columns twice, by index and exactly', () => {
    expect(text({ key: ['id', 'alias'], keys: [[1], ['x']] })).toEqual([
      'delete from "shop"."people" using unnest($1::int4[], $2::"ext"."citext"[], $3::text[]) as "batch_"("batch__0", "batch__1", "batch__2") ' +
        'where "id" = "batch__0" and ("alias" = "batch__1" and "alias"::text collate "C" = "batch__2") ' +
        'and case when "batch__0" is not null then "part" = any($4::int4[]) end',
    ])
  })

  it('locks rows in the order of their keys before it counts the rows that refer to them', () => {
    const lock = (change: Partial<Erase>) => {
      const count = { collection: 'people', group: holding('part', 7) }
      const erase = {
        ...{ collection: 'people', key: ['id'], keys: [[1, 2]], anyOf: [] },
        set: 'delete' as const,
        ...change,
      }
      return compilePointers({ ...erase, pointers: [{ count, most: [1] }] }, table, () => ({ table }), postgresDialect)
        ?.lock?.sql
    }
    expect(lock({})).toBe(
      'select count(*) from (select 1 from "shop"."people" where "id" = any($1::int4[]) order by "id" for update of "people") as "batch__of_locked"',
    )
    expect(lock({ key: ['name', 'data'], keys: [['x'], [{ a: 1 }]], rows: 1 })).toMatch(
      / order by row\("name"\)::text, jsonb_build_array\("data"\) for update of "people"\) as "batch__of_locked"$/,
    )
  })

  it('compares rows without a key as records, by an index where one of their columns has it', () => {
    const same =
      '(row("name", "part")::text, jsonb_build_array("data")) = ' +
      '(row("batch__0", "batch__1")::text, jsonb_build_array("batch__2")) and "name" = any($4::text[])'
    const source = 'unnest($1::varchar[], $2::int4[], $3::jsonb[]) as "batch_"("batch__0", "batch__1", "batch__2")'
    expect(text({ key: ['name', 'part', 'data'], keys: [['x'], [null], [{ a: 1 }]], rows: 1 })).toEqual([
      `select count(*) from "shop"."people", ${source} where ${same}`,
      `delete from "shop"."people" using ${source} where ${same} and "part" = any($5::int4[])`,
    ])
  })

  it('writes members one by one, each where it is unchanged', () => {
    const set = [{ column: 'data', toEach: [{ a: { b: 'y' }, c: 2 }], was: [{ a: { b: 'x' }, c: 1 }] }]
    const [statement] = text({ keys: [[1]], set })
    expect(statement).toContain(
      `"data" = case when ("data" #> $1::text[]) = "batch__1" or ("data" #> $2::text[]) = "batch__3" ` +
        `then jsonb_set(jsonb_set("data"::jsonb, case when ("data" #> $1::text[]) = "batch__1" then $3::text[] else '{}' end, "batch__2", false), `,
    )
  })
})
