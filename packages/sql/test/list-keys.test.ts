import type { KeyGroup } from '@habeas/core'
import { compileRead, listKeys, missingColumns, type SqlColumn, type SqlDialect } from '@habeas/sql'
import { MssqlQueryCompiler, MysqlQueryCompiler, type QueryCompiler, sql } from 'kysely'
import { describe, expect, it } from 'vitest'

const dialect = (createCompiler: () => QueryCompiler, rowValues: boolean): SqlDialect<SqlColumn, unknown> => ({
  createCompiler,
  select: ({ name, kind }) => (kind === 'object' ? sql`cast(${sql.id(name)} as char)` : sql.id(name)),
  binder:
    ({ column }) =>
    (value) =>
      column.kind === 'integer' && typeof value !== 'number' ? undefined : value,
  ...listKeys<SqlColumn, unknown>({ rowValues }),
  holdsNothing: ({ column }) => sql<boolean>`${sql.id(column.name)} is null`,
})
const mysql = dialect(() => new MysqlQueryCompiler(), true)
const mssql = dialect(() => new MssqlQueryCompiler(), false)

const columns: SqlColumn[] = [
  { name: 'id', kind: 'integer' },
  { name: 'na`me', kind: 'string' },
  { name: 'doc', kind: 'object' },
]
const table = { path: ['sho]p', 'people'], columns: new Map(columns.map((column) => [column.name, column])) }
const read = (...anyOf: KeyGroup[]) => ({ collection: 'people', columns: ['id', 'doc'], anyOf })
const ids: KeyGroup = { fields: [{ path: ['id'] }], values: [Int32Array.of(1, 2, 2)] }
const names: KeyGroup = { fields: [{ path: ['na`me'], caseInsensitive: true }], values: [['A', 'b']] }
const pairs: KeyGroup = {
  fields: [{ path: ['id'] }, { path: ['na`me'] }],
  values: [
    [1, 'x', 3],
    ['a', 'b', 'c'],
  ],
}

describe('a read by lists of keys', () => {
  it.each([
    [mysql, read(ids), 'select `id`, cast(`doc` as char) from `sho]p`.`people` where `id` in (?, ?)', [1, 2]],
    [mssql, read(ids), 'select "id", cast("doc" as char) from "sho]p"."people" where "id" in (@1, @2)', [1, 2]],
    [
      mysql,
      read(names),
      'select `id`, cast(`doc` as char) from `sho]p`.`people` where lower(`na``me`) in (lower(?), lower(?))',
      ['A', 'b'],
    ],
    [
      mysql,
      read({ ...pairs, when: [{ path: ['na`me'], equals: 'z' }] }, ids),
      'select `id`, cast(`doc` as char) from `sho]p`.`people` where ((`id` in (?, ?) and `na``me` in (?, ?) and `na``me` in (?) and (`id`, `na``me`) in ((?, ?), (?, ?))) or `id` in (?, ?))',
      [1, 3, 'a', 'c', 'z', 1, 'a', 3, 'c', 1, 2],
    ],
    [
      mssql,
      read(pairs),
      'select "id", cast("doc" as char) from "sho]p"."people" where ("id" in (@1, @2) and "na`me" in (@3, @4) and (("id" = @5 and "na`me" = @6) or ("id" = @7 and "na`me" = @8)))',
      [1, 3, 'a', 'c', 1, 'a', 3, 'c'],
    ],
  ] as const)('%#', (dialect, read, sql, parameters) => {
    expect(compileRead(read, table, dialect)).toEqual({ sql, parameters })
  })

  it('is none where no key fits its column', () => {
    expect(compileRead(read({ ...ids, values: [['x']] }), table, mysql)).toBeUndefined()
    expect(compileRead(read({ ...ids, when: [{ path: ['id'], equals: 'x' }] }), table, mysql)).toBeUndefined()
  })

  it('finds nothing inside a column', () => {
    expect(compileRead(read({ fields: [{ path: ['doc', 'a'] }], values: [['x']] }), table, mysql)).toBeUndefined()
  })

  it('still gives rows when no column is asked for', () => {
    expect(compileRead({ ...read(ids), columns: [] }, table, mysql)?.sql).toMatch(/^select null from/)
  })
})

it('names the columns that a read asks for and the table lacks, each once', () => {
  const group: KeyGroup = { fields: [{ path: ['gone', 'a'] }], values: [['x']], when: [{ path: ['away'], equals: 1 }] }
  expect(missingColumns({ columns: ['id', 'gone'], anyOf: [group] }, table)).toEqual(['gone', 'away'])
})

describe('keys of a foreign key that compares loosely', () => {
  const pointedTo = new Map([['tags', { path: ['sho]p', 'tags'], columns: table.columns }]])
  const as = { collection: 'tags', columns: ['na`me'] }
  const group: KeyGroup = { fields: [{ path: ['id'] }], values: [['x']], uuids: new Uint8Array(16), spelledAs: as }
  const asked = { collection: 'people', columns: ['id'], anyOf: [group], spelled: [{ columns: ['id'], as }] }
  const spelling: SqlDialect<SqlColumn, unknown> = {
    ...mysql,
    binder:
      ({ column, as }) =>
      (value) =>
        as ? `${column.name} as ${as.name} ${value}` : undefined,
    oneOfUuids: () => sql<boolean>`packed`,
    spelled: (from, columns, to) =>
      columns.map(
        ({ name }, part) => sql`spelled(${sql.val([from.path[1], name, to.table.path[1], to.columns[part]?.name])})`,
      ),
  }

  it('are read after the columns, and searched for as texts of the key they refer to', () => {
    expect(compileRead(asked, { ...table, pointedTo }, spelling)).toEqual({
      sql: 'select `id`, spelled(?) from `sho]p`.`people` where `id` in (?)',
      parameters: [['people', 'id', 'tags', 'na`me'], 'id as na`me x'],
    })
  })

  it('are asked for only where the other table is known, and are told apart from missing columns', () => {
    expect(() => compileRead(asked, table, spelling)).toThrow('tags')
    const { spelled: _, ...other } = spelling
    expect(() => compileRead(asked, { ...table, pointedTo }, other)).toThrow('spelled')
    const gone = { ...asked, anyOf: [], spelled: [{ columns: ['gone'], as }] }
    expect(missingColumns(gone, table)).toEqual(['gone'])
  })
})
