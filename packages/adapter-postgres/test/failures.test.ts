import { type AddressInfo, createServer, type Server } from 'node:net'
import { isPrivacyError, type PrivacyError } from '@habeas/core'
import { type PostgresServer, selfSignedCertificate, startPostgres } from '@habeas/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresConnector } from '../src/index.js'
import { having, openDatabase, rowsOf, type TestDatabase } from './database.js'

const password = 'the right password'
const { key, certificate } = selfSignedCertificate('database.internal')
let server: PostgresServer
let silent: Server
/** Lets anybody log in, and then says nothing, as a pooler that is paused. */
let paused: Server
let database: TestDatabase

beforeAll(async () => {
  server = await startPostgres({ password, tls: { key, certificate } })
  silent = createServer(() => {}).listen(0, '127.0.0.1')
  paused = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.write(loggedIn))
  }).listen(0, '127.0.0.1')
  database = await openDatabase(server.url, 'create table sample (id integer primary key, gone text)')
  await database.client.query('create database closed allow_connections false')
})
afterAll(async () => {
  await database?.close()
  silent?.close()
  paused?.close()
  await server?.stop()
})

/** The words AuthenticationOk and ReadyForQuery. */
const loggedIn = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')
const portOf = (server: Server) => (server.address() as AddressInfo).port

const right = () => ({ host: '127.0.0.1', port: server.port, user: 'postgres', password, database: 'postgres' })

async function failureOf(secrets: Record<string, unknown>): Promise<PrivacyError> {
  const connector = postgresConnector({ connectTimeoutSeconds: 0.5 })
  const connection = await connector.connect(connector.parseSecrets(secrets))
  try {
    await connection.ping()
  } catch (error) {
    if (isPrivacyError(error, 'connection_failed')) return error
    throw error
  } finally {
    await connection.close()
  }
  throw new Error('the ping succeeded')
}

describe('a connection that cannot be made says what to correct', () => {
  it.each<[string, () => Record<string, unknown>, string, RegExp]>([
    ['a wrong password', () => ({ ...right(), password: 'a wrong one' }), 'authentication', /user and password/],
    ['no password', () => ({ ...right(), password: '' }), 'authentication', /password/],
    ['an unknown user', () => ({ ...right(), user: 'somebody' }), 'authentication', /user/],
    ['a missing database', () => ({ ...right(), database: 'nowhere' }), 'database_missing', /database/],
    [
      'a database that is closed',
      () => ({ ...right(), database: 'closed' }),
      'other',
      /accepts no connections for now/,
    ],
    ['a refused port', () => ({ ...right(), port: 1 }), 'refused', /port/],
    ['an unknown host', () => ({ ...right(), host: 'no-such-host.invalid' }), 'name_not_resolved', /host/],
    ['a silent server', () => ({ ...right(), port: portOf(silent) }), 'timeout', /host/],
    ['a server that is silent after the login', () => ({ ...right(), port: portOf(paused) }), 'timeout', /host/],
    ['an untrusted certificate', () => ({ ...right(), ssl: true }), 'tls', /ssl\.ca/],
    [
      'a certificate for another name',
      () => ({ ...right(), ssl: { ca: certificate, server_name: 'x.org' } }),
      'tls',
      /server_name/,
    ],
    ['a certificate that is none', () => ({ ...right(), ssl: { ca: 'no PEM', key: 'x' } }), 'tls', /ssl/],
    ['no host', () => ({ user: 'postgres' }), 'missing_secret', /host/],
    ['a URL of several hosts', () => ({ url: 'postgres://one:1,two:2/db' }), 'missing_secret', /several/],
  ])('%s', async (what, secrets, reason, message) => {
    const failure = await failureOf(secrets())
    const mayPass = /refused|silent|closed/.test(what)
    expect(failure.details).toEqual({ reason, ...(mayPass && { transient: true }) })
    expect(failure.message).toMatch(message)
    const shown = JSON.stringify(failure)
    for (const value of [
      'no-such-host',
      '127.0.0.1',
      'somebody',
      'nowhere',
      'a wrong one',
      password,
      String(server.port),
    ]) {
      expect(shown).not.toContain(value)
    }
  })

  it('TLS is demanded of a server without it', async () => {
    const plain = await startPostgres()
    try {
      const failure = await failureOf({ url: plain.url, ssl: true })
      expect(failure.details).toEqual({ reason: 'tls' })
      expect(failure.message).toMatch(/does not offer encryption/)
    } finally {
      await plain.stop()
    }
  })
})

