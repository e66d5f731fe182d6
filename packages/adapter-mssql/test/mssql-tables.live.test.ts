import type { CatalogueCollection, Connection, Erase, KeyGroup, Value } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openServerDatabase, type ServerDatabase } from './sql-server.js'

const group = (column: string, ...keys: readonly Value[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [keys],
})
const masking = (collection: string, ...ids: number[]): Erase => ({
  ...{ collection, key: ['id'], keys: [ids], anyOf: [group('id', ...ids)] },
  set: [{ column: 'name', to: 'x' }],
})

/** A type, a value as SQL writes it, and what a read gives. */
const values: readonly (readonly [type: string, written: string, read: Value])[] = [
  ['tinyint', '255', 255],
  ['bigint', '-9223372036854775808', '-9223372036854775808'],
  ['decimal(38, 15)', '0.100000000000000', '0.100000000000000'],
  ['money', '922337203685477.5807', '922337203685477.5807'],
  ['smallmoney', '-0.0001', '-0.0001'],
  ['real', '0.1', 0.1],
  ['float', '-1.5e300', -1.5e300],
  ['bit', '1', true],
  ['uniqueidentifier', `'0E4A2F5C-6A0B-4A57-9D51-2F1A3B0C4D01'`, '0e4a2f5c-6a0b-4a57-9d51-2f1a3b0c4d01'],
  ['date', `'0001-01-01'`, '0001-01-01'],
  ['datetime', `'2024-02-29T23:59:59.997'`, '2024-02-29T23:59:59.997'],
  ['smalldatetime', `'2024-02-29T23:59:00'`, '2024-02-29T23:59:00'],
  ['datetime2(7)', `'9999-12-31T23:59:59.9999999'`, '9999-12-31T23:59:59.9999999'],
  ['datetime2(0)', `'2024-02-29T23:59:59'`, '2024-02-29T23:59:59'],
  ['datetimeoffset(7)', `'2024-02-29T23:59:59.1234567+05:30'`, '2024-02-29T23:59:59.1234567+05:30'],
  ['time(7)', `'23:59:59.1234567'`, '23:59:59.1234567'],
  ['char(9)', `'ab'`, 'ab'],
  ['varchar(9) collate Latin1_General_CI_AS', `N'é€'`, 'é€'],
  ['varchar(9) collate Polish_CI_AS', `N'ż'`, 'ż'],
  ['nchar(3)', `N'漢'`, '漢'],
  ['nvarchar(9)', `N'😀 '`, '😀 '],
  ['nvarchar(max)', `replicate(N'漢', 9000)`, '漢'.repeat(4_000)],
  ['text', `'ab'`, 'ab'],
  ['ntext', `N'漢'`, '漢'],
  ['image', '0x00ff', 'AP8='],
  ['binary(3)', '0x00ff', 'AP8A'],
  ['varbinary(max)', '0x00ff00', 'AP8A'],
]

