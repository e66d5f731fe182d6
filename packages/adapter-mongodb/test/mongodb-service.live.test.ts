import { randomBytes } from 'node:crypto'
import { applyProposals, createPrivacyService, type PrivacyService, verifyEvidence } from '@habeas/core'
import { Binary, DBRef, Decimal128, type Document, Int32, Long, MongoClient, ObjectId, UUID } from 'mongodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { erasedOf } from '../../core/test/erasure/erasure-world.js'
import { mongodbConnector } from '../src/index.js'
import { ownDatabase } from './own-database.js'
import { serverUrl } from './server-url.js'

const email = 'planted-marker@example.org'
const [ann, bob] = [new ObjectId(), new ObjectId()]
const [first, second] = [new UUID(), new UUID()]

const documents: Readonly<Record<string, readonly Document[]>> = {
  customer: [
    { _id: ann, email, name: 'Ann', address: { city: 'Rome', floor: 1 }, phones: ['+39 1', '+39 2'] },
    { _id: bob, email: 'other@example.org', name: 'Bob', address: { city: 'Oslo' }, phones: [] },
  ],
  orders: [
    {
      ...{ _id: Long.fromString('9007199254740993'), customer_id: ann, note: 'planted-note' },
      ...{ total: Decimal128.fromString('12.50'), placed: new Date('2026-01-02T01:04:05.678Z'), vip: true },
    },
    {
      ...{ _id: Long.fromString('9007199254740992'), customer_id: bob, note: 'not hers' },
      ...{ total: Decimal128.fromString('1'), placed: new Date('2026-01-02T00:00:00Z') },
    },
  ],
  ticket: [
    { _id: first, order_id: Long.fromString('9007199254740993'), body: 'help', scan: new Binary(Buffer.from('png')) },
    { _id: second, order_id: Long.fromString('9007199254740992'), body: 'not hers', scan: new Binary() },
  ],
}

/** What a person accepts beyond what is applied by itself. */
const referring = [
  'orders.customer_id:reference',
  'orders.customer_id:from',
  'ticket.order_id:reference',
  'ticket.order_id:from',
]
const personal = ['customer.name:category', 'orders.note:category', 'ticket.body:category']

/** One member is personal, and the other is not. */
const address = {
  name: 'address',
  fields: [{ name: 'city', data_categories: ['user.contact.address.city'] }, { name: 'floor' }],
}

/** Documents in the types of BSON. */
const raw = { promoteValues: false, promoteLongs: false }

describe('requests over MongoDB, with a dataset that was drafted', () => {
  const name = `habeas_${randomBytes(6).toString('hex')}`
  let client: MongoClient
  let privacy: PrivacyService
  const emitted: unknown[] = []

  beforeAll(async () => {
    client = new MongoClient(serverUrl(), { writeConcern: { w: 'majority' } })
    for (const [collection, rows] of Object.entries(documents)) {
      await client
        .db(name)
        .collection(collection)
        .insertMany([...rows])
    }
    privacy = createPrivacyService({
      execution: { retryMinutes: 0 },
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: [mongodbConnector()],
    })
    privacy.on((event) => emitted.push(event))
    await privacy.connections.put({ key: 'shop', connectionType: 'mongodb', access: 'write' })
    const tested = await privacy.connections.setSecrets('shop', { url: serverUrl(), database: name })
    expect(tested).toMatchObject({ testStatus: 'succeeded' })
    const { dataset, proposals, open } = await privacy.connections.draftDataset('shop')
    expect(open.references).toEqual([])
    const accept = ['customer.email:identity', ...referring, ...personal]
    const described = applyProposals(dataset, proposals, { accept })
    await privacy.connections.attachDataset('shop', {
      ...described,
      collections: described.collections.map((collection) =>
        collection.name === 'customer'
          ? { ...collection, fields: collection.fields.map((field) => (field.name === 'address' ? address : field)) }
          : collection.name === 'ticket'
            ? { ...collection, service_meta: { ...collection.service_meta, erase: 'delete' } }
            : collection,
      ),
    })
    const all = { service_key: 'all', data_categories: { matches: 'ANY', values: ['user'] } } as const
    await privacy.policies.put({ service_key: 'erase', rules: [{ ...all, action_type: 'erasure' }] })
    await privacy.policies.put({ service_key: 'access', rules: [{ ...all, action_type: 'access' }] })
  })
  afterAll(async () => {
    await privacy?.close()
    await client?.db(name).dropDatabase()
    await client?.close()
  })

  async function settled(policyKey: string) {
    const { id } = await privacy.requests.submit({ policyKey, identities: [{ email }] })
    return privacy.requests.settled(id)
  }

  const stored = (collection: string) => client.db(name).collection(collection).find({}, raw).sort({ _id: 1 }).toArray()

  it('says in how many documents of a sample it found a field, and of which type', async () => {
    const connection = await mongodbConnector().connect({ url: serverUrl(), database: name })
    const { collections } = await connection.describe().finally(() => connection.close())
    const types = collections.map(({ name: collection, columns }) => [
      collection,
      ...columns.map((column) => `${column.name}: ${column.type}`),
    ])
    expect(types[0]).toContain('address: object, in 2 of 2 documents')
    expect(types[1]).toEqual(
      expect.arrayContaining(['_id: long, in 2 of 2 documents', 'vip: bool, in 1 of 2 documents']),
    )
    expect(types[2]).toContain('_id: uuid, in 2 of 2 documents')
  })

  it('hand over the documents of the person, in full precision, and nothing of another', async () => {
    const request = await settled('access')
    expect(request.failure ?? request.status).toBe('complete')
    let text = ''
    for await (const part of privacy.requests.readPackage(request.id)) text += Buffer.from(part).toString()
    expect(JSON.parse(text)).toEqual({
      'shop:customer': [{ email, name: 'Ann', address: { city: 'Rome' }, phones: ['+39 1', '+39 2'] }],
      'shop:orders': [{ note: 'planted-note' }],
      'shop:ticket': [{ body: 'help' }],
    })
  })

  it('erase what is theirs by transactions, and leave all else as it was', async () => {
    const [customers, orders, tickets] = await Promise.all(['customer', 'orders', 'ticket'].map(stored))
    const request = await settled('erase')
    expect(request.failure ?? request.status).toBe('complete')
    expect(erasedOf(request)).toEqual({
      'shop:customer': 'masked 1',
      'shop:orders': 'masked 1',
      'shop:ticket': 'erased 1',
    })
    const masked = { email: null, name: null, address: { city: null, floor: new Int32(1) }, phones: [null, null] }
    expect(await stored('customer')).toEqual([{ ...customers?.[0], ...masked }, customers?.[1]])
    const [other, hers] = orders as readonly Document[]
    expect(await stored('orders')).toEqual([other, { ...hers, note: null }])
    expect(await stored('ticket')).toEqual(tickets?.filter(({ body }) => body === 'not hers'))
    const key = await privacy.requests.evidenceKey()
    expect(verifyEvidence(await privacy.requests.exportEvidence(request.id), { key })).toMatchObject({ ok: true })
  })

  it('write no value into an event or a log', async () => {
    const { items } = await privacy.requests.list()
    const logs = await Promise.all(items.map(({ id }) => privacy.requests.log(id)))
    const everything = JSON.stringify([emitted, items, logs])
    for (const planted of [email, 'planted-note', 'Rome', '"Ann"', '+39 1']) expect(everything).not.toContain(planted)
  })
})

