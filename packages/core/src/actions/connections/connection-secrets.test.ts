import { describe, expect, test, vi } from 'vitest'
import { aesSecrets } from '../../builtin/aes-secrets.js'
import { memoryStorage } from '../../builtin/memory-storage.js'
import { systemRuntime } from '../../builtin/system-runtime.js'
import { PrivacyError } from '../../errors.js'
import type { Connection, Connector } from '../../ports/connector.js'
import type { ActionContext } from '../action-context.js'
import { datasetStore } from '../resources/dataset-actions.js'
import { connectionActions } from './connection-actions.js'
import { connectionSecrets } from './connection-secrets.js'

const never = () => new Promise<never>(() => {})

function connector(type: string, connection: Partial<Connection>, more: Partial<Connector> = {}): Connector {
  const asked = {
    ping: async () => {},
    describe: never,
    read: async function* () {},
    count: never,
    close: async () => {},
  }
  const open = { concurrency: 1, ...asked, ...connection }
  return {
    type,
    category: 'database',
    capabilities: { maxKeys: 10, nestedFields: false },
    parseSecrets: (input) => input,
    connect: async () => open as Connection,
    ...more,
  }
}

async function setUp(type: string, registered?: Connector) {
  const context: ActionContext = {
    storage: memoryStorage(),
    secrets: aesSecrets({ keys: Buffer.alloc(32, 1).toString('base64') }),
    runtime: systemRuntime,
    connectors: new Map(registered ? [[registered.type as string, registered]] : []),
    options: { taxonomy: 'open', connectionTestSeconds: 0.1 },
    connectionChanged: () => {},
  }
  const connections = connectionActions(context, datasetStore(context))
  await connections.put({ key: 'db', name: 'DB', connectionType: type })
  const { source } = connectionSecrets(context)
  return { context, connections, source, opened: async () => (await source('db')).secrets() }
}