describe('types and tables, on SQL Server', () => {
  let database: ServerDatabase
  let connection: Connection
  beforeAll(async () => {
    database = await openServerDatabase()
    connection = await database.connect()
  })
  afterAll(() => database.close())
  const described = async (name: string) => {
    const { collections } = await connection.describe()
    return collections.find((collection) => collection.name === name) as CatalogueCollection
  }
  const rowsOf = async (collection: string, columns: readonly string[], key: KeyGroup) => {
    const rows: (readonly (Value | undefined)[])[] = []
    for await (const batch of connection.read({ collection, columns, anyOf: [key] })) rows.push(...batch)
    return rows
  }

  it.each(values.map((each, at) => [at, ...each] as const))(
    '%i: a value of %s (%s) is read as it is and found again by it',
    async (at, type, written, read) => {
      const table = `kind_${at}`
      await database.run(`create table ${table} (id int primary key, v ${type} null, note varchar(9))`)
      await database.run(`insert into ${table} values (1, ${written}, 'a'), (2, null, 'b')`)
      expect(await rowsOf(table, ['v'], group('id', 1))).toEqual([[read]])
      expect(await rowsOf(table, ['id'], group('v', read))).toEqual([[1]])
      const key: KeyGroup = { ...group('v', read), exact: true }
      expect(await rowsOf(table, ['id'], { ...key, values: [[read, null]] })).toHaveLength(2)
      // a table without a key names its rows by what they hold
      const erase = { collection: table, key: ['v'], keys: [[read]], rows: 1, anyOf: [key] }
      await connection.erase?.({ ...erase, set: [{ column: 'note', to: 'x' }] })
      expect(await database.rows(`select note from ${table} order by id`)).toEqual([['x'], ['b']])
      await connection.erase?.({ ...erase, set: [{ column: 'v', to: null }] })
      expect(await database.rows(`select count(*) from ${table} where v is null`)).toEqual([[2]])
    },
  )

  it('types without an order are handed over as text', async () => {
    await database.run(
      'create table own (id int primary key, x xml, h hierarchyid, g geography, v sql_variant, r rowversion)',
    )
    await database.run(`insert into own (id, x, h, g, v) values (1, '<a/>', '/1/', 'POINT (1 2)', 5)`)
    const [row] = await rowsOf('own', ['x', 'h', 'g', 'v', 'r'], group('id', 1))
    expect(row).toEqual(['<a />', '/1/', 'POINT (1 2)', '5', expect.stringMatching(/^[A-Za-z0-9+/]{11}=$/)])
  })

  it('texts that the server takes for equal are other texts', async () => {
    const texts = ['ann@example.com', 'ANN@example.com', 'ann@example.com ', 'ann@example.com  ']
    await database.run(
      `create table loose (id int identity primary key, email varchar(40) collate Latin1_General_CI_AI, index e (email))`,
    )
    await database.run(`insert into loose values ${texts.map((text) => `('${text}')`).join(', ')}`)
    for (const [at, text] of texts.entries())
      expect(await rowsOf('loose', ['id'], group('email', text))).toEqual([[at + 1]])
    const caseless = { fields: [{ path: ['email'], caseInsensitive: true }], values: [['ann@example.com']] }
    expect(await rowsOf('loose', ['id'], caseless)).toHaveLength(2)
  })

  it('bytes that end in other numbers of zeros are other bytes', async () => {
    await database.run('create table zeros (id int primary key, raw varbinary(9))')
    await database.run('insert into zeros values (1, 0xff), (2, 0xff00), (3, 0xff0000)')
    expect(await rowsOf('zeros', ['id'], group('raw', '/wA='))).toEqual([[2]])
  })

  it('identity, computed and period columns are generated, and a history is named', async () => {
    await database.run(`create table versioned (id int identity primary key, name varchar(20), made as (name + '!'),
      since datetime2 generated always as row start, until datetime2 generated always as row end,
      period for system_time (since, until)) with (system_versioning = on (history_table = dbo.versioned_history))`)
    await database.run(`insert into versioned (name) values ('ann')`)
    const table = await described('versioned')
    expect(table.keptIn).toEqual([{ name: 'versioned_history', kind: 'history' }])
    const generated = table.columns.filter((column) => column.generated).map(({ name }) => name)
    expect(generated).toEqual(['id', 'made', 'since', 'until'])
    expect(await described('versioned_history')).toMatchObject({ copyOf: 'versioned', unwritable: expect.any(String) })
    await connection.erase?.(masking('versioned', 1))
    expect(await database.rows('select name from versioned_history')).toEqual([['ann']])
  })

  it('a table whose triggers write and select is written, and what they touch is not counted', async () => {
    await database.run(
      'create table log (id int identity, name varchar(20))',
      'create table watched (id int primary key, name varchar(20))',
    )
    await database.run(`insert into watched values (1, 'ann'), (2, 'bob')`)
    await database.run(
      'create trigger watching on watched after update as begin insert into log select i.name from inserted as i cross join watched; select 5 end',
    )
    await connection.erase?.({ ...masking('watched', 1), rows: 1 })
    expect(await database.rows('select name from watched order by id')).toEqual([['x'], ['bob']])
  })

  it('security policies and masks hide rows', async () => {
    await database.run('create table secured (id int primary key, name varchar(20))')
    await database.run(
      'create function mine(@id int) returns table with schemabinding as return select 1 as ok where @id = 1',
    )
    await database.run(
      'create security policy guard add filter predicate dbo.mine(id) on dbo.secured with (state = on)',
    )
    expect((await described('secured')).hidesRows).toBe(true)
    expect((await described('watched')).hidesRows).toBeUndefined()
  })

  it('a foreign key that came meanwhile keeps rows from being deleted', async () => {
    await database.run(
      'create table parent (id int primary key, name varchar(20))',
      `insert into parent values (1, 'ann')`,
    )
    const { referencedBy } = await described('parent')
    await database.run(
      'create table child (id int primary key, parent_id int constraint child_parent references parent (id) on delete cascade)',
    )
    await database.run('insert into child values (1, 1)')
    const erase = { ...masking('parent', 1), set: 'delete' as const }
    const since = connection.erase?.({ ...erase, referencedBy: referencedBy as string })
    await expect(since).rejects.toMatchObject({ details: { reason: 'referenced_since' } })
    await connection.erase?.({ ...erase, referencedBy: (await described('parent')).referencedBy as string })
    expect(await database.rows('select count(*) from child')).toEqual([[0]])
  })

  it('nobody adds a row that refers to one of a batch until the batch has taken effect', async () => {
    await database.run(
      'create table owner (id int primary key, name varchar(20))',
      `insert into owner values (1, 'ann')`,
    )
    await database.run('create table pet (id int primary key, owner_id int references owner (id), index o (owner_id))')
    const other = await database.connect({ lockTimeoutSeconds: 1 })
    const pointers = [{ count: { collection: 'pet', group: group('owner_id', 1) }, most: [0] }]
    const confirm = async () => {
      await database.run('set lock_timeout 500')
      await expect(database.run('insert into pet values (1, 1)')).rejects.toMatchObject({ number: 1222 })
    }
    await connection.erase?.({ ...masking('owner', 1), pointers }, { fence: { lock: database.name, confirm } })
    await other.close()
    await database.run('insert into pet values (1, 1)')
    await expect(connection.erase?.({ ...masking('owner', 1), pointers })).rejects.toMatchObject({
      details: { reason: 'shared_since' },
    })
  })

  it('tables of another schema are read where db_schema names it', async () => {
    await database.run('create schema other')
    await database.run(
      'create table other.people (id int primary key, name varchar(20), owner int references dbo.owner (id))',
    )
    const away = await database.connect({}, { db_schema: 'other' })
    const { collections } = await away.describe()
    expect(collections[0]?.foreignKeys[0]?.references).toEqual({ schema: 'dbo', collection: 'owner', columns: ['id'] })
    expect((await described('owner')).incomingForeignKeys?.[0]).toMatchObject({ schema: 'other', collection: 'people' })
  })
})
