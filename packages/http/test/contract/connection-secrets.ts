import { expect } from 'vitest'
import type { Given } from './given.js'
import { databasePassword } from './world.js'

const path = '/api/v1/connection/shop'

interface Test {
  readonly msg: string
  readonly test_status: string | null
  readonly failure_reason: string | null
}

/** Secrets go in, and only the outcome of a test comes out. That none is shown is checked with every call. */
export function connectionSecretCases(given: Given): void {
  for (const [method, search] of [
    ['PUT', ''],
    ['PUT', '?verify=true'],
    ['PATCH', ''],
  ] as const) {
    given(
      `${method}${search} stores secrets and tests them`,
      async ({ call, connector }) => {
        const { status, body } = await call(method, `${path}/secret${search}`, { body: { host: 'h', port: '5432' } })
        expect({ status, body }).toEqual({
          status: 200,
          body: { msg: expect.stringContaining("'shop'"), test_status: 'succeeded', failure_reason: null },
        })
        expect(connector.calls.map(({ operation }) => operation)).toContain('ping')
        const tested = { last_test_timestamp: '2025-01-01T00:00:00.000Z', last_test_succeeded: true }
        expect((await call('GET', path)).body).toMatchObject(tested)
      },
      { shop: true },
    )
  }

  given(
    'verify=false stores without a test',
    async ({ call, connector }) => {
      connector.calls.length = 0
      const { body } = await call('PUT', `${path}/secret?verify=false`, { body: { url: 'postgresql://u:p@h/d' } })
      expect(body).toMatchObject({ test_status: null, failure_reason: null })
      expect(connector.calls.map(({ operation }) => operation)).not.toContain('connect')
      expect((await call('GET', path)).body).toMatchObject({ last_test_timestamp: null, last_test_succeeded: null })
    },
    { shop: true },
  )

  given(
    'a failed test is no error of HTTP, and the secrets are kept',
    async ({ call, connector, privacy }) => {
      connector.failNext({ operation: 'ping' })
      const secrets = { host: 'db.example', user: 'habeas', password: databasePassword }
      const { status, body } = await call<Test>('PUT', `${path}/secret`, { body: secrets })
      expect({ status, body }).toMatchObject({ status: 200, body: { test_status: 'failed' } })
      expect(body.failure_reason).toContain('connection was lost')
      expect((await call('GET', path)).body).toMatchObject({ last_test_succeeded: false })
      expect((await privacy.connections.test('shop')).testStatus).toBe('succeeded')
    },
    { shop: true },
  )

  given(
    'the message of a driver is not repeated',
    async ({ call, connector }) => {
      connector.failNext({
        operation: 'connect',
        error: new Error(`password ${databasePassword} of db.example is wrong`),
      })
      const { body } = await call<Test>('GET', `${path}/test`)
      expect(body.failure_reason).toContain("check the secrets of 'shop'")
      expect(body.failure_reason).not.toContain('db.example')
    },
    { shop: true },
  )

  given('without a connector the test says what to install', async ({ call }) => {
    await call('POST', '/api/v1/connection', { body: { key: 'my', connection_type: 'mysql' } })
    const { status, body } = await call<Test>('PUT', '/api/v1/connection/my/secret', { body: { host: 'h', user: 'u' } })
    expect({ status, body }).toMatchObject({ status: 200, body: { test_status: 'failed' } })
    expect(body.failure_reason).toMatch(
      /^no connector for mysql is registered: install @habeas\/adapter-mysql and pass it/,
    )
    expect(body.failure_reason).toContain("`import { mysqlConnector } from '@habeas/adapter-mysql'`")
  })

  given('a manual connection has nothing to test', async ({ call }) => {
    await call('POST', '/api/v1/connection', { body: { key: 'paper', connection_type: 'manual' } })
    const { body } = await call('POST', '/api/v1/connection/paper/test')
    expect(body).toMatchObject({ test_status: 'skipped', failure_reason: null })
    expect((await call('GET', '/api/v1/connection/paper')).body).toMatchObject({ last_test_succeeded: null })
  })

  given(
    'PATCH merges and null clears, PUT replaces',
    async ({ call, privacy, connector }) => {
      const opened: unknown[] = []
      const { connect } = connector
      connector.connect = (secrets) => {
        opened.push(secrets)
        return connect(secrets)
      }
      const send = (method: string, body: object) => call(method, `${path}/secret`, { body })
      await send('PUT', { host: 'h', user: 'u', db_schema: 'sales' })
      await send('PATCH', { host: 'i', db_schema: null })
      await send('PUT', { host: 'j', username: 'v' })
      expect(opened).toEqual([
        { host: 'h', user: 'u', db_schema: 'sales' },
        { host: 'i', user: 'u' },
        { host: 'j', user: 'v' },
      ])
      await privacy.connections.test('shop')
    },
    { shop: true },
  )

  const faults: Readonly<Record<string, { readonly body: unknown; readonly errors: readonly object[] }>> = {
    'an unknown member': { body: { hosst: 'h' }, errors: [{ loc: ['body', 'hosst'], type: 'unknown_member' }] },
    'a port that is none': { body: { port: 70_000 }, errors: [{ loc: ['body', 'port'] }] },
    'two names that disagree': { body: { user: 'a', username: 'b' }, errors: [{ loc: ['body', 'username'] }] },
    'a url that is none': { body: { url: databasePassword }, errors: [{ loc: ['body', 'url'] }] },
    'a list': { body: [], errors: [{ loc: ['body'] }] },
  }
  for (const [what, { body, errors }] of Object.entries(faults)) {
    given(
      `422 for secrets with ${what}`,
      async ({ call }) => {
        for (const method of ['PUT', 'PATCH']) {
          expect(await call(method, `${path}/secret`, { body })).toMatchObject({ status: 422, body: { errors } })
        }
      },
      { shop: true },
    )
  }

  given(
    '422 for a verify that is neither true nor false',
    async ({ call }) => {
      const { status, body } = await call('PUT', `${path}/secret?verify=maybe`, { body: {} })
      expect({ status, body }).toMatchObject({ status: 422, body: { errors: [{ loc: ['query', 'verify'] }] } })
    },
    { shop: true },
  )

  for (const method of ['GET', 'POST']) {
    given(
      `${method} test says how the database answers now`,
      async ({ call, connector }) => {
        expect((await call('GET', `${path}/test`)).body).toMatchObject({ test_status: 'succeeded' })
        connector.failNext({ operation: 'connect' })
        expect((await call(method, `${path}/test`)).body).toMatchObject({
          msg: expect.stringContaining("'shop'"),
          test_status: 'failed',
        })
      },
      { shop: true },
    )
  }

  given(
    'a test ends in bounded time',
    async ({ call, connector }) => {
      const gate = connector.hold({ operation: 'ping' })
      const { status, body } = await call<Test>('GET', `${path}/test`)
      expect({ status, body }).toMatchObject({ status: 200, body: { test_status: 'failed' } })
      expect(body.failure_reason).toContain('did not answer within 0.2 seconds')
      gate.open()
    },
    { shop: true, connectionTestSeconds: 0.2 },
  )
}
