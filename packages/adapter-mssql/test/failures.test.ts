import { once } from 'node:events'
import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { isPrivacyError, type KeyGroup, type PrivacyError } from '@habeas/core'
import { selfSignedCertificate } from '@habeas/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MssqlConnectorOptions, mssqlConnector } from '../src/index.js'
import { type DoubleDatabase, sharedDouble } from './double-database.js'

const group = (column: string, ...keys: readonly (string | number)[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [keys],
})

async function failing(work: Promise<unknown> | undefined): Promise<PrivacyError<'connection_failed'>> {
  const error = await work?.then(
    () => undefined,
    (rejection: unknown) => rejection,
  )
  if (!isPrivacyError(error, 'connection_failed')) throw new Error(`not a connection_failed: ${inspect(error)}`)
  expect(inspect(error, { depth: 9 })).not.toContain('wrong-password')
  return error
}

async function pinging(secrets: Record<string, unknown>, options?: MssqlConnectorOptions) {
  const connector = mssqlConnector(options)
  const connection = await connector.connect(connector.parseSecrets(secrets))
  try {
    return await failing(connection.ping())
  } finally {
    await connection.close()
  }
}

describe('a server without encryption', () => {
  const double = sharedDouble({ mostSessions: 6 })
  let database: DoubleDatabase
  beforeAll(async () => {
    database = await double.openDatabase()
    await database.client.query('create table people (id int primary key, name varchar(9) collate mssql.ci)')
  })
  afterAll(() => database.close())
  const secrets = (more: object) => ({ url: database.url, ...more })

  it.each([
    ['authentication', { password: 'wrong-password' }, 'user and password'],
    ['database_missing', { database: 'no_such_database' }, 'check database'],
    ['refused', { port: 1 }, 'Nothing listens'],
    ['name_not_resolved', { host: 'no-such-host.invalid' }, 'host'],
    ['tls', { ssl: true }, 'does not offer encryption'],
  ])('%s: %j', async (reason, more, words) => {
    const failure = await pinging(secrets(more))
    expect([failure.details.reason, failure.message]).toEqual([reason, expect.stringContaining(words)])
  })

  it.each([
    [String.raw`localhost\SQLEXPRESS`, 'the port of the instance as port'],
    ['localhost,1433', 'a port as port'],
    ['localhost:1433', 'a port as port'],
    ['tcp:localhost', 'the name or address alone as host'],
  ])('says which option holds what the host %s has too much', async (host, words) => {
    const { message, details } = await pinging({ host, port: double.port, database: 'shop' })
    expect([details.reason, message]).toEqual(['name_not_resolved', expect.stringContaining(words)])
    expect(message).not.toContain(host)
  })

  it('says which secret is missing', async () => {
    const { message, details } = await pinging({ host: '127.0.0.1', port: double.port })
    expect([details.reason, message]).toEqual(['missing_secret', expect.stringContaining('lack database')])
    expect((await pinging({ database: 'shop' })).message).toContain('lack host')
  })

  it('says that a schema is not there', async () => {
    const connection = await database.connect({}, { db_schema: 'nothing' })
    const { message } = await failing(connection.describe())
    expect(message).toContain('check db_schema')
    await connection.close()
  })

  it('says that the server takes no more connections', async () => {
    await expect.poll(() => double.sessions()).toBe(0)
    const connections = await Promise.all(Array.from({ length: 6 }, () => database.connect({ poolSize: 1 })))
    for (const connection of connections) await connection.ping()
    const failure = await pinging(secrets({}))
    expect([failure.details.transient, failure.message]).toEqual([true, expect.stringContaining('no more connections')])
    for (const connection of connections) await connection.close()
    await expect.poll(() => double.sessions()).toBe(0)
  })

  it('says which table the user may not read, and that a write is not permitted', async () => {
    await database.client.query('create role nobody_special; grant usage on schema dbo, mssql to nobody_special')
    await database.client.query(
      `grant select on people to nobody_special; alter database ${database.name} set role = 'nobody_special'`,
    )
    try {
      const connection = await database.connect()
      const anyOf = [group('id', 1)]
      expect(await connection.count([{ collection: 'people', anyOf }])).toEqual([0])
      const set = [{ column: 'name', to: 'x' }]
      const failure = await failing(connection.erase?.({ collection: 'people', key: ['id'], keys: [[1]], anyOf, set }))
      expect([failure.details.reason, failure.message]).toEqual(['permission', expect.stringContaining('"people"')])
      await connection.close()
    } finally {
      await database.client.query(
        `alter database ${database.name} reset role; drop owned by nobody_special; drop role nobody_special`,
      )
    }
  })

  it('a server that accepts a connection and says nothing is given up', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const failure = await pinging(secrets({ port }), { connectTimeoutSeconds: 0.2 })
    expect(failure.details).toMatchObject({ reason: 'timeout', transient: true })
    silent.close()
  })

  it('a server of another kind is doubted', async () => {
    const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    expect((await pinging(secrets({ port }))).message).toContain(
      'check that what listens at host and port is SQL Server.',
    )
    other.close()
  })

  it('a table or column that is gone since it was looked at is named', async () => {
    const connection = await database.connect()
    await database.client.query('create table gone (id int primary key, name varchar(9) collate mssql.ci)')
    const count = () => connection.count([{ collection: 'gone', anyOf: [group('name', 'x')] }])
    expect(await count()).toEqual([0])
    await database.client.query('alter table gone drop column name')
    expect((await failing(count())).details.reason).toBe('missing_column')
    await database.client.query('drop table gone')
    expect((await failing(count())).details.reason).toBe('missing_collection')
  })
})

