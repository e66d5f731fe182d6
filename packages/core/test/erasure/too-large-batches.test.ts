import { type MemoryConnector, memoryConnector } from '@habeas/testkit'
import { expect, it } from 'vitest'
import { type Connector, createPrivacyService, PrivacyError } from '../../src/index.js'

const email = 'ann@example.com'

/** An erasure of five rows in a database that takes at most two at once. `most` of a try that is taken back. */
async function erased(most: { readonly tried: number; readonly written: number }) {
  const rows = [1, 2, 3, 4, 5].map((id) => ({ id, email, name: `Ann ${id}` }))
  const memory = memoryConnector({ database: { customer: { primaryKey: ['id'], rows } }, batchSize: 100 })
  const connector = {
    ...memory,
    async connect(secrets: unknown) {
      const connection = await memory.connect(secrets)
      return {
        ...connection,
        async erase(...[erase, options = {}]: Parameters<NonNullable<typeof connection.erase>>) {
          const count = erase.keys[0]?.length ?? 0
          if (count > (options.rollBack ? most.tried : most.written))
            throw new PrivacyError('unsupported', 'Too many rows at once.', { reason: 'batch_too_large' })
          await connection.erase?.(erase, options)
        },
      }
    },
  }
  return { ...(await writtenOver(connector, memory)), rows }
}

/** Erases the person over a connector, and tells which rows were written together. */
async function writtenOver(connector: Connector, memory: MemoryConnector) {
  const privacy = createPrivacyService({
    execution: { retryMinutes: 0 },
    encryptionKey: Buffer.alloc(32, 1).toString('base64'),
    connectors: [connector],
  })
  await privacy.connections.put({ key: 'shop', connectionType: 'postgres', access: 'write' })
  await privacy.connections.setSecrets('shop', { host: 'shop' })
  const fields = [
    { name: 'id' },
    { name: 'email', service_meta: { identity: 'email' } },
    { name: 'name', data_categories: ['user.name'] },
  ]
  await privacy.connections.attachDataset('shop', { service_key: 'shop', collections: [{ name: 'customer', fields }] })
  const { id } = await privacy.requests.submit({ policyKey: 'default_erasure_policy', identities: [{ email }] })
  const settled = await privacy.requests.settled(id)
  await privacy.close()
  const writes = memory.calls.flatMap(({ operation, erase, rollBack }) =>
    operation === 'erase' && !rollBack ? [erase?.keys[0]] : [],
  )
  return { settled, writes }
}

it('a batch that the database does not take at once is written in halves', async () => {
  const { settled, rows, writes } = await erased({ tried: 1, written: 2 })
  expect(settled).toMatchObject({
    status: 'complete',
    results: [{ outcomes: [{ outcome: 'masked', rowCount: 5 }] }],
  })
  expect(rows.map(({ name }) => name)).toEqual([null, null, null, null, null])
  expect(writes).toEqual([[1, 2], [3], [4, 5]])
})

it('a row that the database does not take at all fails', async () => {
  const { settled, rows } = await erased({ tried: 1, written: 0 })
  expect(settled).toMatchObject({ status: 'error' })
  expect(rows.map(({ name }) => name)).toEqual(rows.map(({ id }) => `Ann ${id}`))
})

it.each([
  ['a text', (text: string) => text],
  ['an object', (text: string) => ({ parts: [{ text }] })],
])('rows whose values have megabytes in %s share no large batch', async (_, holding) => {
  const rows = [1, 2, 3, 4].map((id) => ({ id, email, name: holding('x'.repeat(2_500_000)) }))
  const memory = memoryConnector({ database: { customer: { schemaless: true, primaryKey: ['id'], rows } } })
  const { settled, writes } = await writtenOver(memory, memory)
  expect(settled).toMatchObject({ status: 'complete' })
  expect(writes).toEqual([
    [1, 2],
    [3, 4],
  ])
})
