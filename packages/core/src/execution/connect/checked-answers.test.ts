import { expect, it } from 'vitest'
import { checkConnection, checkedCatalogue } from '../../actions/connections/checked-connection.js'
import { isPrivacyError } from '../../errors.js'
import { objectId } from '../../model/value.js'
import { checkedBatches, checkedCounts } from './checked-answers.js'

const capabilities = { maxKeys: 1, nestedFields: false }
const connector = { type: 'crm', capabilities } as never
const inCircles: unknown[] = []
inCircles.push({ of: inCircles })
const method = () => {}
const asked = { collection: 'people', columns: ['id', 'name'], anyOf: [] }
const crm = { type: 'crm', held: new Set<string>() }
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

it.each<[string, object, object]>([
  ['erase', { maxErased: 5 }, {}],
  ["'maxErased'", {}, { erase: method, countEach: method }],
  ['countEach', { maxErased: 5 }, { erase: method }],
])('a connection that erases in part is refused: %s', (says, further, members) => {
  const erasing = { type: 'crm', capabilities: { ...capabilities, ...further } } as never
  expect(messageOf(() => checkConnection({ ...connection, ...members } as never, erasing))).toContain(says)
})

const collection = {
  ...{ name: 'people', columns: [{ name: 'id' }], primaryKey: ['id'], uniqueKeys: [], foreignKeys: [], indexes: [] },
}

const circular: { name: string; kind: string; members: unknown[] } = { name: 'a', kind: 'object', members: [] }
circular.members.push(circular)

const described = (column: object) => ({ collections: [{ ...collection, columns: [column] }] })

it.each<[string, unknown]>([
  ['{ collections: [...] }', []],
  ['{ collections: [...] }', undefined],
  ["'indexes'", { collections: [{ ...collection, indexes: undefined }] }],
  ["'primarykey'", { collections: [{ ...collection, primaryKey: undefined, primarykey: ['id'] }] }],
  ["'name'", { collections: [{ ...collection, name: 7 }] }],
  ["a column without a 'name'", { collections: [{ ...collection, columns: ['id'] }] }],
  ["'people.id' the kind 'int', which is not known", described({ name: 'id', kind: 'int' })],
  ["the nearest known name is 'integer'", described({ name: 'id', kind: 'integr' })],
  ["'people.a.b' the kind 'text'", described({ name: 'a', kind: 'object', members: [{ name: 'b', kind: 'text' }] })],
  ["'people.a' members that are no list", described({ name: 'a', kind: 'object', members: {} })],
  ["'people.a.a' members that contain themselves", described(circular)],
  ["two collections with the name 'people'", { collections: [collection, collection] }],
  ["'people.id' twice", { collections: [{ ...collection, columns: [{ name: 'id' }, { name: 'id' }] }] }],
  [
    "the 'primaryKey' 'idd', which is no column of it: the nearest known name is 'id'",
    { collections: [{ ...collection, primaryKey: ['idd'] }] },
  ],
  ["the 'lookups' 'mail', which is no column", { collections: [{ ...collection, lookups: ['mail'] }] }],
  ["'lookups' that are no list", { collections: [{ ...collection, lookups: 'id' }] }],
  ["'primaryKey' that are no list", { collections: [{ ...collection, primaryKey: [['id']] }] }],
  ["'uniqueKeys' that are no lists", { collections: [{ ...collection, uniqueKeys: ['id'] }] }],
  ["'indexes' that are no lists", { collections: [{ ...collection, indexes: ['id'] }] }],
  [
    "'foreignKeys' that are no {",
    { collections: [{ ...collection, foreignKeys: [{ column: 'id', references: 'a.id' }] }] },
  ],
  ["'foreignKeys' that are no {", { collections: [{ ...collection, foreignKeys: [null] }] }],
])('what describe gives is refused with %s', (says, catalogue) => {
  expect(messageOf(() => checkedCatalogue(catalogue as never, 'crm'))).toContain(says)
  expect(() => checkedCatalogue({ collections: [collection] } as never, 'crm')).not.toThrow()
})

