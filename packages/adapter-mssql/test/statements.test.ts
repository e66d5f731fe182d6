import type { Erase, KeyGroup } from '@habeas/core'
import {
  compileCount,
  compileCountEach,
  compileErase,
  compilePointers,
  compileRead,
  compileUnchanged,
  type SqlTable,
} from '@habeas/sql'
import { describe, expect, it } from 'vitest'
import { mssqlDialect } from '../src/dialect.js'
import { liveColumn, type MssqlColumn } from '../src/live-column.js'

const column = (name: string, base: string, more: object = {}): [string, MssqlColumn] => {
  const isText = /char|text/.test(base)
  const listed = {
    ...{ collection: 'people', position: 1, nullable: true, precision: 19, scale: base === 'datetime2' ? 7 : 2 },
    ...{ bytes: 80, json: false, codePage: isText ? 1252 : null, type: base },
    collation: isText ? 'SQL_Latin1_General_CP1_CI_AS' : null,
  }
  return [name, { name, indexed: true, ...liveColumn({ ...listed, name, base, ...more }) }]
}
const people: SqlTable<MssqlColumn> = {
  path: ['shop', 'peo]ple'],
  rowKeys: [['id']],
  lockable: true,
  columns: new Map([
    column('id', 'int'),
    column('email', 'nvarchar'),
    column('old', 'varchar'),
    column('code', 'nchar'),
    column('amount', 'decimal'),
    column('at', 'datetime2'),
    column('raw', 'varbinary'),
    column('token', 'uniqueidentifier'),
    column('doc', 'nvarchar', { json: true, bytes: -1 }),
  ]),
}
const group = (column: string, ...values: readonly (string | number)[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [values],
})
const erase: Erase = { collection: 'people', key: ['id'], keys: [[1, 2]], anyOf: [group('email', 'a')], set: 'delete' }
const read = (...anyOf: KeyGroup[]) =>
  compileRead({ collection: 'people', columns: ['id'], anyOf }, people, mssqlDialect)!
const one = (type: string, style = '') =>
  `exists (select 1 from (select convert(${type}, [cells].[c0]${style}) as [batch_0] from openjson(@1) with ([c0] nvarchar(max) '$[0]') as [cells]) as [batch] where `
const ids = `${one('int')}[id] = [batch_0])`
const exact = (text: string) => `(convert(nvarchar(max), ${text}) + '.') collate Latin1_General_100_BIN2`
const emails = (parameter: string) =>
  `exists (select 1 from (select convert(nvarchar(4000), [cells].[c0] collate SQL_Latin1_General_CP1_CI_AS) as [batch_0], convert(nvarchar(max), [cells].[c0]) as [batch_1] from openjson(${parameter}) with ([c0] nvarchar(max) '$[0]') as [cells]) as [batch] where ([email] = [batch_0] and ${exact('[email]')} = ${exact('[batch_1]')}))`

