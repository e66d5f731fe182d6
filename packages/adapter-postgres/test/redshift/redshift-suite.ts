import { randomBytes } from 'node:crypto'
import type { Connection, Value } from '@habeas/core'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { redshiftConnector } from '../../src/index.js'
import { having, quoted, rowsOf } from '../database.js'

const hostile = [`'; drop table people; --`, `" or 1 = 1 --`, '\\', `\\' or 1 = 1 --`, '$1', '%', 'ends in blanks  ']

/** What holds on every server that speaks Redshift, a real cluster among them. Everything is in a schema of its own. */
export function redshiftSuite(url: () => string): void {
  describe('a connection to Redshift', () => {
    const schema = `we"ird ;drop '${randomBytes(4).toString('hex')}`
    let client: pg.Client
    let connection: Connection
    const connect = (db_schema: string) => {
      const connector = redshiftConnector()
      return connector.connect(connector.parseSecrets({ url: url(), db_schema }))
    }
    beforeAll(async () => {
      client = new pg.Client(url())
      await client.connect()
      await client.query('set enable_case_sensitive_identifier = true')
      await client.query(`create schema ${quoted(schema)}`)
      await client.query(`set search_path = ${quoted(schema)}`)
      await client.query(`create table people (id bigint not null, email varchar(200), "Odd ""Name" varchar(20),
        letters char(8), spent decimal(20, 4), since timestamp with time zone, seen timestamp, born date, active boolean,
        ratio real, score double precision, raw varbyte, profile super)`)
      for (const [at, email] of hostile.entries())
        await client.query('insert into people (id, email, "Odd ""Name") values ($1, $2, $3)', [at, email, 'Bob'])
      await client.query(`insert into people select 9007199254740993, 'ann@example.com', 'Ann', 'ab', 0.1,
        '2024-01-31 12:00:00.123456+05:30', '2024-01-31 12:00:00.5', '2024-02-29', true, 0.1, 0.30000000000000004,
        to_varbyte('00ff10', 'hex'), json_parse('{"name":"Ann","tags":["a",1]}')`)
      connection = await connect(schema)
    })
    afterAll(async () => {
      await connection?.close()
      await client.query(`drop schema ${quoted(schema)} cascade`)
      await client.end()
    })
    const ids = async (...emails: Value[]) =>
      (await rowsOf(connection, 'people', ['id'], having('email', ...emails))).map(([id]) => id)

    it('describes the tables of its schema, whose keys nobody enforces', async () => {
      const { collections } = await connection.describe()
      const [people, ...others] = collections
      expect(others).toEqual([])
      expect(people).toMatchObject({ name: 'people', keysEnforced: false, indexes: [] })
      expect(people!.columns.map(({ name, kind }) => [name, kind])).toEqual([
        ['id', 'integer'],
        ['email', 'string'],
        ['Odd "Name', 'string'],
        ['letters', 'string'],
        ['spent', 'decimal'],
        ['since', 'timestamp'],
        ['seen', 'datetime'],
        ['born', 'date'],
        ['active', 'boolean'],
        ['ratio', 'float'],
        ['score', 'float'],
        ['raw', 'bytes'],
        ['profile', 'object'],
      ])
    })

    it('reads values without loss, and finds the row again by each of them', async () => {
      const { collections } = await connection.describe()
      const names = collections[0]!.columns.map(({ name }) => name)
      const [row = []] = await rowsOf(connection, 'people', names, having('email', 'ann@example.com'))
      const expected: Value[] = ['9007199254740993', 'ann@example.com', 'Ann', 'ab', '0.1000']
      expected.push(
        '2024-01-31T06:30:00.123456Z',
        '2024-01-31T12:00:00.5',
        '2024-02-29',
        true,
        0.1,
        0.30000000000000004,
      )
      expected.push('AP8Q', { name: 'Ann', tags: ['a', 1] })
      expect(row).toEqual(expected)
      for (const [at, name] of names.slice(0, -1).entries())
        expect(await rowsOf(connection, 'people', ['id'], having(name, row[at]!)), name).toEqual([['9007199254740993']])
    })

    it('takes hostile texts for nothing but texts, and one that ends in blanks for another', async () => {
      for (const [at, email] of hostile.entries()) expect(await ids(email), email).toEqual([at])
      expect(await ids('ends in blanks')).toEqual([])
      expect(await ids(`${hostile[0]} `)).toEqual([])
    })

    it('takes db_schema for a name, whatever it holds, and says when there is none', async () => {
      for (const name of [`public"; drop schema ${quoted(schema)} cascade; --`, `x', '${schema}`, 'no such schema']) {
        const other = await connect(name)
        await expect(other.describe()).rejects.toMatchObject({ details: { reason: 'database_missing' } })
        await other.close()
      }
      expect(await ids('%')).toEqual([5])
    })

    it('masks rows and members of documents, and deletes rows', async () => {
      const id = '9007199254740993'
      const batch = { collection: 'people', key: ['id'], keys: [[id]], anyOf: [having('email', 'ann@example.com')] }
      const was = { name: 'Ann', tags: ['a', 1] }
      const members = { column: 'profile', toEach: [{ ...was, name: 'masked' }], was: [was] }
      await connection.erase!({ ...batch, set: [{ column: 'Odd "Name', to: 'x' }, members] })
      const read = () => rowsOf(connection, 'people', ['Odd "Name', 'profile'], having('id', id))
      expect(await read()).toEqual([['x', { name: 'masked', tags: ['a', 1] }]])
      await connection.erase!({ ...batch, set: 'delete' })
      expect(await read()).toEqual([])
      const gone = connection.erase!({ ...batch, set: [members] })
      await expect(gone, 'the row is gone meanwhile').resolves.toBeUndefined()
      const counted = connection.erase!({ ...batch, set: [members], rows: 1 })
      await expect(counted).rejects.toMatchObject({ code: 'unsupported', details: { reason: 'ambiguous_rows' } })
      expect(await ids(...hostile)).toHaveLength(hostile.length)
    })

    it('touches nothing where a key names more rows than it should, since no key is enforced', async () => {
      await client.query(`insert into people (id, email) values (70, 'two@example.com'), (70, 'two@example.com')`)
      const batch = { collection: 'people', key: ['id'], keys: [[70]], anyOf: [having('email', 'two@example.com')] }
      await expect(connection.erase!({ ...batch, set: 'delete' })).rejects.toMatchObject({
        code: 'unsupported',
        details: { reason: 'ambiguous_rows' },
      })
      expect(await ids('two@example.com')).toEqual([70, 70])
    })

    it('repeats a batch that the server ends because of another transaction', async () => {
      await client.query(`insert into people (id, email, letters) values (80, 'busy@example.com', 'start')`)
      const one = (to: string) =>
        connection.erase!({
          ...{ collection: 'people', key: ['id'], keys: [[80]], anyOf: [having('email', 'busy@example.com')] },
          set: [{ column: 'letters', to }],
        })
      await Promise.all(['a', 'b', 'c', 'd'].map(one))
      const [[letters] = []] = await rowsOf(connection, 'people', ['letters'], having('id', 80))
      expect('abcd').toContain(letters)
    })
  })
}
