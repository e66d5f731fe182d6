import { expect, it } from 'vitest'
import { isPrivacyError } from '../../errors.js'
import { checkConnection, checkedBatches, checkedCatalogue } from './checked-answers.js'

const capabilities = { maxKeys: 1, nestedFields: false }
const connector = { type: 'crm', capabilities } as never
const method = () => {}
const connection = { concurrency: 1, ping: method, describe: method, read: method, count: method, close: method }

it.each<[string, object | undefined]>([
  ['connect', undefined],
  ['describe', { describe: undefined }],
  ['read', { read: undefined }],
  ['concurrency', { concurrency: 0 }],
  ['concurrency', { concurrency: undefined }],
])('a connection without a fit %s is refused by name', (name, change) => {
  const given = change && { ...connection, ...change }
  expect(messageOf(() => checkConnection(given as never, connector))).toContain(name)
  expect(() => checkConnection(connection as never, connector)).not.toThrow()
})

const collection = {
  ...{ name: 'people', columns: [{ name: 'id' }], primaryKey: ['id'], uniqueKeys: [], foreignKeys: [], indexes: [] },
}

it.each<[string, unknown]>([
  ['{ collections: [...] }', []],
  ['{ collections: [...] }', undefined],
  ["'indexes'", { collections: [{ ...collection, indexes: undefined }] }],
  ["'primarykey'", { collections: [{ ...collection, primaryKey: undefined, primarykey: ['id'] }] }],
  ["'name'", { collections: [{ ...collection, name: 7 }] }],
  ["a column without a 'name'", { collections: [{ ...collection, columns: ['id'] }] }],
])('what describe gives is refused with %s', (says, catalogue) => {
  expect(messageOf(() => checkedCatalogue(catalogue as never, 'crm'))).toContain(says)
  expect(() => checkedCatalogue({ collections: [collection] } as never, 'crm')).not.toThrow()
})

it.each<[string, () => unknown]>([
  [
    'rows',
    async function* () {
      yield [1, 'ann']
    },
  ],
  [
    'objects',
    async function* () {
      yield [{ id: 1 }]
    },
  ],
  [
    'nothing',
    async function* () {
      yield undefined
    },
  ],
  ['a promise', async () => [[[1]]]],
])('a read that yields %s in place of batches is refused', async (_, read) => {
  const batches = async () => {
    for await (const _batch of checkedBatches(read() as never, 'crm')) {
    }
  }
  await expect(batches()).rejects.toMatchObject({ code: 'connection_failed', details: { reason: 'malformed' } })
})

function messageOf(work: () => void): string | undefined {
  try {
    work()
  } catch (error) {
    if (isPrivacyError(error, 'connection_failed') && error.details.reason === 'malformed') return error.message
    throw error
  }
  return undefined
}
