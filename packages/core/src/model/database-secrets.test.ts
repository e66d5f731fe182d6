import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { isPrivacyError } from '../errors.js'
import { type ConnectionType, connectionTypes } from './connection.js'
import { connectionParts, mergeSecrets, missingSecrets, parseSecrets } from './database-secrets.js'
import { secretSchemas } from './secret-schemas.js'

function refusal(read: () => unknown) {
  try {
    read()
  } catch (error) {
    if (isPrivacyError(error, 'invalid_input')) return error
    throw error
  }
  throw new Error('was read')
}

const types = connectionTypes.map(({ type }) => type)
const parts = { host: 'h', port: 1, user: 'u', password: 'p' }
const keyfile = { type: 'service_account', project_id: 'x', extra: { kept: true } }

describe('parseSecrets', () => {
  it.each<[ConnectionType, unknown, unknown]>([
    ['postgres', { ...parts, db_schema: 's', dbname: 'd' }, { ...parts, db_schema: 's', database: 'd' }],
    ['postgres', { ...parts, user: undefined, username: 'u', port: '1' }, parts],
    ['timescale', { url: 'postgresql://u:p@h:1/d' }, { url: 'postgresql://u:p@h:1/d' }],
    ['redshift', parts, { ...parts, db_schema: 'public' }],
    ['redshift', { url: 'redshift://h', db_schema: 's' }, { url: 'redshift://h', db_schema: 's' }],
    ['mysql', { host: 'h', ssl: true, password: '' }, { host: 'h', ssl: true, password: '' }],
    [
      'mariadb',
      { host: 'h', ssl: { ca: 'PEM', reject_unauthorized: false } },
      { host: 'h', ssl: { ca: 'PEM', reject_unauthorized: false } },
    ],
    ['mssql', { host: 'h', user: 'u', username: 'u' }, { host: 'h', user: 'u' }],
    [
      'mongodb',
      { url: 'mongodb://a:1,b:2/d', defaultauthdb: 'admin' },
      { url: 'mongodb://a:1,b:2/d', defaultauthdb: 'admin' },
    ],
    ['bigquery', { dataset: 'd', keyfile_creds: keyfile }, { dataset: 'd', keyfile_creds: keyfile }],
    ['bigquery', { keyfile_creds: JSON.stringify(keyfile) }, { keyfile_creds: keyfile }],
    [
      'snowflake',
      {
        account_identifier: 'a',
        user_login_name: 'u',
        private_key: 'k',
        private_key_passphrase: 'q',
        warehouse_name: 'w',
        database_name: 'd',
        schema_name: 's',
        role_name: 'r',
      },
      {
        host: 'a',
        user: 'u',
        private_key: 'k',
        private_key_passphrase: 'q',
        warehouse_name: 'w',
        database: 'd',
        db_schema: 's',
        role_name: 'r',
      },
    ],
    ['manual', {}, {}],
    ['manual_webhook', {}, {}],
    ['postgres', { host: null }, {}],
  ])('%s', (type, input, secrets) => {
    expect(parseSecrets(type, input)).toStrictEqual(secrets)
    expect(parseSecrets(type, parseSecrets(type, input))).toStrictEqual(secrets)
  })

  it.each<[ConnectionType, unknown, string]>([
    ['postgres', { host: 5 }, 'host'],
    ['postgres', { hostname: 'hunter2' }, 'hostname'],
    ['postgres', { id: 'hunter2' }, 'id'],
    ['postgres', { port: 'hunter2' }, 'port'],
    ['postgres', { port: 0 }, 'port'],
    ['postgres', { port: '65536' }, 'port'],
    ['postgres', { url: 'hunter2' }, 'url'],
    ['postgres', { user: 'a', username: 'hunter2' }, 'username'],
    ['postgres', { ssl: 'hunter2' }, 'ssl'],
    ['postgres', { ssl: { verify: true } }, 'ssl/verify'],
    ['mongodb', { db_schema: 's' }, 'db_schema'],
    ['bigquery', { host: 'h' }, 'host'],
    ['bigquery', { keyfile_creds: '{"private_key": "hunter2"' }, 'keyfile_creds'],
    ['bigquery', { keyfile_creds: '["hunter2"]' }, 'keyfile_creds'],
    ['bigquery', { keyfile_creds: ['hunter2'] }, 'keyfile_creds'],
    ['manual', { host: 'h' }, 'host'],
    ['postgres', 'hunter2', ''],
  ])('%s refuses %j without repeating it', (type, input, loc) => {
    const error = refusal(() => parseSecrets(type, input))
    expect(error.details.issues.map((issue) => issue.loc.join('/'))).toEqual([loc])
    expect(JSON.stringify(error) + String(error.cause)).not.toContain('hunter2')
  })

  it.each(types)('%s has a JSON Schema', (type) => {
    expect(z.toJSONSchema(secretSchemas[type], { io: 'input' })).toMatchObject({ additionalProperties: false })
  })
})

