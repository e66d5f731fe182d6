import type { KeyField, KeyGroup, Read, Value } from '@habeas/core'
import { compileCount, compileRead } from '@habeas/sql'
import { describe, expect, it } from 'vitest'
import { postgresDialect } from '../src/dialect.js'
import { type CatalogueColumn, liveColumn } from '../src/live-column.js'

const column = (name: string, typeName: string, more: Partial<CatalogueColumn> = {}) =>
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
    { inverted: name === 'indexed' },
  )

const columns = [
  column('id', 'int8'),
  column('name', 'text'),
  column('code', 'bpchar'),
  column('price', 'money'),
  column('handle', 'uuid'),
  column('alias', 'citext', { typeSchema: 'ext' }),
  column('title', 'varchar', { collation: 'public.loose' }),
  column('mood', 'mood', { typeSchema: 'we"ird', labels: ['fine'] }),
  column('host', 'inet'),
  column('tags', 'text', { isArray: true }),
  column('indexed', 'varchar', { isArray: true }),
  column('profile', 'jsonb'),
  column('q"; drop table x --', 'text'),
]
const table = { path: ['pub"lic', 'per.son'], columns: new Map(columns.map((column) => [column.name, column])) }

const one = (field: string | KeyField, ...values: Value[]): KeyGroup => ({
  fields: [typeof field === 'string' ? { path: field.split('.') } : field],
  values: [values],
})
const pair = (fields: [string, string], ...tuples: [Value, Value][]): KeyGroup => ({
  fields: fields.map((name) => ({ path: [name] })),
  values: [tuples.map(([first]) => first), tuples.map(([, second]) => second)],
})
const compiled = (...anyOf: KeyGroup[]) => {
  const read: Read = { collection: 'per.son', columns: ['id'], anyOf }
  const statement = compileRead(read, table, postgresDialect)
  const parameters = statement?.parameters.map((value) =>
    typeof value === 'object' ? (value as { encoded: unknown }).encoded : value,
  )
  return { where: statement?.sql.replace('select "id" from "pub""lic"."per.son" where ', ''), parameters }
}