describe('a connection that can be made', () => {
  it.each<[string, () => Record<string, unknown>, boolean]>([
    ['from parts', right, false],
    ['from a URL', () => ({ url: server.url }), false],
    ['from a URL, a part of it overridden', () => ({ url: server.url.replace('the', 'not'), password }), false],
    ['encrypted, by a certificate that is given', () => ({ ...right(), ssl: { ca: certificate } }), true],
    [
      'encrypted, by its name',
      () => ({ ...right(), ssl: { ca: certificate, server_name: 'database.internal' } }),
      true,
    ],
    ['encrypted, unverified', () => ({ ...right(), ssl: { reject_unauthorized: false } }), true],
    ['encrypted, as the URL asks', () => ({ url: `${server.url}?sslmode=require` }), true],
    ['plain, where the URL does not insist', () => ({ url: `${server.url}?sslmode=prefer` }), false],
  ])('%s', async (_, secrets, encrypted) => {
    const connector = postgresConnector({ applicationName: 'under test' })
    const connection = await connector.connect(connector.parseSecrets(secrets()))
    try {
      await connection.ping()
      const { rows } = await database.client.query(
        `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'under test'`,
      )
      expect(rows).toEqual([{ ssl: encrypted }])
    } finally {
      await connection.close()
    }
  })
})

describe('a statement that fails says what it was about', () => {
  const details = (reason: string) => ({ code: 'connection_failed', details: { reason } })

  it('a table or column was dropped since it was described', async () => {
    const { connection, client } = database
    expect(await rowsOf(connection, 'sample', ['gone'], having('id', 1))).toEqual([])
    await client.query('alter table sample drop column gone')
    await expect(rowsOf(connection, 'sample', ['gone'], having('id', 1))).rejects.toMatchObject({
      ...details('missing_column'),
      message: expect.stringContaining('"sample" has no column "gone"'),
    })
    await client.query('drop table sample')
    await expect(connection.count([{ collection: 'sample', anyOf: [having('id', 1)] }])).rejects.toMatchObject({
      ...details('missing_collection'),
      message: expect.stringContaining('"sample"'),
    })
    await client.query('create table sample (id integer primary key, gone text)')
    await client.query('create table other (id integer primary key, gone text)')
    const sample = { collection: 'sample', anyOf: [having('id', 1)] }
    const other = { ...sample, collection: 'other', noneOf: [having('gone', 'x')] }
    expect(await connection.count([sample, other])).toEqual([0, 0])
    await client.query('alter table other drop column gone')
    await expect(connection.count([sample, other])).rejects.toMatchObject({
      ...details('missing_column'),
      message: expect.stringContaining('"other" has no column "gone"'),
    })
    await client.query('alter table other add column gone text')
    expect(await connection.count([sample, other])).toEqual([0, 0])
    await client.query('drop table other')
    await expect(connection.count([sample, other])).rejects.toMatchObject({
      ...details('missing_collection'),
      message: expect.stringContaining('"other"'),
    })
    expect(await rowsOf(connection, 'sample', ['gone'], having('id', 1))).toEqual([])
  })

  it('a permission is missing', async () => {
    await database.client.query(`create role reader login password '${password}'`)
    const reader = await database.connect({}, { user: 'reader' })
    await expect(rowsOf(reader, 'sample', ['id'], having('id', 1))).rejects.toMatchObject(details('permission'))
    const empty = await database.connect({}, { user: 'reader', db_schema: 'nothing' })
    await expect(empty.describe()).rejects.toMatchObject(details('database_missing'))
    await database.client.query('create schema closed')
    const closed = await database.connect({}, { user: 'reader', db_schema: 'closed' })
    await expect(closed.describe()).rejects.toMatchObject(details('permission'))
    await database.client.query('drop schema closed')
    await reader.close()
    await database.client.query('drop role reader')
  })

  it('a server ends the session, and the next call opens another one', async () => {
    await database.connection.ping()
    const kill = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'habeas'`
    await database.client.query(kill)
    await expect.poll(() => database.connection.ping().then(() => 'answers', String)).toBe('answers')
    await database.client.query(`create view slow as select 1 as id, pg_sleep(10)::text as waited`)
    const running = rowsOf(database.connection, 'slow', ['waited'], having('id', 1))
    const outcome = expect(running).rejects.toMatchObject(details('other'))
    const waits = `select from pg_stat_activity where application_name = 'habeas' and wait_event = 'PgSleep'`
    await expect.poll(async () => (await database.client.query(waits)).rowCount).toBe(1)
    await database.client.query(kill)
    await outcome
    // the word of the others' end may still be on its way
    await expect.poll(() => database.connection.ping().then(() => 'answers', String)).toBe('answers')
  })
})

describe('options', () => {
  it.each<[Record<string, unknown>, string]>([
    [null as never, 'options'],
    [{ poolSize: 0 }, 'poolSize'],
    [{ statementTimeoutSeconds: '5' }, 'statementTimeoutSeconds'],
    [{ applicationName: 5 }, 'applicationName'],
    [{ poolsize: 4 }, 'poolsize'],
  ])('%j is refused, naming the option', (options, option) => {
    expect(() => postgresConnector(options)).toThrow(
      expect.objectContaining({ code: 'misconfigured', details: { option } }),
    )
  })
})
