import { expect, it } from 'vitest'
import { isTransient } from '../../errors.js'
import type { Connection, Connector } from '../../ports/connector.js'
import { openConnections } from './open-connections.js'

/** A connector whose connections fail after they were closed. */
function closing() {
  const connector = {
    type: 'closing',
    capabilities: { maxKeys: 1, nestedFields: false },
    async connect() {
      let isClosed = false
      return {
        concurrency: 2,
        async ping() {
          if (isClosed) throw new Error('It was used after its end.')
        },
        describe: async () => ({ collections: [] }),
        async *read() {},
        count: async () => [],
        async close() {
          isClosed = true
        },
      } as Partial<Connection> as Connection
    },
  }
  return connector as Partial<Connector> as Connector
}

it('a run whose connection is replaced fails in a way that is repeated', async () => {
  const connector = closing()
  const source = async () => ({ revision: '1', connector, secrets: async () => ({}) })
  const connections = openConnections({ source, catalogueSeconds: 60, now: () => new Date(), answerMinutes: 10 })
  const { connection } = await connections.get('shop')
  await connection.ping()
  await connections.forget('shop')
  const failure = await connection.ping().catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'connection_failed', details: { reason: 'cancelled', transient: true } })
  expect(isTransient(failure)).toBe(true)
  await (await connections.get('shop')).connection.ping()
  await connections.close()
})
