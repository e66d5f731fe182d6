import { createPrivateKey } from 'node:crypto'
import type { PrivacyError } from '@habeas/core'
import { connectionFailure } from '@habeas/sql'
import { describe, expect, it } from 'vitest'
import { snowflakeConnector } from '../src/index.js'
import { snowflakeErrors } from '../src/snowflake-errors.js'
import { closeAfterEach, connected, failing, holding, rowsOf, service } from './double-connection.js'
import { otherKeys, ownKeys } from './people-account.js'

closeAfterEach()

/** The double knows the account by the name that the driver signs for. */
const keyed = { user: 'service', password: undefined, account_identifier: undefined }

describe('logging in', () => {
  it('refuses a wrong password, and repeats neither it nor the right one', async () => {
    const { double } = await service()
    const failure = await failing((await connected(double, { password: 'wrong-password' })).ping())
    expect(failure.details.reason).toBe('authentication')
    expect(`${failure.message} ${JSON.stringify(failure)}`).not.toContain('wrong-password')
    await (await connected(double)).ping()
  })

  it('signs with the key that the user registered, encrypted or not, and says so of any other', async () => {
    const { double } = await service({ name: '127' })
    const passphrase = 'the passphrase'
    const sealed = createPrivateKey(ownKeys.privateKey)
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase })
      .toString()
    const named = { user: keyed.user, password: undefined }
    await (await connected(double, { ...named, private_key: ownKeys.privateKey })).ping()
    await (await connected(double, { ...named, private_key: sealed, private_key_passphrase: passphrase })).ping()
    const other = await failing((await connected(double, { ...named, private_key: otherKeys.privateKey })).ping())
    expect([other.details.reason, other.message]).toEqual(['authentication', expect.stringContaining('RSA_PUBLIC_KEY')])
    const unread = await failing(
      (await connected(double, { ...named, private_key: sealed, private_key_passphrase: 'no' })).ping(),
    )
    expect([unread.details.reason, unread.message]).toEqual([
      'authentication',
      expect.stringContaining('private_key_passphrase'),
    ])
  })

  it('says where the account takes no password of the user', async () => {
    const { double } = await service()
    const failure = await failing((await connected(double, { user: 'service' })).ping())
    expect([failure.details.reason, failure.message]).toEqual([
      'authentication',
      expect.stringContaining('private_key'),
    ])
  })

  it('asks for a fresh OAuth token at each login', async () => {
    const { double } = await service()
    let asked = 0
    const accessToken = () => {
      asked++
      return 'fresh'
    }
    await (await connected(double, { user: 'service' }, { accessToken })).ping()
    expect(asked).toBe(1)
    const failure = await failing((await connected(double, { user: 'service' }, { accessToken: () => 'stale' })).ping())
    expect(failure.details.reason).toBe('authentication')
  })

  it('waits no longer for a token than for the account, and then takes the next', async () => {
    const { double } = await service()
    const tokens = [new Promise<string>(() => {}), 'fresh']
    const options = { accessToken: () => tokens.shift()!, poolSize: 1, connectTimeoutSeconds: 0.5 }
    const connection = await connected(double, { user: 'service' }, options)
    const { details, message } = await failing(connection.ping())
    expect([details, message]).toEqual([{ reason: 'timeout', transient: true }, expect.stringContaining('accessToken')])
    await connection.ping()
  })

  it('that waits for a token does not keep a connection from closing', async () => {
    const { double } = await service()
    const options = { accessToken: () => new Promise<string>(() => {}), connectTimeoutSeconds: 0.5 }
    const connection = await connected(double, { user: 'service' }, options)
    const failure = failing(connection.ping())
    await connection.close()
    expect(await failure).toMatchObject({ code: 'connection_failed' })
  })

  it('names a role that is missing, and one that is not there', async () => {
    const { double } = await service()
    await (await connected(double, { role_name: 'owner' })).ping()
    const failure = await failing((await connected(double, { role_name: 'sysadmin' })).ping())
    expect([failure.details.reason, failure.message]).toEqual(['permission', expect.stringContaining('role_name')])
  })

  it('sets its limits, and nothing of the time zone of the account', async () => {
    const { double } = await service()
    await (await connected(double, {}, { statementTimeoutSeconds: 7, lockTimeoutSeconds: 3 })).ping()
    expect(double.statements[0]?.sql).toBe(
      "alter session set query_tag = 'habeas' statement_timeout_in_seconds = 7 lock_timeout = 3 abort_detached_query = true autocommit = true quoted_identifiers_ignore_case = false error_on_nondeterministic_update = true strict_json_output = true timezone = 'UTC' date_input_format = 'AUTO' time_input_format = 'AUTO' timestamp_input_format = 'AUTO'",
    )
  })
})