describe('mergeSecrets', () => {
  it.each([
    [{ password: 'new' }, { ...parts, password: 'new' }],
    [{ username: 'new' }, { ...parts, user: 'new' }],
    [{ username: null }, { host: 'h', port: 1, password: 'p' }],
    [
      { url: 'postgresql://other/d', db_schema: 's' },
      { url: 'postgresql://other/d', db_schema: 's' },
    ],
    [
      { url: 'postgresql://other/d', password: 'x' },
      { url: 'postgresql://other/d', password: 'x' },
    ],
    [{ url: null }, parts],
    [{}, parts],
  ])('%j', (patch, merged) => {
    expect(mergeSecrets('postgres', parts, patch)).toStrictEqual(merged)
  })

  it('keeps a schema that the patch does not name, and replaces a key file whole', () => {
    expect(mergeSecrets('redshift', { host: 'h', db_schema: 's' }, { host: 'i' })).toEqual({
      host: 'i',
      db_schema: 's',
    })
    expect(mergeSecrets('bigquery', { keyfile_creds: keyfile }, { keyfile_creds: { a: 1 } })).toEqual({
      keyfile_creds: { a: 1 },
    })
  })

  it('refuses the same input as parseSecrets', () => {
    expect(refusal(() => mergeSecrets('postgres', parts, { nope: 1 })).details.issues[0]?.loc).toEqual(['nope'])
    expect(refusal(() => mergeSecrets('postgres', parts, [])).details.issues[0]?.loc).toEqual([])
  })
})

it.each<[ConnectionType, Record<string, unknown>, string[]]>([
  ['postgres', {}, ['host']],
  ['postgres', { url: 'postgresql://' }, []],
  ['postgres', { host: '' }, ['host']],
  ['redshift', { host: 'h' }, ['user', 'password']],
  ['snowflake', {}, ['host', 'user']],
  ['snowflake', { host: 'a', user: 'u' }, []],
  ['bigquery', {}, ['dataset', 'keyfile_creds']],
  ['manual_webhook', {}, []],
])('%s with %j misses %j', (type, secrets, missing) => {
  expect(missingSecrets(type, secrets)).toEqual(missing)
})

it.each([
  [
    { url: 'postgresql://u:p%40s@h:5433/my%20db?sslmode=require' },
    { host: 'h', port: 5433, user: 'u', password: 'p@s', database: 'my db' },
  ],
  [{ url: 'mysql://h' }, { host: 'h' }],
  [
    { url: 'mysql://u:a@h/d', password: 'b', port: 3307 },
    { host: 'h', port: 3307, user: 'u', password: 'b', database: 'd' },
  ],
  [{ url: 'postgresql://u:50%@[::1]:1/d' }, { host: '::1', port: 1, user: 'u', password: '50%', database: 'd' }],
  [{ url: 'mongodb://a:1,b:2/d', user: 'u' }, { user: 'u' }],
  [parts, parts],
])('connectionParts of %j', (secrets, expected) => {
  expect(connectionParts(secrets)).toStrictEqual(expected)
})

it.each([
  ['postgres', 'mysql://u:planted@h/d', 'postgresql://user'],
  ['timescale', 'mongodb://u:planted@h/d', 'postgresql://user'],
  ['mariadb', 'postgresql://u:planted@h/d', 'mysql://user'],
  ['mssql', 'postgresql://u:planted@h/d', 'mssql://user'],
  ['mongodb', 'postgresql://u:planted@h/d', 'mongodb://user'],
] as const)('a url of another kind of server is refused for %s, with the right form', (type, url, form) => {
  expect(() => parseSecrets(type, { url })).toThrow(form)
  expect(() => parseSecrets(type, { url })).not.toThrow('planted')
})

it.each([
  ['postgres', 'postgresql+psycopg2://h/d'],
  ['timescale', 'POSTGRES://h/d'],
  ['mysql', 'mariadb://h/d'],
  ['mssql', 'sqlserver://h/d'],
  ['mongodb', 'mongodb+srv://h/d'],
] as const)('other schemes of the same kind are taken for %s: %s', (type, url) => {
  expect(parseSecrets(type, { url })).toEqual({ url })
})

it('a url from a variable of the environment that is not set is refused', () => {
  expect(() => parseSecrets('postgres', { url: undefined, user: 'u' })).toThrow(
    'check that the environment variable is set.',
  )
  expect(parseSecrets('postgres', { url: undefined, host: 'h' })).toEqual({ host: 'h' })
})
