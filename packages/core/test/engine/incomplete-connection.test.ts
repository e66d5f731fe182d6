import { type Connection, createPrivacyService, defineConnector, filteredReads, PrivacyError } from '@habeas/core'
import { expect, test } from 'vitest'

const columns = [{ name: 'email', kind: 'string', type: 'text', nullable: false }] as const
const people = { name: 'people', columns, primaryKey: ['email'], uniqueKeys: [], foreignKeys: [], indexes: [] }

/** What is said of a connection: by its test, and where a dataset is attached to it. */
async function saidOf(change: Partial<Record<keyof Connection, unknown>> | undefined) {
  const { methods } = filteredReads({ columns: () => columns, async *candidates() {} })
  const sound = { concurrency: 1, ...methods, async ping() {}, describe: async () => ({ collections: [people] }) }
  let closed = 0
  const close = async () => void closed++
  const book = defineConnector({
    ...{ type: 'book', category: 'saas', capabilities: { maxKeys: 1, nestedFields: false } },
    secrets: { parse: (input: unknown) => input },
    connect: async () => (change && { ...sound, close, ...change }) as unknown as Connection,
  })
  const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32).toString('base64'), connectors: [book] })
  await privacy.connections.put({ key: 'guests', connectionType: 'book' })
  const { testStatus, failureReason } = await privacy.connections.setSecrets('guests', { token: 'secret' })
  const dataset = { service_key: 'guests', collections: [{ name: 'people', fields: [{ name: 'email' }] }] }
  const { findings } = await privacy.connections.attachDataset('guests', dataset)
  const { unread } = await privacy.datasets.coverage()
  await privacy.close()
  const unknown = findings.find(({ type }) => type === 'live_schema_unknown')?.message
  return { testStatus, failureReason, unknown, unread: unread[0]?.message, closed }
}

const tells = (what: string) => `The connector 'book' is not right: ${what}.`

test.each<[string, Partial<Record<keyof Connection, unknown>> | undefined, string]>([
  ['nothing', undefined, 'connect gives a connection without the method ping'],
  ['no ping', { ping: undefined }, 'connect gives a connection without the method ping'],
  ['no close', { close: undefined }, 'connect gives a connection without the method close'],
])('a connector that opens %s is told so by the test and by what is attached', async (_, change, what) => {
  const said = await saidOf(change)
  expect(said).toMatchObject({ testStatus: 'failed', failureReason: tells(what) })
  expect(said.unknown).toContain(`'guests', so its fields were not compared with it: ${tells(what)}`)
})

test('a catalogue that is none is told where a dataset is compared with it', async () => {
  const { primaryKey: _, ...keyless } = people
  const what = "describe gives the collection 'people' without the list 'primaryKey'"
  const said = await saidOf({ describe: async () => ({ collections: [keyless] }) })
  expect(said.unknown).toContain(tells(what))
  expect(said.unread).toContain(`could not be read over the connection 'guests': ${tells(what)}`)
})

test('a source that refuses to describe itself says why, without its secrets', async () => {
  const refusal = new PrivacyError('connection_failed', 'The token secret-token may not list people.', {
    reason: 'other',
  })
  const said = await saidOf({ describe: () => Promise.reject(refusal) })
  expect(said.testStatus).toBe('succeeded')
  expect(said.unknown).toContain('may not list people.')
})
