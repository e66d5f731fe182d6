import type { CountRows, KeyGroup } from '@habeas/core'
import { compileCount, listKeys, missingColumns, type SqlColumn, type SqlDialect } from '@habeas/sql'
import { MssqlQueryCompiler, sql } from 'kysely'
import { describe, expect, it } from 'vitest'

const columns: SqlColumn[] = [
  { name: 'id', kind: 'integer' },
  { name: 'na"me', kind: 'string' },
]
const tableOf = ({ collection }: { readonly collection: string }) => ({
  path: ['shop', collection],
  columns: new Map(columns.map((column) => [column.name, column])),
})
const dialect: SqlDialect<SqlColumn, unknown> = {
  createCompiler: () => new MssqlQueryCompiler(),
  binder:
    ({ column }) =>
    (value) =>
      column.kind === 'integer' && typeof value !== 'number' ? undefined : value,
  ...listKeys({ rowValues: false }),
  holdsNothing: ({ column, path }, placeholders) =>
    sql<boolean>`nothing(${sql.id(column.name)}, ${sql.val([path, placeholders])})`,
}
const by = (name: string, ...values: (string | number)[]): KeyGroup => ({
  fields: [{ path: [name] }],
  values: [values],
})
const compiled = (...counts: CountRows[]) => compileCount(counts, tableOf, dialect)

describe('the statement of counts', () => {
  it('asks for all of them at once, each of its own table', () => {
    expect(
      compiled(
        { collection: 'people', anyOf: [by('id', 1), by('na"me', 'x')] },
        { collection: 'orders', anyOf: [by('id', 2)], noneOf: [by('id', 3), by('na"me', 'y')] },
        { collection: 'people', anyOf: [by('id', 4)], empty: [{ path: ['na"me', 'a'], placeholders: ['-'] }] },
      ),
    ).toEqual({
      statement: {
        sql: [
          'select (select count(*) from "shop"."people" where ("id" in (@1) or "na""me" in (@2)))',
          '(select count(*) from "shop"."orders" where "id" in (@3) and case when ("id" in (@4) or "na""me" in (@5)) then 0 else 1 end = 1)',
          '(select count(*) from "shop"."people" where "id" in (@6) and nothing("na""me", @7))',
        ].join(', '),
        parameters: [1, 'x', 2, 3, 'y', 4, [['a'], ['-']]],
      },
      positions: [0, 1, 2],
    })
  })

  it('leaves out what no row can meet, and groups of noneOf that none can', () => {
    const noneOf = [by('id', 'x'), by('na"me')]
    const found = compiled(
      { collection: 'people', anyOf: [] },
      { collection: 'people', anyOf: [by('id', 'x'), by('na"me')] },
      { collection: 'people', anyOf: [by('id', 1)], noneOf },
      { collection: 'people', anyOf: [{ ...by('id', 1), when: [{ path: ['id'], equals: 'x' }] }] },
    )
    expect(found?.positions).toEqual([2])
    expect(found?.statement.sql).toBe('select (select count(*) from "shop"."people" where "id" in (@1))')
    expect(compiled({ collection: 'people', anyOf: [] })).toBeUndefined()
    expect(compiled()).toBeUndefined()
  })

  it('compares tuples exactly where a read need not', () => {
    const pairs: KeyGroup = {
      fields: [{ path: ['id'] }, { path: ['na"me'] }],
      values: [
        [1, 2],
        ['a', 'b'],
      ],
    }
    const exactTuples: SqlDialect['exactTuples'] = () => sql<boolean>`exactly`
    const counts = [{ collection: 'people', anyOf: [pairs], noneOf: [pairs] }]
    const { statement } = compileCount(counts, tableOf, { ...dialect, tuples: () => undefined, exactTuples })!
    expect(statement.sql.split('exactly')).toHaveLength(3)
  })
})

it('names the columns that a count asks for and the table lacks', () => {
  const noneOf = [{ ...by('gone', 1), when: [{ path: ['away'], equals: 1 }] }]
  const empty = [{ path: ['lost', 'a'] }, { path: ['id'] }]
  expect(missingColumns({ anyOf: [by('id', 1)], noneOf, empty }, tableOf({ collection: 'people' }))).toEqual([
    'gone',
    'away',
    'lost',
  ])
})
