import type { Erase, KeyGroup } from '@habeas/core'
import { compileCount, compileErase, compileRead, type SqlTable } from '@habeas/sql'
import { describe, expect, it } from 'vitest'
import { mysqlDialect } from '../src/dialect.js'
import { liveColumn, type MysqlColumn } from '../src/live-column.js'
import type { ServerKind } from '../src/server-version.js'
import { connectorOf } from './servers.js'

const column = (name: string, type: string, more: object = {}): [string, MysqlColumn] => {
  const dataType = type.replace(/[ (].*/, '')
  const listed = {
    collection: 'people',
    position: 1,
    nullable: true,
    precision: 40,
    scale: 2,
    json: dataType === 'json',
  }
  const text = /char|text|enum/.test(dataType)
    ? { charset: 'utf8mb4', collation: 'utf8mb4_general_ci' }
    : { charset: null, collation: null }
  return [name, { name, indexed: true, ...liveColumn({ ...listed, name, type, dataType, ...text, ...more }) }]
}
const people: SqlTable<MysqlColumn> = {
  path: ['shop', 'people'],
  rowKeys: [['id']],
  lockable: true,
  columns: new Map([
    column('id', 'int'),
    column('big', 'bigint unsigned'),
    column('email', 'varchar(40)'),
    column('old', 'varchar(40)', { charset: 'gbk', collation: 'gbk_chinese_ci' }),
    column('doc', 'json'),
    column('day', 'date'),
  ]),
}
const group = (column: string, ...values: readonly (string | number)[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [values],
})
const erase: Erase = { collection: 'people', key: ['id'], keys: [[1, 2]], anyOf: [group('email', 'a')], set: 'delete' }
const read = (kind: ServerKind, ...anyOf: KeyGroup[]) =>
  compileRead({ collection: 'people', columns: ['id'], anyOf }, people, mysqlDialect(kind))!
const source = (cells: string, given: string) =>
  `(select ${given} from json_table(?, '$[*]' columns (${cells})) as \`cells\`) as \`batch\``

describe.each(['mysql', 'mariadb'] as const)('statements for %s', (kind) => {
  it('a text is compared by the index and byte by byte', () => {
    expect(read(kind, group('email', 'a', 'b', 'a'))).toEqual({
      sql: 'select `id` from `shop`.`people` where (`email` in (convert(? using utf8mb4) collate utf8mb4_general_ci, convert(? using utf8mb4) collate utf8mb4_general_ci) and cast(convert(`email` using utf8mb4) as binary) in (cast(? as binary), cast(? as binary)))',
      parameters: ['a', 'b', 'a', 'b'],
    })
  })

  it('a text of a set that is not known here is compared in UTF-8', () => {
    expect(read(kind, group('old', 'a')).sql).toContain('(convert(`old` using utf8mb4) in (convert(? using utf8mb4))')
  })

  it('an index finds other cases of letters where the collation is known to', () => {
    const found = read(kind, { fields: [{ path: ['email'], caseInsensitive: true }], values: [['a']] })
    expect(found.sql).toContain(
      '(`email` in (convert(? using utf8mb4) collate utf8mb4_general_ci) and cast(lower(convert(cast(',
    )
    const other = read(kind, { fields: [{ path: ['email'], caseInsensitive: true, trimmed: true }], values: [['a']] })
    expect(other.sql).not.toContain('`email` in (')
  })

  it('an unsigned number is a decimal first', () => {
    const cast = kind === 'mysql' ? 'cast(cast(? as decimal(20, 0)) as unsigned)' : 'cast(? as decimal(20, 0))'
    expect(read(kind, group('big', '18446744073709551615')).sql).toContain(`\`big\` in (${cast})`)
  })

  it('tuples are row values, and those of texts once more as bytes', () => {
    const tuples: KeyGroup = {
      fields: [{ path: ['id'] }, { path: ['email'] }],
      values: [
        [1, 2],
        ['a', 'b'],
      ],
    }
    const { sql } = read(kind, tuples)
    expect(sql).toContain(
      '(`id`, `email`) in ((cast(? as signed), convert(? using utf8mb4) collate utf8mb4_general_ci), (',
    )
    expect(sql).toContain(
      '(`id`, cast(convert(`email` using utf8mb4) as binary)) in ((cast(? as signed), cast(? as binary)), (',
    )
  })

  it('keys that no row can hold ask nothing', () => {
    expect(
      compileRead(
        { collection: 'people', columns: ['id'], anyOf: [group('id', 'x'), group('day', 'soon')] },
        people,
        mysqlDialect(kind),
      ),
    ).toBeUndefined()
  })

  it.each([1, 2, 3, 7])(
    'the most keys of %i columns that a list takes are fewer parameters than a statement takes',
    (width) => {
      const { maxKeys, maxKeyParts = 0 } = connectorOf(kind).capabilities
      const names = Array.from({ length: width }, (_, part) => `part_${part}`)
      const columns = new Map([...people.columns, ...names.map((name) => column(name, 'varchar(40)'))])
      const fields = names.map((name) => ({ path: [name] }))
      const keys = Array.from({ length: Math.min(maxKeys, Math.floor(maxKeyParts / width)) }, (_, row) => `${row}`)
      const values = names.map(() => keys)
      const nulls = names.map((_, part) => (part === 0 ? [null, ...keys.slice(1)] : keys))
      const table = { ...people, columns }
      const read = { collection: 'people', columns: ['id'] }
      for (const group of [
        { fields, values },
        { fields, values, exact: true as const },
        { fields, values: nulls, exact: true as const },
      ]) {
        const asked = compileRead({ ...read, anyOf: [group] }, table, mysqlDialect(kind))
        const [written] = compileErase({ ...erase, anyOf: [group] }, table, mysqlDialect(kind)).statements
        for (const statement of [asked, written]) expect(statement?.parameters.length).toBeLessThanOrEqual(65_535)
      }
    },
  )

  it('counts are one statement', () => {
    const counts = [
      { collection: 'people', anyOf: [group('id', 1)] },
      { collection: 'people', anyOf: [group('id', 2)] },
    ]
    expect(compileCount(counts, () => people, mysqlDialect(kind))?.statement.sql).toBe(
      'select (select count(*) from `shop`.`people` where `id` in (cast(? as signed))), (select count(*) from `shop`.`people` where `id` in (cast(? as signed)))',
    )
  })

  it('rows are deleted by their key and by what they hold', () => {
    const { statements } = compileErase(erase, people, mysqlDialect(kind))
    const from = source("`c0` longtext path '$'", 'cast(`cells`.`c0` as signed) as `batch_0`')
    const held =
      '(`email` in (convert(? using utf8mb4) collate utf8mb4_general_ci) and cast(convert(`email` using utf8mb4) as binary) in (cast(? as binary)))'
    expect(statements.map(({ sql }) => sql)).toEqual([
      `delete from \`shop\`.\`people\` using \`shop\`.\`people\`, ${from} where \`id\` = \`batch_0\` and case when \`batch_0\` is not null then ${held} end`,
    ])
    expect(statements[0]?.parameters[0]).toBe(JSON.stringify(['1', '2']))
  })

  it('new values travel beside the table as one document, and null stays null', () => {
    const set = [{ column: 'email', toEach: ['x', "y'"] }]
    const { statements } = compileErase({ ...erase, set }, people, mysqlDialect(kind))
    const from = source(
      "`c0` longtext path '$[0]', `c1` longtext path '$[1]'",
      'cast(`cells`.`c0` as signed) as `batch_0`, convert(`cells`.`c1` using utf8mb4) as `batch_1`',
    )
    expect(statements[0]?.sql).toContain(
      `update \`shop\`.\`people\`, ${from} set \`email\` = case when \`email\` is null then null else \`batch_1\` end where \`id\` = \`batch_0\` and case`,
    )
    expect(statements[0]?.parameters[0]).toBe(
      JSON.stringify([
        ['1', 'x'],
        ['2', "y'"],
      ]),
    )
  })

  it('members of documents are written by the functions of the server', () => {
    const set = [{ column: 'doc', toEach: [{ a: null }, { a: null }], was: [{ a: 'x' }, { a: 'y' }] }]
    const { statements } = compileErase({ ...erase, set }, people, mysqlDialect(kind))
    expect(statements[0]?.sql).toContain("set `doc` = json_replace(`doc`, ?, json_extract(`batch_1`, '$')) where")
  })
})
