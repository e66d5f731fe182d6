import type { Connection, KeyGroup, Value } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Kind, openDatabase, type TestDatabase } from './servers.js'

/** A type, a value as SQL writes it, and what a read gives. */
const values: readonly (readonly [type: string, written: string, read: Value, only?: Kind])[] = [
  ['bigint unsigned', '18446744073709551615', '18446744073709551615'],
  ['bigint', '-9223372036854775808', '-9223372036854775808'],
  ['int unsigned zerofill', '7', 7],
  ['decimal(65, 0)', `${'9'.repeat(65)}`, '9'.repeat(65)],
  ['decimal(40, 15)', '0.100000000000000', '0.100000000000000'],
  ['float', '0.1', 0.1],
  ['double', '0.1', 0.1],
  ['tinyint(1)', '1', true],
  ['tinyint(1)', '5', 5],
  ['bit(1)', `b'1'`, true],
  ['bit(5)', `b'10110'`, 22],
  ['bit(64)', `b'${'1'.repeat(64)}'`, '18446744073709551615'],
  ['year', '2024', 2024],
  ['date', `'0000-00-00'`, '0000-00-00'],
  ['date', `'2024-00-12'`, '2024-00-12'],
  ['datetime', `'0000-00-00 00:00:00'`, '0000-00-00T00:00:00'],
  ['datetime(6)', `'2024-02-29 23:59:59.123456'`, '2024-02-29T23:59:59.123456'],
  ['datetime(6)', `'2024-02-29 23:59:59.5'`, '2024-02-29T23:59:59.5'],
  ['timestamp(3) null', `'2024-02-29 23:59:59.5'`, '2024-02-29T23:59:59.5Z'],
  ['time(2)', `'-100:00:00.5'`, '-100:00:00.5'],
  ['time', `'10:11:12'`, '10:11:12'],
  ['time(6)', `'00:00:00.6'`, '00:00:00.6'],
  [`enum('it''s', '2', '1')`, `'1'`, '1'],
  [`set('a', 'b', 'c')`, `'c,a'`, 'a,c'],
  ['varchar(9) character set latin1', `'é€'`, 'é€'],
  ['varchar(9) character set gbk', `'漢'`, '漢'],
  ['varchar(9) character set utf8mb3', `'漢'`, '漢'],
  ['char(9)', `'ab  '`, 'ab'],
  ['varchar(9)', `'ab  '`, 'ab  '],
  ['longtext', `'😀\\0"\\\\'`, '😀\0"\\'],
  ['binary(3)', `x'00ff'`, 'AP8A'],
  ['blob', `x'00ff'`, 'AP8='],
  ['point', 'point(1.5, 2)', 'POINT(1.5 2)'],
  ['uuid', `'11111111-2222-3333-4444-555555555555'`, '11111111-2222-3333-4444-555555555555', 'mariadb'],
  ['inet4', `'10.0.0.1'`, '10.0.0.1', 'mariadb'],
  ['inet6', `'::1'`, '::1', 'mariadb'],
  ['inet6', `'::ffff:10.0.0.1'`, '::ffff:10.0.0.1', 'mariadb'],
]

const group = (column: string, ...keys: readonly Value[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [keys],
})