describe('the statement of a read', () => {
  it.each<[string, KeyGroup[], string, unknown[]]>([
    ['a text', [one('name', "o'brien", 'a"b\\c')], '"name" = any($1::text[])', [`{"o'brien","a\\"b\\\\c"}`]],
    ['a number beyond 2^53', [one('id', 1, '9007199254740993')], '"id" = any($1::int8[])', ['{1,9007199254740993}']],
    ['characters of a fixed number', [one('code', 'ab')], '"code" = any($1::bpchar[])', ['{"ab"}']],
    ['money', [one('price', '1.5')], '"price"::numeric = any($1::numeric[])', ['{"1.5"}']],
    [
      'a uuid',
      [one('handle', '0e4a2f5c-6a0b-4a57-9d51-2f1a3b0c4d01', 'none')],
      '"handle" = any($1::uuid[])',
      ['{"0e4a2f5c-6a0b-4a57-9d51-2f1a3b0c4d01"}'],
    ],
    [
      'a loose type',
      [one('alias', 'Jane')],
      `("alias" = any($1::"ext"."citext"[]) and "alias"::text collate "C" = any($2::text[]))`,
      ['{"Jane"}', '{"Jane"}'],
    ],
    [
      'a loose collation',
      [one('title', 'Dr')],
      `("title" = any($1::varchar[]) and "title" collate "C" = any($2::text[]))`,
      ['{"Dr"}', '{"Dr"}'],
    ],
    ['an enum', [one('mood', 'fine')], '"mood"::text = any($1::text[])', ['{"fine"}']],
    [
      'any other type',
      [one('host', '10.0.0.1')],
      `case when "host" is distinct from null then format('%s', "host") end = any($1::text[])`,
      ['{"10.0.0.1"}'],
    ],
    [
      'lower case',
      [one({ path: ['name'], caseInsensitive: true }, 'A', 'B')],
      '(lower("name") = any(string_to_array(lower($1::text), $2::text)) and lower(("name")::text collate "C") = any(string_to_array(lower(($3::text)::text collate "C"), $4::text)))',
      ['A\u001fB', '\u001f', 'A\u001fB', '\u001f'],
    ],
    [
      'a list',
      [one('tags', 'x')],
      `exists (select 1 from unnest("tags") as "element" where "element" = any($1::text[]))`,
      ['{"x"}'],
    ],
    ['a list with an inverted index', [one('indexed', 'x')], '"indexed" && $1::varchar[]', ['{"x"}']],
    [
      'a document',
      [one('profile.a"b.c', 1, 'x')],
      `exists (select 1 from jsonb_path_query("profile", $1::jsonpath) as "element" where "element" = any($2::jsonb[]))`,
      ['lax $[*]."a\\"b"[*]."c"[*][*]', '{"1","\\"x\\""}'],
    ],
    ['an odd name', [one('q"; drop table x --', 'v')], '"q""; drop table x --" = any($1::text[])', ['{"v"}']],
    [
      'tuples',
      [pair(['id', 'name'], ['1', 'a'], ['9007199254740993', 'b'])],
      '("id" = any($1::int8[]) and "name" = any($2::text[]) and (("id", "name") in (select * from unnest($1::int8[], $2::text[]))) is true)',
      ['{1,9007199254740993}', '{"a","b"}'],
    ],
    [
      'a single tuple',
      [pair(['name', 'mood'], ['a', 'fine'])],
      '("name" = any($1::text[]) and "mood"::text = any($2::text[]))',
      ['{"a"}', '{"fine"}'],
    ],
    [
      'alternatives',
      [one('name', 'a'), { ...one('code', 'b'), when: [{ path: ['mood'], equals: 'sad' }] }],
      '("name" = any($1::text[]) or ("code" = any($2::bpchar[]) and "mood"::text = any($3::text[])))',
      ['{"a"}', '{"b"}', '{"sad"}'],
    ],
    ['an alternative that no row can meet', [one('id', 'x'), one('name', 'a')], '"name" = any($1::text[])', ['{"a"}']],
  ])('%s', (_, anyOf, where, parameters) => expect(compiled(...anyOf)).toEqual({ where, parameters }))

  it('sends whole numbers as bytes, in the narrowest type', () => {
    const { where, parameters } = compiled(one('id', 1, -2))
    expect(where).toBe('"id" = any($1::int4[])')
    expect((parameters![0] as Buffer).toString('hex')).toBe(
      '0000000100000000000000170000000200000001' + '0000000400000001' + '00000004fffffffe',
    )
    const wide = compiled(one('id', -5_000_000_000))
    expect(wide.where).toBe('"id" = any($1::int8[])')
    expect((wide.parameters![0] as Buffer).subarray(-8).readBigInt64BE()).toBe(-5_000_000_000n)
  })

  it('is none where no key fits', () => expect(compiled(one('id', 'x'), one('handle', 1)).where).toBeUndefined())

  it('leaves out a check of tuples too many to be hashed', () => {
    const many = Array.from({ length: 40_001 }, (_, id): [Value, Value] => [id, `${id}`])
    expect(compiled(pair(['id', 'name'], ...many)).where).toBe('("id" = any($1::int4[]) and "name" = any($2::text[]))')
  })

  it('selects money as a number, and counts on the same condition', () => {
    const anyOf = [one('name', 'a')]
    const read = { collection: 'per.son', columns: ['price', 'q"; drop table x --'], anyOf }
    expect(compileRead(read, table, postgresDialect)?.sql).toBe(
      'select "price"::numeric, "q""; drop table x --" from "pub""lic"."per.son" where "name" = any($1::text[])',
    )
    expect(compileCount([read], () => table, postgresDialect)?.statement.sql).toBe(
      'select (select count(*) from "pub""lic"."per.son" where "name" = any($1::text[]))',
    )
  })
})
