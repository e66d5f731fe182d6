import type { Connection, KeyGroup } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectorOf, type Kind, openDatabase, serverUrl, type TestDatabase } from './servers.js'

const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``
const group = (column: string, ...keys: readonly string[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [keys],
})

/** In gbk, big5 and sjis the second byte of some of these characters is a backslash, or their first byte swallows one. */
const wide = '縗誠許功表ソ'
const texts = [
  `' or '1'='1`,
  `\\' or 1=1 -- `,
  `" or ""="`,
  '` or 1=1 #',
  '\\',
  `'; delete from t; /*!50000 x */`,
  '[a] %_ ?? ::',
  'a\0b',
  `\u00bf\\' or 1=1 -- `,
]

/** What each server or login may be set to. */
const settings = [
  `sql_mode = 'NO_BACKSLASH_ESCAPES'`,
  `sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,NO_UNSIGNED_SUBTRACTION,IGNORE_SPACE'`,
  `character_set_client = gbk, character_set_connection = gbk, character_set_results = big5, collation_connection = gbk_bin`,
  'sql_select_limit = 1, foreign_key_checks = 0, max_join_size = 1',
]

/** Names, keys and new values of any characters, on servers set in any way: the intended row alone is read or changed. */
export function oddTextsSuite(kind: Kind): void {
  describe(`texts that look like statements, on ${kind}`, () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await openDatabase(kind)
    })
    afterAll(() => database?.close())

    async function change(connection: Connection, charset: string, values: readonly string[]) {
      const [table, column] = ['it\'s `a` \\ "t" /* -- [x]', 'c\'o`l\\ "u" -- ?']
      const name = quoted(table)
      const own = quoted(column)
      await database.run(
        `drop table if exists ${name}`,
        `create table ${name} (${own} varchar(60) primary key, note varchar(60), other varchar(60)) character set ${charset} collate ${charset}_bin`,
      )
      for (const value of [...values, 'ben'])
        await database.client.query(`insert into ${name} values (?, 'note', 'stays')`, [value])
      const { collections } = await connection.describe()
      expect(collections.find((each) => each.name === table)?.primaryKey).toEqual([column])
      const left = () => database.rows(`select ${own}, note, other from ${name} order by ${own}`)
      for (const value of values) {
        const anyOf = [group(column, value)]
        const read: unknown[] = []
        for await (const batch of connection.read({ collection: table, columns: [column], anyOf })) read.push(...batch)
        expect(read).toEqual([[value]])
        expect(await connection.count([{ collection: table, anyOf }])).toEqual([1])
        const erase = { collection: table, key: [column], keys: [[value]], anyOf }
        await connection.erase?.({ ...erase, set: [{ column: 'note', to: value }] })
        const noted = (await left()).filter(([, note]) => note !== 'note')
        expect(noted).toEqual([[value, value, 'stays']])
        await connection.erase?.({ ...erase, set: [{ column: 'note', toEach: ['note'] }] })
      }
      const [first, ...others] = values as [string, ...string[]]
      await connection.erase?.({
        collection: table,
        key: [column],
        keys: [[first]],
        anyOf: [group(column, first)],
        set: 'delete',
      })
      const kept = (await left()).map(([value]) => value)
      expect(kept.sort()).toEqual([...others, 'ben'].sort())
    }

    it.each(['utf8mb4', 'gbk', 'big5', 'sjis'])('in a table of %s', async (charset) => {
      const characters = { utf8mb4: `${wide}😀`, gbk: '縗誠', big5: '許功', sjis: '表ソ' }[charset] ?? ''
      const narrow = charset === 'utf8mb4' ? texts : texts.filter((text) => !text.includes('\u00bf'))
      const connection = await database.connect()
      await change(connection, charset, [
        ...narrow,
        ...[...characters].flatMap((each) => [each, `${each}' or 1=1 -- `]),
      ])
    })

    it.each(settings)('for a login that begins with %s, and a password of such characters', async (setting) => {
      const user = `${database.name}_o`
      const password = `p'a"s\\s\`[;]%/@:#? ${wide}`
      const old = (await database.rows('select @@global.init_connect')) as [[string]]
      await database.client.query(`create user ${user} identified by ?`, [password])
      await database.run(`grant all on ${database.name}.* to ${user}`)
      try {
        // of this login alone: others may be tested at the same time
        const own = `set ${setting.replaceAll("'", '"')}`
        const { hostname: host, port } = new URL(serverUrl(kind))
        const connector = connectorOf(kind)
        const connection = await connector.connect(
          connector.parseSecrets({ host, port: Number(port), user, password, database: database.name }),
        )
        try {
          await database.client.query('set global init_connect = ?', [own])
          await connection.ping()
          await change(connection, 'utf8mb4', texts)
        } finally {
          await connection.close()
        }
      } finally {
        await database.client.query('set global init_connect = ?', [old[0][0]])
        await database.run(`drop user ${user}`)
      }
    })

    it('in the name of a database', async () => {
      const name = `${database.name}' \`-- "x`
      await database.run(
        `create database ${quoted(name)}`,
        `create table ${quoted(name)}.t (id varchar(9) primary key, v int)`,
      )
      await database.run(`insert into ${quoted(name)}.t values ('a', 1), ('b', 2)`)
      const connection = await database.connect({}, { database: name })
      try {
        expect((await connection.describe()).collections.map((each) => each.name)).toEqual(['t'])
        await connection.erase?.({
          collection: 't',
          key: ['id'],
          keys: [['a']],
          anyOf: [group('id', 'a')],
          set: 'delete',
        })
        expect(await database.rows(`select id from ${quoted(name)}.t`)).toEqual([['b']])
      } finally {
        await database.run(`drop database ${quoted(name)}`)
      }
    })

    it('tables whose names differ in case alone are two, and no other spelling names one', async () => {
      const [[folds]] = (await database.rows('select @@lower_case_table_names')) as [[number]]
      expect(folds).toBe(0)
      for (const name of ['Person', 'person'])
        await database.run(
          `create table ${name} (id varchar(9) primary key, name varchar(9))`,
          `insert into ${name} values ('1', '${name}')`,
        )
      const connection = await database.connect()
      const found = (await connection.describe()).collections.filter((each) => each.name.toLowerCase() === 'person')
      expect(found.map((each) => [each.name, each.columns.length]).sort()).toEqual([
        ['Person', 2],
        ['person', 2],
      ])
      const erase = { key: ['id'], keys: [['1']], anyOf: [group('id', '1')], set: [{ column: 'name', to: 'x' }] }
      await connection.erase?.({ ...erase, collection: 'person' })
      const names = async () => [
        ...(await database.rows('select name from Person')),
        ...(await database.rows('select name from person')),
      ]
      expect(await names()).toEqual([['Person'], ['x']])
      const other = { collection: 'PERSON', anyOf: erase.anyOf }
      const missing = { details: { reason: 'missing_collection' } }
      await expect(connection.count([other])).rejects.toMatchObject(missing)
      await expect(connection.erase?.({ ...erase, collection: 'PERSON' })).rejects.toMatchObject(missing)
      expect(await names()).toEqual([['Person'], ['x']])
    })
  })
}