/** Values of every type, and texts that the server takes for equal. */
export function typesSuite(kind: Kind): void {
  describe(`types and collations, on ${kind}`, () => {
    let database: TestDatabase
    let connection: Connection
    beforeAll(async () => {
      database = await openDatabase(kind)
      connection = await database.connect()
    })
    afterAll(() => database.close())

    const rowsOf = async (collection: string, columns: readonly string[], key: KeyGroup) => {
      const rows: (readonly (Value | undefined)[])[] = []
      for await (const batch of connection.read({ collection, columns, anyOf: [key] })) rows.push(...batch)
      return rows
    }

    const own = values.filter(([, , , only]) => only === undefined || only === kind)
    it.each(own.map((each, at) => [at, ...each] as const))(
      '%i: a value of %s (%s) is read as it is and found again by it',
      async (at, type, written, read) => {
        const table = `kind_${at}`
        await database.run(
          `create table ${table} (id int primary key, v ${type}, note varchar(9))`,
          `insert into ${table} values (1, ${written}, 'a'), (2, null, 'b')`,
        )
        expect(await rowsOf(table, ['v'], group('id', 1))).toEqual([[read]])
        expect(await rowsOf(table, ['id'], group('v', read))).toEqual([[1]])
        expect(await connection.count([{ collection: table, anyOf: [group('v', read)] }])).toEqual([1])
        const key: KeyGroup = { ...group('v', read), exact: true }
        expect(await rowsOf(table, ['id'], { ...key, values: [[read, null]] })).toEqual(
          expect.arrayContaining([[1], [2]]),
        )
        // a table without a key names its rows by what they hold
        const erase = { collection: table, key: ['v'], keys: [[read]], rows: 1, anyOf: [key] }
        await connection.erase?.({ ...erase, set: [{ column: 'note', to: 'x' }] })
        expect(await database.rows(`select note from ${table} order by id`)).toEqual([['x'], ['b']])
        await connection.erase?.({ ...erase, set: [{ column: 'v', to: null }] })
        expect(await database.rows(`select v from ${table}`)).toEqual([[null], [null]])
      },
    )

    it.each([
      ['bit(64)', `b'11'`],
      ['bit(1)', `b'1'`],
      ['tinyint(1)', '1'],
      ['float', '0.1'],
      ['float', '16777216'],
      ['double', '0.30000000000000004'],
      ['datetime(6)', `'2024-02-29 23:59:59.5'`],
      ['time', `'10:11:12'`],
      ['varbinary(9)', `x'0100'`],
    ])('a value of %s (%s) is met over a foreign key that has a text beside it', async (type, written) => {
      const columns = ['code', 'v']
      await database.run(
        'drop table if exists pointing, pointed',
        `create table pointed (code varchar(9), v ${type}, primary key (code, v))`,
        `create table pointing (id int primary key, code varchar(9), v ${type}, foreign key (code, v) references pointed (code, v))`,
        `insert into pointed values ('ann', ${written})`,
        `insert into pointing values (1, 'ANN', ${written}), (2, null, ${written})`,
      )
      const { collections } = await connection.describe()
      const [key] = collections.find(({ name }) => name === 'pointing')?.foreignKeys ?? []
      expect(key?.loose).toBe(true)
      const as = { collection: 'pointed', columns }
      const fields = columns.map((name) => ({ path: [name] }))
      const read = { columns: [], spelled: [{ columns, as }] }
      const rows = async (collection: string, anyOf: readonly KeyGroup[]) => {
        const found: (readonly (Value | undefined)[])[] = []
        for await (const batch of connection.read({ ...read, collection, anyOf })) found.push(...batch)
        return found
      }
      const [held = []] = await rows('pointed', [group('code', 'ann')])
      const points: KeyGroup = { fields, values: held.map((part) => [part as Value]), spelledAs: as }
      expect(await rows('pointing', [points])).toEqual([held])
      expect(await connection.countEach?.({ collection: 'pointing', group: points })).toEqual([1])
    })

    it.each(['utf8mb3', 'latin1', 'latin2', 'gbk'])(
      'texts that %s takes for equal are met over a foreign key, and no others',
      async (charset) => {
        const [one, other] = charset === 'latin2' || charset === 'gbk' ? ['a', 'á'] : ['a', 'b']
        const [from, to] = [`from_${charset}`, `to_${charset}`]
        const text = `varchar(9) character set ${charset}`
        await database.run(
          `create table ${to} (code ${text} primary key)`,
          `create table ${from} (id int primary key, code ${text}, foreign key (code) references ${to} (code))`,
          `insert into ${to} values ('${one}'), ('${other}')`,
          `insert into ${from} values (1, '${one}'), (2, '${one} '), (3, '${one.toUpperCase()}'), (4, '${other}')`,
        )
        const as = { collection: to, columns: ['code'] }
        const points: KeyGroup = { ...group('code', one), spelledAs: as }
        const read = { collection: from, columns: ['id'], spelled: [{ columns: ['code'], as }], anyOf: [points] }
        const rows: (readonly (Value | undefined)[])[] = []
        for await (const batch of connection.read(read)) rows.push(...batch)
        expect(rows.sort()).toEqual([1, 2, 3].map((id) => [id, one]))
        expect(await connection.countEach?.({ collection: from, group: points })).toEqual([3])
      },
    )

    it.each(['utf8mb4', 'latin1', 'utf8mb3', 'gbk', 'big5', 'sjis'])(
      'texts that %s takes for equal are other texts, and an index is used all the same',
      async (charset) => {
        const table = `loose_${charset}`
        const texts = ['ann@example.com', 'ANN@example.com', 'ann@example.com ', 'ann@example.com  ', 'bob@example.com']
        await database.run(
          `create table ${table} (id int auto_increment primary key, email varchar(40) character set ${charset}, note varchar(9) default 'a', key (email))`,
          `insert into ${table} (email) values ${texts.map((text) => `('${text}')`).join(', ')}`,
        )
        const ann = group('email', 'ann@example.com', '漢😀')
        expect(await rowsOf(table, ['email'], ann)).toEqual([['ann@example.com']])
        expect(await connection.count([{ collection: table, anyOf: [ann] }])).toEqual([1])
        const caseless: KeyGroup = {
          fields: [{ path: ['email'], caseInsensitive: true }],
          values: [['ann@example.com']],
        }
        expect(await rowsOf(table, ['id'], caseless)).toEqual([[1], [2]])
        const keys = [texts.map((_, at) => at + 1)]
        await connection.erase?.({
          collection: table,
          key: ['id'],
          keys,
          anyOf: [ann],
          set: [{ column: 'note', to: 'x' }],
        })
        await connection.erase?.({
          collection: table,
          key: ['id'],
          keys,
          anyOf: [ann],
          set: [{ column: 'email', toEach: texts.map((_, at) => `new${at}`) }],
        })
        expect(await database.rows(`select email, note from ${table} order by id`)).toEqual([
          ['new0', 'x'],
          ...texts.slice(1).map((text) => [text, 'a']),
        ])
      },
    )

    const writtenBeside: readonly (readonly [string, string, Value, only?: Kind])[] = [
      ['datetime', `'2024-02-29 10:00:00'`, '2024-02-29T99:99:99'],
      ['datetime', `'2024-02-29 10:00:00'`, '9999-12-31T23:00:00-05:00'],
      ['timestamp null', `'2024-02-29 10:00:00'`, '2024-02-29T24:00:00Z'],
      ['time', `'-838:59:59'`, '999:00:00'],
      ['time(6)', `'838:59:59'`, '838:59:59.5'],
      ['uuid', `'11111111-2222-3333-4444-555555555555'`, 'n/a', 'mariadb'],
      ['inet4', `'10.0.0.1'`, '10.0.0.256', 'mariadb'],
      ['inet6', `'fe80::1'`, 'fe80::1%eth0', 'mariadb'],
    ]
    it.each(
      writtenBeside
        .filter(([, , , only]) => only === undefined || only === kind)
        .map((each, at) => [at, ...each] as const),
    )('%i: beside a text that no %s holds, a row that holds %s is erased', async (at, type, written, never) => {
      const table = `beside_${at}`
      await database.run(
        `create table ${table} (id int primary key, v ${type}, note varchar(9))`,
        `insert into ${table} values (1, ${written}, 'a')`,
      )
      const [[held] = []] = await rowsOf(table, ['v'], group('id', 1))
      const anyOf = [group('v', never, held as Value)]
      expect(await connection.count([{ collection: table, anyOf }])).toEqual([1])
      const erase = { collection: table, key: ['id'], keys: [[1]], anyOf }
      await connection.erase?.({ ...erase, set: [{ column: 'note', to: 'x' }] })
      expect(await database.rows(`select note from ${table}`)).toEqual([['x']])
      await connection.erase?.({ ...erase, set: 'delete' })
      expect(await database.rows(`select note from ${table}`)).toEqual([])
    })

    it('an update counts rows that already hold the new value', async () => {
      await database.run('create table same (id int primary key, v int)', 'insert into same values (1, 5), (2, 5)')
      const erase = { collection: 'same', key: ['v'], keys: [[5]], rows: 2, anyOf: [group('v', 5)] }
      await connection.erase?.({ ...erase, set: [{ column: 'v', to: 5 }] })
      // one row of two is left alone as a whole batch
      const less = connection.erase?.({ ...erase, rows: 1, set: 'delete' })
      await expect(less).rejects.toMatchObject({ code: 'unsupported', details: { reason: 'ambiguous_rows' } })
      expect(await database.rows('select count(*) from same')).toEqual([[2]])
    })

    it('a text that its set of characters lacks is refused as a new value, by the name of its column', async () => {
      await database.run(
        'create table narrow (id int primary key, v varchar(9) character set gbk)',
        `insert into narrow values (1, 'a')`,
      )
      const written = connection.erase?.({
        collection: 'narrow',
        key: ['id'],
        keys: [[1]],
        anyOf: [group('id', 1)],
        set: [{ column: 'v', to: '😀' }],
      })
      await expect(written).rejects.toMatchObject({ code: 'connection_failed', details: { reason: 'refused' } })
      await expect(written).rejects.not.toThrow(/😀/)
    })
  })
}