describe('the README', () => {
  const readme = () => readmeExamples(new URL('../README.md', import.meta.url))
  const { of, connected, erased } = ownDatabase()
  const stored = (collection: string) => of.db.collection(collection).find().sort({ _id: 1 }).toArray()

  it('has a snippet that runs as it stands, except for the address', async () => {
    const [example = ''] = await readme()
    await connected({ users: [{ _id: 1, email, name: 'Ann' }] })
    const server = new URL(serverUrl().replace(/^mongodb/, 'http'))
    const login = server.username ? `${server.username}@` : ''
    const address = `mongodb://${login}${server.host}/${of.db.databaseName}${server.search}`
    const env = {
      HABEAS_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      SHOP_PASSWORD: decodeURIComponent(server.password),
    }
    const found: unknown[] = []
    await runExample(
      `${example.replace(/mongodb:\/\/[^/]*\/shop/, address)}
       found.push(testStatus, failureReason, described.collections.map(({ name }) => name), findings.filter(({ severity }) => severity === 'error'))
       await privacy.close()`,
      { mongodbConnector, applyProposals, createPrivacyService, process: { env }, found },
    )
    expect(found).toEqual(['succeeded', null, ['users'], []])
  })

  it.each([
    ['the collection alone', ['who.$ref']],
    ['the collection and the database', ['who.$ref', 'who.$db']],
  ])('describes a DBRef by %s', async (_, named) => {
    const [, example = ''] = await readme()
    const found: { name: string; fields: Document[] }[] = []
    await runExample(`${example} found.push(orders)`, { found })
    const [orders] = JSON.parse(JSON.stringify(found).replaceAll('"shop"', '"m"'))
    const [, who] = orders.fields
    if (named.length > 1) {
      who.fields.push({ name: '$db' })
      who.fields[1].service_meta.references[0].when['who.$db'] = 'shop'
    }
    const order = (_id: number, $ref: string, $id: number, $db?: string) => ({
      ...{ _id, who: { $ref, $id, ...(named.length > 1 && { $db: $db ?? 'shop' }), name: `name ${_id}` } },
    })
    const orderOfOtherDatabase = named.length > 1 ? [order(4, 'users', 1, 'other')] : []
    await connected({
      users: [1, 2].map((_id) => ({ _id, email: _id === 1 ? email : 'other@example.org' })),
      staff: [{ _id: 1, note: 'none of hers' }],
      orders: [order(1, 'users', 1), order(2, 'users', 2), order(3, 'staff', 1), ...orderOfOtherDatabase],
    })
    const key = { name: '_id', service_meta: { primary_key: true } }
    const users = { name: 'users', fields: [key, { name: 'email', service_meta: { identity: 'email' } }] }
    await of.privacy.connections.attachDataset('m', { service_key: 'm', collections: [users, orders] } as never)
    const before = await stored('orders')
    const request = await erased(email)
    expect(request.failure ?? request.status).toBe('complete')
    const [hers, ...others] = before
    expect(await of.db.collection('orders').countDocuments({ 'who.name': null })).toBe(1)
    expect(await stored('orders')).toEqual([erasedName(hers as Document), ...others])
  })
})

/** The document as it is when the name in its reference is erased. The driver has its members in a class. */
function erasedName(order: Document): Document {
  const { collection, oid, db } = order['who']
  return { ...order, who: new DBRef(collection, oid, db, { name: null }) }
}

it('a login that the server does not know is a connection that failed', async () => {
  const connector = mongodbConnector({ connectTimeoutSeconds: 2 })
  const secrets = { url: serverUrl(), database: 'habeas_readme', user: 'nobody', password: 'planted-password' }
  const connection = await connector.connect(connector.parseSecrets(secrets))
  const failure = await connection.ping().catch((error: Error) => error)
  await connection.close()
  expect(failure).toMatchObject({ code: 'connection_failed', details: { reason: 'authentication' } })
  expect(`${failure} ${JSON.stringify(failure)}`).not.toContain('planted-password')
})
