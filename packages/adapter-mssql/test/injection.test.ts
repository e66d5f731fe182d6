import type { Connection, KeyGroup, Value } from '@habeas/core'
import { compileErase, compileRead, type SqlTable } from '@habeas/sql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mssqlDialect } from '../src/dialect.js'
import { liveColumn, type MssqlColumn } from '../src/live-column.js'
import { translated } from './double/tsql-parser.js'
import { type DoubleDatabase, sharedDouble } from './double-database.js'
import { quoted } from './load-fixture.js'

/** Quotes, brackets, signs that only look like quotes, escapes, comments, parameters, JSON, and what LIKE takes for a pattern. */
const hostile = [
  "'",
  "' or '1' = '1",
  "'; drop table [PERSON]; --",
  '"',
  ']',
  ']]',
  '[x]',
  '] where 1 = 1; drop table [PERSON]; --',
  '\u2019 or 1 = 1 --', // a curly quote
  '\uff07 or 1 = 1 --', // a wide quote, of which a code page makes a plain one
  '\u02bc or 1 = 1 --',
  'e\u0301', // the same as é to a reader
  '\u202e]drop', // written from right to left
  '@1',
  '@@version',
  '/* */',
  '%',
  '_',
  '[^a]%',
  '\\',
  '\\"',
  '{"$ne": null}',
  '["a"], ["b"]',
  '$."a"',
  'null',
  '__proto__',
  'go\nselect 1',
  ' ',
  'N',
]
const names = [
  'id',
  '__proto__',
  'constructor',
  'a.b',
  'a]b',
  'a]]b',
  '[a',
  "a'b",
  'a"b',
  '\uff3d',
  'batch',
  'cells',
  'value',
  'key',
]
const double = sharedDouble()

describe('values and names on the double', () => {
  let database: DoubleDatabase
  let connection: Connection
  beforeAll(async () => {
    database = await double.openDatabase()
    const columns = names.map((name) =>
      name === 'id' ? 'id int primary key' : `${quoted(name)} varchar(80) collate mssql.ci`,
    )
    await database.client.query(`create table "PER]SON" (${columns.join(', ')})`)
    const places = names.map((_, at) => `$${at + 1}`)
    for (const [at, text] of hostile.entries()) {
      const values = names.map((name) => (name === 'id' ? at : text))
      await database.client.query(`insert into "PER]SON" values (${places.join(', ')})`, values)
    }
    connection = await database.connect()
  })
  afterAll(() => database.close())

  const idsOf = async (name: string, ...values: Value[]) => {
    const anyOf: KeyGroup[] = [{ fields: [{ path: [name] }], values: [values] }]
    const ids: unknown[] = []
    for await (const batch of connection.read({ collection: 'PER]SON', columns: ['id'], anyOf }))
      ids.push(...batch.map(([id]) => id))
    return ids
  }

  it('each value is equal to itself alone, in every column', async () => {
    for (const [at, text] of hostile.entries())
      for (const name of names.slice(1)) expect(await idsOf(name, text), `${name}: ${text}`).toEqual([at])
  })

  it('a text with the character of the number 0 is equal to no other', async () => {
    expect(await idsOf('key', "'\0", '\0', 'N\0')).toEqual([])
  })

  it('values are written as they are, into every column', async () => {
    for (const [at, text] of [...hostile].reverse().entries()) {
      const set = names.slice(1).map((name) => ({ column: name, to: text }))
      const anyOf = [{ fields: [{ path: ['id'] }], values: [[at]] }]
      await connection.erase?.({ collection: 'PER]SON', key: ['id'], keys: [[at]], anyOf, set })
    }
    const { rows } = await database.client.query({ text: 'select * from "PER]SON" order by 1', rowMode: 'array' })
    expect(rows).toEqual([...hostile].reverse().map((text, at) => [at, ...names.slice(1).map(() => text)]))
  })

  it('a name that is not there is refused, whatever is in it', async () => {
    for (const text of hostile) {
      const anyOf = [{ fields: [{ path: ['id'] }], values: [[1]] }]
      const counted = connection.count([{ collection: text, anyOf }])
      await expect(counted).rejects.toMatchObject({ details: { reason: 'missing_collection' } })
    }
  })
})

describe('statements', () => {
  const column = (name: string): [string, MssqlColumn] => {
    const listed = { collection: 't', position: 1, type: 'nvarchar', base: 'nvarchar', nullable: true, json: false }
    const sized = {
      bytes: 160,
      precision: 0,
      scale: 0,
      codePage: 1252,
      collation: 'Latin1_General_CI_AS; drop table t',
    }
    return [name, { name, indexed: true, ...liveColumn({ ...listed, ...sized, name }) }]
  }
  const named = [...names, ...hostile]
  const table: SqlTable<MssqlColumn> = {
    path: ["d'b]o", 't]; --'],
    lockable: true,
    columns: new Map(named.map(column)),
  }
  const value = "'; drop table t; --"

  it('hold names in brackets alone, and no value', () => {
    for (const name of named) {
      const anyOf = [{ fields: [{ path: [name] }], values: [[value]] }]
      const read = compileRead({ collection: 't', columns: [name], anyOf }, table, mssqlDialect)
      const set = [{ column: name, toEach: [value] }]
      const { statements } = compileErase(
        { collection: 't', key: [name], keys: [[value]], anyOf, set },
        table,
        mssqlDialect,
      )
      for (const statement of [read, ...statements]) {
        // what is left when names in brackets and texts in quotes are taken out
        const bare = statement?.sql.replaceAll(/\[(?:[^\]]|\]\])*\]|'(?:[^']|'')*'/g, '')
        expect(bare).toMatch(/^[a-z0-9_@(),.=+ ]+$/i)
        expect(bare).not.toMatch(/drop|--/)
      }
    }
  })

  it('that the connector does not send are refused by the double', () => {
    for (const sql of [
      'select @@version',
      'select [a] from [t] option (recompile)',
      'drop table [t]',
      'update [t] set [a] = 1 where [b] = 2',
      'select top 5 [a] from [t]',
    ])
      expect(() => translated(sql), sql).toThrow(/Incorrect syntax near/)
  })
})