describe('a server that says nothing after the login', () => {
  const double = sharedDouble({ silent: true })
  let database: DoubleDatabase
  beforeAll(async () => {
    database = await double.openDatabase()
  })
  afterAll(() => database.close())

  it('is given up as well', async () => {
    const failure = await pinging({ url: database.url }, { connectTimeoutSeconds: 0.5 })
    expect(failure.details).toMatchObject({ reason: 'timeout', transient: true })
  })
})

describe('a server with a certificate of its own making', () => {
  const certificate = selfSignedCertificate('db.example.com')
  const double = sharedDouble({ certificate })
  let database: DoubleDatabase
  beforeAll(async () => {
    database = await double.openDatabase()
  })
  afterAll(() => database.close())

  it('is spoken to with encryption where nothing is said, and where no certificate is to be verified', async () => {
    for (const ssl of [undefined, false, { reject_unauthorized: false }])
      await (await database.connect({}, { ...(ssl !== undefined && { ssl }) })).ping()
  })

  it('is refused where its certificate has to verify, and taken with that of its authority', async () => {
    const connection = await database.connect({}, { ssl: true })
    expect((await failing(connection.ping())).details.reason).toBe('tls')
    const url = await database.connect({}, { url: `${database.url}?encrypt=true` })
    expect((await failing(url.ping())).details.reason).toBe('tls')
    await (await database.connect({}, { ssl: { ca: certificate.certificate, server_name: 'db.example.com' } })).ping()
  })

  it('is refused where the certificate is made out to another name', async () => {
    const ssl = { ca: certificate.certificate, server_name: 'other.example.com' }
    expect((await failing((await database.connect({}, { ssl })).ping())).details.reason).toBe('tls')
  })

  it('gives many rows over it', async () => {
    await database.client.query(
      `create table many as select n as id, repeat('x', 4000)::varchar(4000) as name from generate_series(1, 500) as n`,
    )
    const connection = await database.connect()
    let rows = 0
    const ids = Array.from({ length: 500 }, (_, at) => at + 1)
    for await (const batch of connection.read({
      collection: 'many',
      columns: ['id', 'name'],
      anyOf: [group('id', ...ids)],
    }))
      rows += batch.length
    expect(rows).toBe(500)
  })
})