describe('secrets', () => {
  test('are sealed, tested once stored, and in no answer', async () => {
    const { connections, context, opened } = await setUp('postgres', connector('postgres', {}))
    const answer = await connections.setSecrets('db', { host: 'db.internal', username: 'joe', password: 'hunter2' })
    expect(answer).toEqual({
      msg: "The secrets of the connection 'db' were stored.",
      testStatus: 'succeeded',
      failureReason: null,
    })
    expect(await opened()).toEqual({ host: 'db.internal', user: 'joe', password: 'hunter2' })
    const row = await context.storage.table('connectionSecret').get('db')
    const visible = [answer, row, await connections.get('db'), await connections.list(), await connections.test('db')]
    for (const secret of ['hunter2', 'db.internal', 'joe']) {
      expect(JSON.stringify(visible)).not.toContain(secret)
      expect(Buffer.from(row!.sealed, 'base64').toString('latin1')).not.toContain(secret)
    }
    expect(await connections.get('db')).toMatchObject({ lastTestSucceeded: true, lastTestAt: expect.any(String) })
  })

  test('a key server that is away is not taken for secrets that are lost', async () => {
    const { connections, context } = await setUp('postgres', connector('postgres', {}))
    await connections.setSecrets('db', { host: 'db.internal' }, { verify: false })
    const away = new PrivacyError('unavailable', 'The key server is away.')
    const secrets = { ...context.secrets, open: () => Promise.reject(away) }
    const source = await connectionSecrets({ ...context, secrets }).source('db')
    await expect(source.secrets()).rejects.toBe(away)
  })

  test('PUT replaces, PATCH merges; verify: false leaves the last test alone', async () => {
    const { connections, opened } = await setUp('postgres', connector('postgres', {}))
    const untested = { verify: false }
    expect(await connections.setSecrets('db', { host: 'a', password: 'p', port: '5432' }, untested)).toMatchObject({
      testStatus: null,
      failureReason: null,
    })
    await connections.setSecrets('db', { host: 'b', port: null }, { ...untested, merge: true })
    expect(await opened()).toEqual({ host: 'b', password: 'p' })
    await connections.setSecrets('db', { host: 'c' }, untested)
    expect(await opened()).toEqual({ host: 'c' })
    expect(await connections.get('db')).not.toHaveProperty('lastTestAt')
  })

  test('that are merged at the same time all take effect', async () => {
    const { connections, opened } = await setUp('postgres', connector('postgres', {}))
    const members = { host: 'a', user: 'b', password: 'c', database: 'd', db_schema: 'e' }
    const patches = Object.entries(members).map(([name, value]) => ({ [name]: value }))
    await Promise.all(patches.map((patch) => connections.setSecrets('db', patch, { merge: true, verify: false })))
    expect(await opened()).toEqual(members)
  })

  test('change the revision each time, and nothing else does', async () => {
    const { connections, source } = await setUp('postgres', connector('postgres', {}))
    const store = () => connections.setSecrets('db', { host: 'a' }, { verify: false })
    await store()
    const { revision } = await source('db')
    await connections.test('db')
    await connections.patch({ key: 'db', description: 'new' })
    expect((await source('db')).revision).toBe(revision)
    await store()
    expect((await source('db')).revision).not.toBe(revision)
    await connections.remove('db')
    await connections.put({ key: 'db', connectionType: 'postgres' })
    await store()
    expect((await source('db')).revision).not.toBe(revision)
  })

  test('unknown members are refused without repeating a value', async () => {
    const { connections } = await setUp('postgres')
    const error = await connections.setSecrets('db', { hots: 'hunter2', port: 'hunter2' }).catch((error) => error)
    expect(error).toMatchObject({ code: 'invalid_input', details: { issues: [{ loc: ['port'] }, { loc: ['hots'] }] } })
    expect(`${JSON.stringify(error)}${error.message}${error.stack}`).not.toContain('hunter2')
    await expect(connections.setSecrets('no', { host: 'h' })).rejects.toMatchObject({ code: 'not_found' })
    for (const input of [undefined, null, 'text', []]) {
      await expect(connections.setSecrets('db', input)).rejects.toMatchObject({ code: 'invalid_input' })
    }
  })

  test('sealed for one connection do not open for another', async () => {
    const { connections, context, source } = await setUp('postgres', connector('postgres', {}))
    await connections.setSecrets('db', { host: 'a' }, { verify: false })
    await connections.put({ key: 'other', connectionType: 'postgres' })
    const row = await context.storage.table('connectionSecret').get('db')
    await context.storage.table('connectionSecret').insert({ ...row!, id: 'other' })
    await expect((await source('other')).secrets()).rejects.toMatchObject({ details: { reason: 'unreadable_secrets' } })
    expect(await connections.test('other')).toMatchObject({
      testStatus: 'failed',
      failureReason: expect.stringContaining('cannot be opened'),
    })
  })

  test('of a custom kind are an object, whatever its connector takes', async () => {
    const { connections } = await setUp('crm', connector('crm', {}))
    for (const input of [undefined, null, 'hunter2', ['hunter2']]) {
      const refusal = connections.setSecrets('db', input, { merge: true })
      await expect(refusal).rejects.toMatchObject({ code: 'invalid_input' })
    }
  })

  test('of a custom kind are checked by its connector and stored as given', async () => {
    const parseSecrets = (input: unknown) => {
      const { token } = input as { token: string }
      if (typeof token !== 'string' || token.length < 3) throw new Error(`bad token ${token}`)
      return { parsed: token }
    }
    const connect = vi.fn(connector('crm', {}).connect)
    const { connections } = await setUp('crm', connector('crm', {}, { parseSecrets, connect }))
    const refusal = await connections.setSecrets('db', { token: 'q1' }).catch((error) => error)
    expect(refusal).toMatchObject({ code: 'invalid_input' })
    expect(`${refusal.message}${JSON.stringify(refusal)}${refusal.cause}`).not.toContain('q1')
    await connections.setSecrets('db', { token: 'hunter2', region: 'eu' })
    await connections.setSecrets('db', { token: 'hunter3' }, { merge: true })
    expect(connect.mock.calls).toEqual([[{ token: 'hunter2', region: 'eu' }], [{ token: 'hunter3', region: 'eu' }]])
  })
})