describe('statements for SQL Server', () => {
  it('a text that points to an integer is counted by the number that it is', () => {
    const count = (...kinds: ('integer' | undefined)[]) =>
      compileCountEach(group('old', '1'), people, mssqlDialect, undefined, kinds)?.statement.sql
    expect(count('integer')).toContain('where try_convert(bigint, [old]) = [batch_1]')
    expect(count()).toContain('where [old] = [batch_1]')
  })

  it('keys of a list travel as one parameter, whatever their number', () => {
    expect(read(group('id', 1, 2, 3))).toEqual({
      sql: `select [id] from [shop].[peo]]ple] where ${ids}`,
      parameters: ['[["1"],["2"],["3"]]'],
    })
    const many = read(group('id', ...Array.from({ length: 10_000 }, (_, at) => at)))
    expect(many.parameters).toHaveLength(1)
  })

  it('a text is compared by the index and, with a sign behind its last blank, by its characters', () => {
    expect(read(group('email', 'a'))).toEqual({
      sql: `select [id] from [shop].[peo]]ple] where ${emails('@1')}`,
      parameters: ['[["a"]]'],
    })
  })

  it('a text of one byte for each character is looked up in its own type, so that its index serves', () => {
    expect(read(group('old', 'a')).sql).toContain(
      'convert(varchar(8000), [cells].[c0] collate SQL_Latin1_General_CP1_CI_AS)',
    )
  })

  it('the blanks by which the server fills a CHAR up are none of its text', () => {
    const { sql } = compileRead(
      { collection: 'people', columns: ['code'], anyOf: [group('code', 'a')] },
      people,
      mssqlDialect,
    )!
    expect(sql).toContain('select rtrim([code]) from')
    expect(sql).toContain(`([code] = [batch_0] and ${exact('rtrim([code])')} = ${exact('[batch_1]')})`)
  })

  it.each([
    ['amount', '9.5', 'decimal(19, 2)', ''],
    ['at', '2024-01-02T03:04:05.1234567Z', 'datetime2(7)', ', 121'],
    ['token', '0E4A2F5C-6A0B-4A57-9D51-2F1A3B0C4D01', 'uniqueidentifier', ''],
  ])('a key of %s is of the type of its column', (name, value, type, style) => {
    expect(read(group(name, value)).sql).toContain(`${one(type, style)}[${name}] = [batch_0])`)
  })

  it('bytes are compared with their length, since the server ignores zeros at the end', () => {
    expect(read(group('raw', 'AP8=')).sql).toContain(
      `${one('varbinary(max)', ', 2')}([raw] = [batch_0] and datalength([raw]) = datalength([batch_0])))`,
    )
  })

  it('an index finds other cases of letters where the collation is known to', () => {
    const found = read({ fields: [{ path: ['email'], caseInsensitive: true }], values: [['a']] })
    expect(found.sql).toContain('([email] = [batch_1] and (convert(nvarchar(max), translate(')
    const other = read({ fields: [{ path: ['email'], caseInsensitive: true, trimmed: true }], values: [['a']] })
    expect(other.sql).not.toContain('[email] = ')
  })

  it('tuples are rows of one list', () => {
    const fields = [{ path: ['id'] }, { path: ['amount'] }]
    const values = [
      [1, 2],
      ['3', '4'],
    ]
    const { sql, parameters } = read({ fields, values })
    expect(sql).toContain(
      "openjson(@3) with ([c0] nvarchar(max) '$[0]', [c1] nvarchar(max) '$[1]') as [cells]) as [batch] where [id] = [batch_0] and [amount] = [batch_1])",
    )
    expect(parameters[2]).toBe('[["1","3"],["2","4"]]')
  })

  it('keys that no row can hold ask nothing', () => {
    const anyOf = [group('id', 'x', 2 ** 31), group('at', 'soon'), group('amount', '1.005'), group('token', '1')]
    expect(compileRead({ collection: 'people', columns: ['id'], anyOf }, people, mssqlDialect)).toBeUndefined()
  })

  it('values that the driver would round are read as text', () => {
    const columns = ['id', 'amount', 'at']
    const { sql } = compileRead({ collection: 'people', columns, anyOf: [group('id', 1)] }, people, mssqlDialect)!
    expect(sql).toMatch(
      /^select \[id\], convert\(varchar\(45\), \[amount\]\), convert\(varchar\(40\), \[at\], 121\) from/,
    )
  })

  it('counts are one statement', () => {
    const counts = [1, 2].map((id) => ({ collection: 'people', anyOf: [group('id', id)] }))
    const counted = (parameter: string) =>
      `(select count(*) from [shop].[peo]]ple] where ${ids.replace('@1', parameter)})`
    expect(compileCount(counts, () => people, mssqlDialect)?.statement.sql).toBe(
      `select ${counted('@1')}, ${counted('@2')}`,
    )
  })

  it('nothing is blank, a number or one of the placeholders, and never unknown', () => {
    const empty = [{ path: ['email'], placeholders: [0, 'n/a'] }]
    const counts = [{ collection: 'people', anyOf: [group('id', 1)], empty }]
    const { sql } = compileCount(counts, () => people, mssqlDialect)!.statement
    expect(sql).toContain(
      '([email] is null or convert(nvarchar(max), [email]) collate Latin1_General_100_BIN2 not like @2 or case when ',
    )
    expect(sql).toContain('then case when try_convert(decimal(38, 19), convert(nvarchar(max), [email])) in (')
  })

  it('rows are deleted by their key and by what they hold', () => {
    const { statements } = compileErase(erase, people, mssqlDialect)
    expect(statements.map(({ sql }) => sql)).toEqual([`delete from [shop].[peo]]ple] where ${ids} and ${emails('@2')}`])
  })

  it('new values travel beside the table as one document, and null stays null', () => {
    const set = [{ column: 'email', toEach: ['x', "y'"] }]
    const { statements } = compileErase({ ...erase, set }, people, mssqlDialect)
    expect(statements[0]?.sql).toBe(
      `update [shop].[peo]]ple] set [email] = case when [email] is null then null else [batch_1] end from [shop].[peo]]ple], (select convert(int, [cells].[c0]) as [batch_0], convert(nvarchar(max), [cells].[c1]) as [batch_1] from openjson(@1) with ([c0] nvarchar(max) '$[0]', [c1] nvarchar(max) '$[1]') as [cells]) as [batch] where [id] = [batch_0] and ${ids.replace('@1', '@2')} and ${emails('@3')}`,
    )
    expect(statements[0]?.parameters[0]).toBe('[["1","x"],["2","y\'"]]')
  })

  it('rows of a key with nulls are found where both sides are null', () => {
    const keyless = { ...erase, key: ['amount', 'email'], keys: [[null], ['a']], rows: 1 }
    const { holders, statements } = compileErase(keyless, people, mssqlDialect)
    const same = `([amount] = [batch_0] or ([amount] is null and [batch_0] is null)) and (${exact('[email]')} = ${exact('[batch_1]')} or ([email] is null and [batch_1] is null))`
    expect(holders?.sql).toContain(`select count(*) from [shop].[peo]]ple], (select`)
    expect(holders?.sql).toContain(same)
    expect(statements[0]?.sql).toMatch(/^delete from \[shop\]\.\[peo\]\]ple\] from \[shop\]\.\[peo\]\]ple\], \(select /)
  })

  it('rows are locked behind the name of their table', () => {
    const pointers = [{ count: { collection: 'people', group: group('id', 1) }, most: [0] }]
    const compiled = compilePointers({ ...erase, pointers }, people, () => ({ table: people }), mssqlDialect)
    expect(compiled?.lock?.sql).toBe(`select count(*) from [shop].[peo]]ple] with (updlock, holdlock) where ${ids}`)
    expect(compiled?.counts[0]?.sql).toMatch(
      /^select \[batch_0\], count\(\*\) from \[shop\]\.\[peo\]\]ple\], \(select /,
    )
    const unchanged = [{ collection: 'people', group: group('id', 1), rows: 1 }]
    expect(compileUnchanged({ unchanged }, () => people, mssqlDialect)[0]?.sql).toBe(
      `select count(*) from (select 1 from [shop].[peo]]ple] with (updlock, holdlock) where ${ids}) as [held]([one])`,
    )
  })

  it('a member of a document gives way to a mark, and the mark to the new value', () => {
    const set = [{ column: 'doc', toEach: [{ a: null }, { a: null }], was: [{ a: 'x' }, { a: 'y' }] }]
    const { statements } = compileErase({ ...erase, set }, people, mssqlDialect)
    const sql = statements[0]?.sql ?? ''
    expect(sql).toMatch(/then replace\(json_modify\(convert\(nvarchar\(max\), \[doc\]\), case when /)
    expect(sql).toContain(`else '$."habeas: nowhere"' end, case when `)
    expect(statements[0]?.parameters).toContainEqual(expect.stringMatching(/^habeas-[0-9a-f-]{36}$/))
    expect(statements[0]?.parameters).toContain('$."a"')
  })
})