describe('a session whose token expires', () => {
  const twice = async (what: 'tokens' | 'sessions') => {
    const { double } = await service()
    const connection = await connected(double)
    expect(await rowsOf(connection, ['ID'], holding('ID', 1))).toEqual([[1]])
    double.expire(what)
    const again = await rowsOf(connection, ['ID'], holding('ID', 1)).catch((error: PrivacyError) => error)
    return { again, logins: double.statements.filter(({ sql }) => sql.startsWith('alter session')).length, connection }
  }

  it('is renewed amid a run', async () => {
    expect(await twice('tokens')).toMatchObject({ again: [[1]], logins: 1 })
  })

  it('is followed by another, once it was found to be over', async () => {
    const { again, connection } = await twice('sessions')
    expect(again).toMatchObject({ code: 'connection_failed', details: { transient: true } })
    expect(await rowsOf(connection, ['ID'], holding('ID', 2))).toEqual([[2]])
  })
})

describe('warehouses', () => {
  it('says that none was given, and that one cannot be resumed', async () => {
    const { double } = await service()
    const none = await failing((await connected(double, { warehouse_name: undefined })).ping())
    expect([none.details.reason, none.message]).toEqual(['permission', expect.stringContaining('warehouse_name')])
    const spent = await failing((await connected(double, { warehouse_name: 'spent' })).ping())
    expect(spent.message).toContain('resource monitor')
  })
})

describe('names', () => {
  it('are those that are stored: PEOPLE and people are two tables', async () => {
    const { double } = await service()
    const connection = await connected(double)
    expect(await rowsOf(connection, ['ID'], holding('EMAIL', 'jane@example.com'))).toEqual([[1]])
    expect(await rowsOf(connection, ['ID'], holding('EMAIL', 'jane@example.com'), 'people')).toEqual([])
    const column = await failing(rowsOf(connection, ['id'], holding('EMAIL', 'jane@example.com')))
    expect(column.details.reason).toBe('missing_column')
    const table = await failing(rowsOf(connection, ['ID'], holding('EMAIL', 'x'), 'People'))
    expect(table.details.reason).toBe('missing_collection')
  })

  it('names a column that is gone since it was looked at', async () => {
    const { double, people } = await service()
    const connection = await connected(double)
    expect(await rowsOf(connection, ['REGION'], holding('ID', 2))).toEqual([['EU']])
    ;(people.columns as unknown[]).pop()
    const failure = await failing(rowsOf(connection, ['REGION'], holding('ID', 2)))
    expect([failure.details.reason, failure.message]).toEqual(['missing_column', expect.stringContaining('"REGION"')])
  })

  it('says that a database or schema is not there', async () => {
    const { double } = await service()
    const database = await failing((await connected(double, { database: 'nothing' })).describe())
    expect(database.details.reason).toBe('database_missing')
    const schema = await failing((await connected(double, { db_schema: 'nothing' })).describe())
    expect([schema.details.reason, schema.message]).toEqual(['database_missing', expect.stringContaining('NOTHING')])
  })
})

describe('secrets', () => {
  it.each([
    ['neither', { password: undefined }, /lack both password and private_key: add one of them/],
    ['both', { private_key: ownKeys.privateKey }, /hold both password and private_key: remove the one/],
    ['no user', { user: undefined }, /lack user: add/],
  ])('with %s say so before anything is sent', async (_, given, message) => {
    const { double } = await service()
    const failure = await failing((await connected(double, given)).ping())
    expect([failure.details.reason, failure.message]).toEqual(['missing_secret', expect.stringMatching(message)])
    expect(double.statements).toEqual([])
  })

  it('refuse a member that is not known by its name', () => {
    const { parseSecrets } = snowflakeConnector()
    expect(() => parseSecrets({ host: 'a', ssl: { mode: 'require' } })).toThrow(/ssl/)
  })
})

it.each([
  [402001, 'Network error. Could not reach S3/Blob.'],
  [402002, 'Request to S3/Blob failed.'],
])('part of a result that could not be downloaded may be asked for again: %s', (code, words) => {
  const failure = connectionFailure(snowflakeErrors, Object.assign(new Error(words), { code }), 'reading "PEOPLE"')
  expect(failure.details).toEqual({ reason: 'other', transient: true })
  expect(failure.message).toContain('storage of the account')
})

