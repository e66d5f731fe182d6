import { randomBytes } from 'node:crypto'
import { createPrivacyService } from '@habeas/core'
import { Decimal128, type Document, Long, MongoClient, ObjectId, UUID } from 'mongodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { serverUrl } from './server-url.js'

const email = 'ann@example.com'
const [ann, bob] = [new ObjectId(), new ObjectId()]
const hex = ann.toHexString()

/** Applications that changed their driver hold ids in both forms. */
const documents: Readonly<Record<string, readonly Document[]>> = {
  users: [
    { _id: ann, email },
    { _id: bob, email: 'bob@example.com' },
  ],
  fields: [
    { u: hex, t: 'hers' },
    { u: hex.toUpperCase(), t: 'hers' },
    { u: ann, t: 'hers' },
    { u: bob, t: 'his' },
    { u: bob.toHexString(), t: 'his' },
    { u: bob.toHexString().toUpperCase(), t: 'his' },
  ],
  members: [
    { o: { u: hex }, t: 'hers' },
    { o: { u: ann }, t: 'hers' },
    { o: { u: bob }, t: 'his' },
  ],
  texts: [
    { o: { u: hex }, t: 'hers' },
    { o: { u: hex.toUpperCase() }, t: 'hers' },
    { o: { u: bob.toHexString() }, t: 'his' },
  ],
}

const references = { references: [{ dataset: 'shop', field: 'users._id', direction: 'from' as const }] }
const key = { name: '_id', service_meta: { primary_key: true } }
const text = { name: 't', data_categories: ['user'] }
const collections = [
  { name: 'users', fields: [key, { name: 'email', service_meta: { identity: 'email' }, data_categories: ['user'] }] },
  { name: 'fields', fields: [key, { name: 'u', service_meta: references }, text] },
  ...['members', 'texts'].map((name) => ({
    name,
    fields: [key, { name: 'o', fields: [{ name: 'u', service_meta: references }] }, text],
  })),
]

/**
 * One document of these is unlike all others, and neither the first nor the last, so that a sample of two is likely to miss
 * its type, or its field.
 */
const many = Array.from({ length: 40 }, (_, at) => ({ _id: at, u: bob, n: at, s: `+${at}`, t: 'his' }))
const rare: typeof documents = {
  users: documents['users'] as readonly Document[],
  ids: [...many, { _id: 20.5, u: hex, t: 'hers' }],
  absent: [
    ...many.map(({ u: _, ...others }) => others),
    { _id: 20.5, u: hex, t: 'hers' },
    { _id: 21.5, u: hex.toUpperCase(), t: 'hers' },
    { _id: 22.5, u: ann, t: 'hers' },
  ],
  numbers: [...many, { _id: 20.5, n: '391', t: 'hers' }, { _id: 21.5, n: 391, t: 'hers' }],
  unseen: [
    ...many.map(({ n: _, ...others }) => others),
    { _id: 20.5, n: 391, t: 'hers' },
    { _id: 21.5, n: '391', t: 'hers' },
    { _id: 22.5, n: Decimal128.fromString('391'), t: 'hers' },
    { _id: 23.5, n: 392, t: 'his' },
  ],
  blank: [...many.map((each) => ({ ...each, n: null })), { _id: 20.5, n: 391, t: 'hers' }],
  texts: [...many, { _id: 20.5, s: '391', t: 'hers' }, { _id: 21.5, s: Long.fromNumber(391), t: 'hers' }],
}
const rareCollections = [
  collections[0],
  ...['ids', 'absent'].map((name) => ({ name, fields: [key, { name: 'u', service_meta: references }, text] })),
  ...['numbers', 'unseen', 'blank'].map((name) => ({
    name,
    fields: [key, { name: 'n', service_meta: { identity: 'phone' } }, text],
  })),
  { name: 'texts', fields: [key, { name: 's', service_meta: { identity: 'phone' } }, text] },
]

/** An address is an id here, and people write it as they like. */
const subscribers = {
  letters: ['Ann@Example.com', 'ann@example.com', 'bob@example.com'].map((_id) => ({
    _id,
    t: _id.startsWith('bob') ? 'his' : 'hers',
  })),
}
const subscriberCollections = [
  { name: 'letters', fields: [{ name: '_id', service_meta: { primary_key: true, identity: 'email' } }, text] },
]

/** Ids of users, and what refers to them: numbers of every type, and texts that are the keys of others. */
const five = (text: string) => Decimal128.fromString(text)
const decimalUsers = [
  { _id: five('5.00'), email },
  { _id: five('6.00'), email: 'bob@example.com' },
]
const mixedUsers = [
  { _id: 5, email },
  { _id: '5.00', email: 'bob@example.com' },
]
const numbers = [5, Long.fromNumber(5), five('5'), five('5.00'), five('5E0'), '5']
const referring = (u: unknown, t: string) => [{ u, o: { u }, l: [{ u }], t }]
const mixedNumbers = [
  ...numbers.flatMap((u) => referring(u, 'hers')),
  ...referring('5.00', 'his'),
  ...referring(6, 'his'),
]
const inFields = [
  { name: 'fields', fields: [key, { name: 'u', service_meta: references }, text] },
  { name: 'members', fields: [key, { name: 'o', fields: [{ name: 'u', service_meta: references }] }, text] },
  { name: 'elements', fields: [key, { name: 'l', fields: [{ name: 'u', service_meta: references }] }, text] },
]
const numbersIn = { fields: mixedNumbers, members: mixedNumbers, elements: mixedNumbers }

