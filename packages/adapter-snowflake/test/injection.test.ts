import { inspect } from 'node:util'
import type { Connection, Value } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { snowflakeConnector } from '../src/index.js'
import { closeAfterEach, connected, failing, holding, rowsOf, service } from './double-connection.js'
import { ownKeys } from './people-account.js'

closeAfterEach()

/** Quotes, signs that only look like quotes, escapes, comments, parameters, and JSON. */
const hostile = [
  "'",
  "' or '1' = '1",
  "\\' or 1 = 1; --",
  '\\',
  '"',
  '" where true; drop table "PEOPLE"; --',
  '$$; drop table PEOPLE; $$',
  '\u2018 or true --', // a curly quote
  '\uff07 or true --', // a wide quote
  'e\u0301', // the same as é to a reader
  '\u202e"drop', // written from right to left
  '?',
  ':1',
  '/* */',
  '{"$ne": null}',
  '{"__proto__": {"admin": true}}',
  '["a"]',
  '"a"',
  'null',
  'nnull',
  'sx',
  '__proto__',
  'constructor',
  '%',
]

const names = ['ID', '__proto__', 'constructor', 'a.b', 'a"b', "a'b", '\uff02', 'element_', 'drop']
const column = (name: string) => ({ name, type: name === 'ID' ? 'NUMBER' : 'TEXT' })
const rowOf = (id: number, text: string) =>
  Object.fromEntries(names.map((name) => [name, name === 'ID' ? String(id) : text] as const))

async function opened() {
  const people = { name: 'PERSON', columns: names.map(column), rows: hostile.map((text, at) => rowOf(at, text)) }
  const secret = { name: 'SECRET', columns: names.map(column), rows: [rowOf(0, 'planted-secret')] }
  const { double } = await service({ databases: { SHOP: { PUBLIC: [people, secret] } } })
  return { double, people, connection: await connected(double) }
}

const idsOf = (connection: Connection, name: string, ...values: string[]) =>
  rowsOf(connection, ['ID'], holding(name, ...values), 'PERSON')

describe('values', () => {
  it('are equal to themselves alone, in every column, and in no statement', async () => {
    const { double, connection } = await opened()
    for (const [at, text] of hostile.entries()) {
      for (const name of names.slice(1)) expect(await idsOf(connection, name, text), `${name}: ${text}`).toEqual([[at]])
    }
    const texts = double.statements.map(({ sql }) => sql.replaceAll(/"(?:[^"]|"")*"/g, ''))
    const long = hostile.filter((each) => each.length > 4 && !['nnull', '__proto__', 'constructor'].includes(each))
    for (const text of texts) for (const value of long) expect(text).not.toContain(value)
  })

  it('are written as they are', async () => {
    const { connection, people } = await opened()
    for (const [at, text] of [...hostile].reverse().entries()) {
      const set = names.slice(1).map((name) => ({ column: name, to: text }))
      await connection.erase!({ collection: 'PERSON', key: ['ID'], keys: [[at]], anyOf: [holding('ID', at)], set })
    }
    const left = people.rows.map((row) => names.slice(1).map((name) => row[name]))
    expect(left).toEqual([...hostile].reverse().map((text) => names.slice(1).map(() => text)))
  })
})