describe('statements that take long', () => {
  it('do not keep a session from failing to open, nor a connection from closing', async () => {
    const { double } = await service({ endless: 'alter session set' })
    const connection = await connected(double, {}, { connectTimeoutSeconds: 0.2 })
    expect((await failing(connection.ping())).details).toEqual({ reason: 'timeout', transient: true })
    await connection.close()
  })

  it('are ended by the service when their time is over', async () => {
    const { double } = await service({ endless: '"PEOPLE" where' })
    const connection = await connected(double, {}, { statementTimeoutSeconds: 1 })
    const failure = await failing(rowsOf(connection, ['ID'], holding('ID', 1)))
    expect(failure.details.reason).toBe('statement_timeout')
    await connection.ping()
  })

  it('are cancelled when nobody waits for them any more', async () => {
    const { double } = await service({ endless: '"PEOPLE" where' })
    const connection = await connected(double)
    const abort = new AbortController()
    const reading = connection.read(
      { collection: 'PEOPLE', columns: ['ID'], anyOf: [holding('ID', 1)] },
      { signal: abort.signal },
    )
    const first = failing(reading[Symbol.asyncIterator]().next())
    await expect.poll(() => double.statements.at(-1)?.sql).toContain('"PEOPLE" where')
    abort.abort()
    expect((await first).details.reason).toBe('cancelled')
    await expect.poll(() => double.cancelled.length).toBe(1)
    await connection.ping()
  })

  it('are cancelled, and their session is closed, when the connection is', async () => {
    const { double } = await service({ endless: '"PEOPLE" where' })
    const connection = await connected(double)
    const reading = failing(rowsOf(connection, ['ID'], holding('ID', 1)))
    await expect.poll(() => double.statements.at(-1)?.sql).toContain('"PEOPLE" where')
    await connection.close()
    expect((await reading).code).toBe('connection_failed')
    expect(double.cancelled).toHaveLength(1)
    await expect.poll(() => double.open.size).toBe(0)
  })
})

describe('erasing', () => {
  const batch = { collection: 'PEOPLE', key: ['ID'], keys: [[1, 2]], anyOf: [holding('EMAIL', 'jane@example.com')] }

  it('counts the rows first, since no key is enforced, and writes those that meet a group', async () => {
    const { double, people } = await service()
    const connection = await connected(double)
    await connection.erase!({ ...batch, set: [{ column: 'NAME', to: null }] })
    expect(people.rows.map(({ NAME }) => NAME)).toEqual([null, 'John'])
    expect(double.statements.map(({ sql }) => sql.split(' ').slice(0, 2).join(' ')).slice(-4)).toEqual([
      'begin transaction',
      'select count(*)',
      'update "SHOP"."PUBLIC"."PEOPLE"',
      'commit',
    ])
    people.rows.push({ ...people.rows[0]! })
    const failure = (await failing(connection.erase!({ ...batch, set: 'delete' }))) as PrivacyError
    expect(failure.details).toEqual({ reason: 'ambiguous_rows' })
    expect(people.rows).toHaveLength(3)
  })

  const whileLeft = (milliseconds: number) => ({
    fence: { lock: 'mine', confirm: async () => {}, leftMs: () => milliseconds },
  })

  it('has COMMIT ended before another worker may come, and takes everything back', async () => {
    const { double, people } = await service()
    const connection = await connected(double, {}, { statementTimeoutSeconds: 7 })
    await connection.erase!({ ...batch, set: [{ column: 'NAME', to: 'masked' }] }, whileLeft(2_900))
    await connection.erase!({ ...batch, set: [{ column: 'NAME', to: null }] }, whileLeft(60_000))
    const limited = double.statements.filter(({ seconds }) => seconds !== undefined)
    expect(limited).toEqual([{ sql: 'commit', parameters: [], seconds: 2 }])
    const late = await service({ endless: '^commit$' })
    const writing = (await connected(late.double)).erase!({ ...batch, set: 'delete' }, whileLeft(1_000))
    expect((await failing(writing)).details.reason).toBe('statement_timeout')
    expect([late.double.statements.at(-1)?.sql, late.people.rows.length]).toEqual(['rollback', 2])
    expect(people.rows[0]?.['NAME']).toBe(null)
  })

  it('sends no COMMIT in the last second, for which the service has no limit', async () => {
    const { double, people } = await service()
    const writing = (await connected(double)).erase!({ ...batch, set: 'delete' }, whileLeft(999))
    expect((await failing(writing)).details).toEqual({ reason: 'statement_timeout', transient: true })
    expect([double.statements.at(-1)?.sql, people.rows.length]).toEqual(['rollback', 2])
  })

  it('repeats no value that the service refuses', async () => {
    const { double, people } = await service()
    const connection = await connected(double)
    const to = 'a text that is too long'
    const failure = await failing(connection.erase!({ ...batch, set: [{ column: 'NAME', to }] }))
    expect(failure.details.reason).toBe('refused')
    expect(JSON.stringify([failure, failure.message, String(failure.cause)])).not.toContain(to)
    expect(people.rows[0]?.['NAME']).toBe('Jane')
    const empty = await failing(connection.erase!({ ...batch, set: [{ column: 'EMAIL', to: null }] }))
    expect(empty.details.reason).toBe('refused')
  })
})
