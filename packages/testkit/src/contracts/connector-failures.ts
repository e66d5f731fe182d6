import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { type Connection, isPrivacyError } from '@habeas/core'
import type { Test } from '../test.js'
import {
  anyOf,
  type ConnectorContractOptions,
  connectorCases,
  type OpenConnector,
  rowsOf,
} from './connector-under-test.js'
import { deadline } from './deadline.js'
import { rejection } from './rejection.js'

const john = anyOf('email', 'john@example.com')
const small = { collection: 'customers', columns: ['id'], anyOf: [john] }

const everyCall = (connection: Connection): Record<string, () => Promise<unknown>> => ({
  ping: () => connection.ping(),
  describe: () => connection.describe(),
  read: () => rowsOf(connection, small),
  count: () => connection.count([small]),
})

const thrownBy = (call: () => unknown): unknown => {
  try {
    call()
  } catch (error) {
    return error
  }
  return assert.fail('nothing was thrown')
}

/** Failing calls. */
export const connectorFailuresContract = (test: Test, open: OpenConnector, options: ConnectorContractOptions): void => {
  const given = connectorCases(test, open, options)
  const promptly = deadline(options)

  given('ping resolves when the server answers', async ({ connection }) => {
    await promptly(connection.ping(), 'ping resolves')
  })

  given(
    'a collection that is not there is connection_failed with the reason missing_collection',
    async ({ connection }) => {
      const read = { ...small, collection: 'nothing_of_that_name' }
      for (const call of [() => rowsOf(connection, read), () => connection.count([read])]) {
        const { details } = await rejection(call(), 'connection_failed')
        assert.equal(details.reason, 'missing_collection')
      }
      await connection.ping()
    },
  )

  given('a column that is not there is connection_failed with the reason missing_column', async ({ connection }) => {
    const reads = [
      { ...small, columns: ['id', 'nothing'] },
      { ...small, anyOf: [anyOf('nothing', 1)] },
      { ...small, anyOf: [{ ...john, when: [{ path: ['nothing'], equals: 1 }] }] },
    ]
    for (const read of reads) {
      const { details } = await rejection(rowsOf(connection, read), 'connection_failed')
      assert.equal(details.reason, 'missing_column')
    }
    await connection.ping()
  })

  given('a failure names no value', async ({ connection }) => {
    const secret = 'value-of-somebody'
    const read = { ...small, anyOf: [anyOf('nothing', secret)] }
    const failure = await rejection(rowsOf(connection, read), 'connection_failed')
    assert.ok(!JSON.stringify(failure).includes(secret))
  })

  given('connect does not ask the server, and then every call is connection_failed', async (opened) => {
    const connection = await opened.connector.connect(opened.connector.parseSecrets(opened.unreachable))
    try {
      for (const [name, call] of Object.entries(everyCall(connection))) {
        const failure = await promptly(rejection(call(), 'connection_failed'), `${name} rejects`)
        const password = opened.unreachable['password']
        assert.ok(typeof password !== 'string' || !JSON.stringify(failure).includes(password))
      }
    } finally {
      await promptly(connection.close(), 'close resolves')
    }
  })

  given('after close every call is connection_failed', async ({ connection }) => {
    await connection.ping()
    await connection.close()
    for (const [name, call] of Object.entries(everyCall(connection))) {
      await promptly(rejection(call(), 'connection_failed'), `${name} rejects`)
    }
  })

  given(
    'parseSecrets rejects members it does not know, naming them and no value',
    async ({ connector, unreachable }) => {
      const error = thrownBy(() => connector.parseSecrets({ ...unreachable, surprise: 'a-surprising-value' }))
      assert.ok(isPrivacyError(error, 'invalid_input'))
      const shown = `${JSON.stringify(error)} ${inspect(error.details, { depth: null })}`
      assert.ok(shown.includes('surprise'))
      for (const value of ['a-surprising-value', unreachable['password']]) {
        assert.ok(typeof value !== 'string' || !shown.includes(value))
      }
    },
  )

  given('parseSecrets rejects anything but an object', async ({ connector }) => {
    for (const input of ['text-with-a-password', 1, true, ['list']]) {
      const error = thrownBy(() => connector.parseSecrets(input))
      assert.ok(isPrivacyError(error, 'invalid_input'))
      assert.ok(!JSON.stringify(error).includes('text-with-a-password'))
    }
  })
}