describe('a test of a connection', () => {
  const secrets = { host: 'db.internal', user: 'joe', password: 'hunter2' }

  test('closes its connection, and does not fail when closing fails', async () => {
    const close = vi.fn(() => Promise.reject(new Error('stuck')))
    const { connections } = await setUp('postgres', connector('postgres', { close }))
    expect(await connections.setSecrets('db', secrets)).toMatchObject({ testStatus: 'succeeded' })
    expect(close).toHaveBeenCalledTimes(1)
  })

  test('without a connector says what to install', async () => {
    const reasons = [
      ['mysql', 'mysql'],
      ['mariadb', 'mysql'],
      ['timescale', 'postgres'],
      ['redshift', 'postgres'],
      ['bigquery', 'bigquery'],
    ]
    for (const [type, adapter] of reasons) {
      const { connections } = await setUp(type as string)
      expect(await connections.test('db')).toEqual({
        msg: "The connection 'db' was tested.",
        testStatus: 'failed',
        failureReason: `no connector for ${type} is registered: install @habeas/adapter-${adapter} and pass it in \`connectors\`. The package alone is not enough, createPrivacyService needs the lines \`import { ${type}Connector } from '@habeas/adapter-${adapter}'\` and \`connectors: [${type}Connector()]\`.`,
      })
      expect(await connections.get('db')).toMatchObject({ lastTestSucceeded: false })
    }
  })

  test('without secrets, or with some missing, names what is missing', async () => {
    const { connections } = await setUp('redshift', connector('redshift', {}))
    expect((await connections.test('db')).failureReason).toBe(
      "No secrets are stored for the connection 'db': set them, then test again.",
    )
    expect((await connections.setSecrets('db', { host: 'h' })).failureReason).toBe(
      "The secrets of the connection 'db' lack user, password: set them, or a url.",
    )
    await expect(connections.test('no')).rejects.toMatchObject({ code: 'not_found' })
  })

  test.each<[string, Partial<Connection>, Partial<Connector>]>([
    ['connect', {}, { connect: never }],
    ['ping', { ping: never }, {}],
  ])('ends in time when %s hangs', async (_, connection, more) => {
    const { connections } = await setUp('postgres', connector('postgres', connection, more))
    const answer = await connections.setSecrets('db', secrets)
    expect(answer).toMatchObject({ testStatus: 'failed', failureReason: expect.stringContaining('within 0.1 seconds') })
  })

  test('succeeds when only closing hangs', async () => {
    const { connections } = await setUp('postgres', connector('postgres', { close: never }))
    expect(await connections.setSecrets('db', secrets)).toMatchObject({ testStatus: 'succeeded' })
  })

  test('closes a connection that opened too late', async () => {
    const close = vi.fn(async () => {})
    let arrive = (_: Connection) => {}
    const connect = () => new Promise<Connection>((resolve) => (arrive = resolve))
    const { connections } = await setUp('postgres', connector('postgres', {}, { connect }))
    expect(await connections.setSecrets('db', secrets)).toMatchObject({ testStatus: 'failed' })
    arrive({ ping: never, close } as unknown as Connection)
    await vi.waitFor(() => expect(close).toHaveBeenCalledTimes(1))
  })

  test('aborts a ping that takes too long', async () => {
    let aborted = false
    const ping: Connection['ping'] = ({ signal } = {}) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          aborted = true
          reject(new Error('stopped'))
        })
      })
    const { connections } = await setUp('postgres', connector('postgres', { ping }))
    expect(await connections.setSecrets('db', secrets)).toMatchObject({ testStatus: 'failed' })
    expect(aborted).toBe(true)
  })

  test('shows the message of our own errors only, and no secret in it', async () => {
    const own = new PrivacyError('connection_failed', 'The server refused joe with hunter2: check the password.', {})
    const thrown = [own, new Error('password hunter2 of joe'), 'hunter2', undefined]
    for (const error of thrown) {
      const ping = () => Promise.reject(error)
      const { connections } = await setUp('postgres', connector('postgres', { ping }))
      const answer = await connections.setSecrets('db', secrets)
      expect(answer).toMatchObject({ testStatus: 'failed', failureReason: expect.stringContaining('check the') })
      expect(JSON.stringify(answer)).not.toMatch(/hunter2|joe/)
    }
  })

  test('has nothing to do for manual kinds', async () => {
    for (const type of ['manual', 'manual_webhook']) {
      const { connections } = await setUp(type)
      expect(await connections.test('db')).toMatchObject({ testStatus: 'skipped', failureReason: null })
      expect(await connections.get('db')).not.toHaveProperty('lastTestAt')
      await expect(connections.setSecrets('db', { a: 1 })).rejects.toMatchObject({ code: 'invalid_input' })
    }
  })

  test('of secrets that no longer fit the type fails, and the type counts as untested', async () => {
    const { connections } = await setUp('postgres', connector('postgres', {}, { parseSecrets: () => ({}) }))
    await connections.setSecrets('db', secrets)
    await connections.patch({ key: 'db', connectionType: 'bigquery' })
    expect(await connections.get('db')).not.toHaveProperty('lastTestSucceeded')
    expect(await connections.test('db')).toMatchObject({ testStatus: 'failed' })
  })
})