it('documents may have a key that no document of the sample showed', () => {
  const unseen = { ...collection, schemaless: true, columns: [] }
  expect(() => checkedCatalogue({ collections: [unseen] } as never, 'crm')).not.toThrow()
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
    for await (const _batch of checkedBatches(read() as never, asked, crm)) {
    }
  }
  const message = expect.stringMatching(/in the order of the columns asked for|one after the other/)
  await expect(batches()).rejects.toMatchObject({
    code: 'connection_failed',
    message,
    details: { reason: 'malformed' },
  })
})

it.each<[string, unknown]>([
  ['a row of 1 value', [1]],
  ['a row of 3 values', [1, 'ann', null]],
  ["an object of the class Date in 'people.name'", [1, new Date(0)]],
  ["an object of the class Map in 'people.name'", [1, { of: [new Map()] }]],
  ['an object of the class Buffer', [1, Buffer.from('a')]],
  ['a function that is no JSON', [1, () => 1]],
  ['a symbol that is no JSON', [Symbol('x'), 'ann']],
  ["a value in 'people.name' that contains itself", [1, inCircles]],
])('a read that gives %s is refused, and its value is not named', async (says, row) => {
  const batches = async () => {
    for await (const _batch of checkedBatches(batchOf(row) as never, asked, crm)) {
    }
  }
  await expect(batches()).rejects.toMatchObject({
    details: { reason: 'malformed' },
    message: expect.stringContaining(says),
  })
})

it('a read may give all that JSON has, bigints, ids of documents, and undefined for a member that is not there', async () => {
  const document = Object.assign(Object.create(null), {
    id: objectId('a'.repeat(24)),
    none: undefined,
    of: [{ n: 1n }],
  })
  const rows = [
    [1n, undefined],
    [true, document],
    [null, ['a', 1.5, null]],
  ]
  const given: unknown[] = []
  for await (const batch of checkedBatches(batchOf(...rows) as never, asked, crm)) given.push(...batch)
  expect(given).toEqual(rows)
  const spelled = { ...asked, spelled: [{ columns: ['a', 'b'] }] } as never
  for await (const batch of checkedBatches(batchOf([1, 'ann', 'x', 'y']) as never, spelled, crm)) given.push(...batch)
  expect(given).toHaveLength(4)
})

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['too few', [1]],
  ['undefined', [1, undefined]],
  ['text', [1, '2']],
  ['less than none', [1, -1]],
  ['no number', [1, Number.NaN]],
  ['a part', [1, 0.5]],
])('counts that give %s are refused', (_, counts) => {
  const about = { type: 'crm', method: 'count' }
  expect(messageOf(() => checkedCounts(counts as never, 2, about))).toContain('a list of 2 whole numbers')
  expect(checkedCounts([0, 7], 2, about)).toEqual([0, 7])
})

it.each<[string, (row: unknown[]) => AsyncGenerator<unknown[][]>]>([
  [
    'in one batch',
    async function* (row) {
      yield [[1, 'ann'], row, row]
    },
  ],
  [
    'in two batches',
    async function* (row) {
      yield [row]
      yield [row]
    },
  ],
])('a read that gives one list as several rows is refused: %s', async (_, read) => {
  const batches = async () => {
    for await (const _batch of checkedBatches(read([1, 'ann']) as never, asked, crm)) {
    }
  }
  const message = expect.stringContaining("one list as several rows of 'people'")
  await expect(batches()).rejects.toMatchObject({ details: { reason: 'malformed' }, message })
})

async function* batchOf(...rows: unknown[]) {
  yield rows
}

function messageOf(work: () => void): string | undefined {
  try {
    work()
  } catch (error) {
    if (isPrivacyError(error, 'connection_failed') && error.details.reason === 'malformed') return error.message
    throw error
  }
  return undefined
}