describe.each<[string, typeof documents, readonly ({ name: string } | undefined)[], Record<string, string>]>([
  [
    'decimals, and numbers of every type',
    { users: decimalUsers, ...numbersIn },
    [collections[0], ...inFields],
    { email },
  ],
  ['numbers of every type beside texts', { users: mixedUsers, ...numbersIn }, [collections[0], ...inFields], { email }],
  ['ids that are stored as ObjectId and as their digits', documents, collections, { email }],
  ['types that a sample does not show, of references', rare, rareCollections.slice(0, 3), { email }],
  ['types that a sample does not show, of identities', rare, rareCollections.slice(3), { phone: '391' }],
  ['addresses as ids, in other cases', subscribers, subscriberCollections, { email: 'ANN@example.com' }],
])('%s', (_, stored, described, identity) => {
  const name = `habeas_${randomBytes(6).toString('hex')}`
  let client: MongoClient

  beforeAll(async () => {
    client = new MongoClient(serverUrl(), { writeConcern: { w: 'majority' } })
    for (const [collection, all] of Object.entries(stored))
      await client.db(name).collection(collection).insertMany(structuredCloneOf(all))
  })
  afterAll(async () => {
    await client.db(name).dropDatabase()
    await client.close()
  })

  it('are equal: everything of hers is erased, and nothing of his', async () => {
    const privacy = createPrivacyService({
      execution: { retryMinutes: 0 },
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: [mongodbConnector({ sampleSize: 2 })],
    })
    await privacy.connections.put({ key: 'shop', connectionType: 'mongodb', access: 'write' })
    await privacy.connections.setSecrets('shop', { url: serverUrl(), database: name })
    await privacy.connections.attachDataset('shop', { service_key: 'shop', collections: described } as never)
    const { id } = await privacy.requests.submit({ policyKey: 'default_erasure_policy', identities: [identity] })
    const request = await privacy.requests.settled(id)
    await privacy.close()
    expect(request).toMatchObject({ status: 'complete' })
    const names = described.map((each) => each?.name as string).filter((each) => each !== 'users')
    for (const collection of names) {
      const left = await client.db(name).collection(collection).find().toArray()
      const all = stored[collection] as readonly Document[]
      const expected = all.map(({ t }) => (t === 'hers' ? null : t))
      expect(left.map(({ t }) => t).sort(), collection).toEqual(expected.sort())
    }
  })
})

/** Ann and Bob. */
const twins = (hers: unknown, his: unknown): Document[] => [
  { _id: hers, email },
  { _id: his, email: 'bob@example.com' },
]

const uuid = '11111111-1111-4111-8111-111111111111'

describe('ids of two people that read alike', () => {
  const name = `habeas_${randomBytes(6).toString('hex')}`
  const client = new MongoClient(serverUrl(), { writeConcern: { w: 'majority' } })
  afterAll(() => client.close())

  const reference = (field: string) => ({ references: [{ dataset: 'shop', field, direction: 'from' as const }] })
  const described = [
    collections[0],
    {
      name: 'notes',
      fields: [
        key,
        { name: 'u', service_meta: reference('users._id') },
        { name: 'parent', service_meta: reference('notes._id') },
        text,
      ],
    },
  ]

  it.each<[string, Document[], Document[], unknown[]]>([
    ['a number and a text', twins(5, '5'), [{ u: 5 }, { u: '5' }], []],
    ['an ObjectId and a text', twins(ann, hex), [{ u: ann }, { u: hex }], []],
    ['a UUID and a text', twins(new UUID(uuid), uuid), [{ u: new UUID(uuid) }, { u: uuid }], []],
    [
      'of notes that notes answer',
      twins('ann', 'bob'),
      [
        { _id: 5, u: 'ann' },
        { _id: '5', u: 'bob' },
        { _id: 7, parent: '5' },
        { _id: 8, parent: 7 },
      ],
      [5],
    ],
    [
      'one id in both forms',
      [{ _id: 5, email }],
      [
        { _id: 1, u: 5 },
        { _id: 2, u: '5' },
        { _id: 3, parent: 1 },
      ],
      [1, 2, 3],
    ],
  ])('%s: no row is taken for the wrong person’s', async (_, users, notes, delivered) => {
    const db = client.db(name)
    await db.dropDatabase()
    await db.collection('users').insertMany(users)
    const texts = notes.map((note) => ({ ...note, t: 'kept' }))
    await db.collection('notes').insertMany(texts)
    const privacy = createPrivacyService({
      execution: { retryMinutes: 0 },
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: [mongodbConnector()],
    })
    await privacy.connections.put({ key: 'shop', connectionType: 'mongodb', access: 'write' })
    await privacy.connections.setSecrets('shop', { url: serverUrl(), database: name })
    const dataset = { service_key: 'shop', data_categories: ['user'], collections: described }
    await privacy.connections.attachDataset('shop', dataset as never)
    const ask = async (policyKey: string) => {
      const { id } = await privacy.requests.submit({ policyKey, identities: [{ email }] })
      return privacy.requests.settled(id)
    }
    const { id, incomplete } = await ask('default_access_policy')
    const parts: Uint8Array[] = []
    for await (const part of privacy.requests.readPackage(id)) parts.push(part)
    const found = JSON.parse(Buffer.concat(parts).toString())
    const erased = await ask('default_erasure_policy')
    await privacy.close()
    const left = await db.collection('notes').find({ t: 'kept' }).toArray()
    await db.dropDatabase()
    expect((found['shop:notes'] ?? []).map((note: Document) => note['_id']).sort()).toEqual(delivered)
    const isClear = users.length === 1
    expect(incomplete === true).toBe(!isClear)
    expect(erased.status).toBe(isClear ? 'complete' : 'paused')
    expect(left).toHaveLength(isClear ? 0 : notes.length)
  })
})

/** The driver gives each document an `_id` where it has none. */
const structuredCloneOf = (all: readonly Document[]) => all.map((each) => ({ ...each }))