describe('names', () => {
  it.each([
    '../SECRET',
    'SECRET"',
    'PERSON" as t, "SHOP"."PUBLIC"."SECRET',
    'SHOP.PUBLIC.SECRET',
    'PUBLIC.SECRET',
    'INFORMATION_SCHEMA.TABLES',
    'SECRET at(offset => -60)',
    'identifier(?)',
    '@stage',
    'secret',
    '\uff33ECRET', // a wide S
    '__proto__',
    '',
  ])('of no collection reach nothing: %j', async (collection) => {
    const { connection } = await opened()
    const asked = { collection, anyOf: [holding('ID', 0)] }
    const calls = [
      connection
        .read({ ...asked, columns: ['drop'] })
        [Symbol.asyncIterator]()
        .next(),
      connection.count([asked]),
      connection.countEach?.({ collection, group: holding('ID', 0) }),
      connection.erase?.({ ...asked, key: ['ID'], keys: [[0]], set: 'delete' }),
    ]
    for (const failure of await Promise.all(calls.map((call) => failing(Promise.resolve(call))))) {
      expect(failure).toMatchObject({ code: 'connection_failed', details: { reason: 'missing_collection' } })
    }
  })

  it.each(['drop" or true --', 'ID"', '"ID"', 'id', '*', '$1', "a'b' --", 'DROP'])(
    'of no column reach nothing: %s',
    async (name) => {
      const { connection } = await opened()
      const failure = await failing(rowsOf(connection, ['ID'], holding(name, 'a' as Value as string), 'PERSON'))
      expect(failure).toMatchObject({ code: 'connection_failed', details: { reason: 'missing_column' } })
    },
  )
})

describe('secrets', () => {
  const hostileNames = ['a"b', "shop'; drop", 'shop"."OTHER', '\u0430', '__proto__', '"', 'PUBLIC"; select 1; --']

  it.each(hostileNames)('that name no database are a name, and nothing else: %s', async (database) => {
    const { double } = await opened()
    const failure = await failing((await connected(double, { database })).describe())
    expect(failure.details.reason).toBe('database_missing')
    const schema = await failing((await connected(double, { db_schema: database })).describe())
    expect(schema.details.reason).toBe('database_missing')
  })

  it.each([
    ['password', { password: 'planted-password' }],
    ['private_key', { password: undefined, private_key: `${ownKeys.privateKey.slice(0, -60)}planted-key` }],
    [
      'passphrase',
      { password: undefined, private_key: ownKeys.privateKey.slice(9), private_key_passphrase: 'planted-phrase' },
    ],
  ])('that are refused are not repeated: %s', async (_, given) => {
    const { double } = await opened()
    const failure = await failing((await connected(double, given)).ping())
    expect(failure.details.reason).toBe('authentication')
    const shown = `${failure.message} ${inspect(failure, { depth: null, showHidden: true })}`
    for (const planted of ['planted-', ownKeys.privateKey.slice(60, 120)]) expect(shown).not.toContain(planted)
  })

  it.each(["x' autocommit = false --", 'x', '1habeas', 'acme privacy', 'x'.repeat(52), 'habeas\n', ''])(
    'are refused where applicationName is none that the driver takes: %j',
    (applicationName) => {
      expect(() => snowflakeConnector({ applicationName })).toThrow(
        expect.objectContaining({ code: 'misconfigured', details: { option: 'applicationName' } }),
      )
    },
  )

  it.each(['h1', 'Acme.privacy-team_1', 'x'.repeat(51)])('are those of the session: %s', async (applicationName) => {
    const { double } = await opened()
    await (await connected(double, {}, { applicationName })).ping()
    expect(double.statements[0]?.sql).toContain(`set query_tag = '${applicationName}' statement_timeout`)
  })

  it.each([
    [{ host: 'evil.example.com/' }, 'evil.example.com/'],
    [{ host: 'a@evil' }, 'a@evil'],
    [{ host: 'a?b' }, 'a?b'],
    [{ host: 'a#b' }, 'a#b'],
    [{ host: 'https://organization-account.snowflakecomputing.com' }, 'https://organization'],
  ])('whose host is no name of an account are refused: %j', async (given, host) => {
    const connector = snowflakeConnector()
    const connection = await connector.connect(
      connector.parseSecrets({ ...given, user: 'u', password: 'planted-password', database: 'd' }),
    )
    const failure = await failing(connection.ping())
    await connection.close()
    expect(failure.details.reason).toBe('missing_secret')
    expect(failure.message).not.toContain(host)
  })
})
