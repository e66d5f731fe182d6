import { randomBytes } from 'node:crypto'
import { createPrivacyService, type PrivacyService } from '@habeas/core'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresBlobs, postgresConnector, postgresStorage } from '../src/index.js'
import { countedPool } from './counted-pool.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
const most = 7
let pool: ReturnType<typeof countedPool>
let privacy: PrivacyService

const field = (name: string, category?: string, service_meta = {}) => ({
  name,
  service_meta,
  ...(category !== undefined && { data_categories: [category] }),
})
const reference = { references: [{ dataset: 'db', field: 'person.id', direction: 'from' as const }] }
const dataset = (collections: number) => ({
  service_key: 'db',
  collections: [
    { name: 'person', fields: [field('id'), field('email', 'user.contact.email', { identity: 'email' })] },
    ...Array.from({ length: collections - 1 }, (_, at) => ({
      name: `entry_${at}`,
      fields: [field('id'), field('person_id', undefined, reference), field('note', 'user.content')],
    })),
  ],
})

beforeAll(async () => {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('create table person (id integer primary key, email text)')
  await client.query(`insert into person select n, 'p' || n || '@example.com' from generate_series(1, 9) n`)
  for (let at = 0; at < most - 1; at++) {
    await client.query(
      `create table entry_${at} (id integer primary key, person_id integer references person, note text)`,
    )
    await client.query(`insert into entry_${at} select n, n % 9 + 1, 'note ' || n from generate_series(1, 45) n`)
  }
  // A person whose rows take five batches.
  await client.query(`insert into entry_0 select n, 8, 'note ' || n from generate_series(1001, 21000) n`)
  await client.end()
  pool = countedPool(server.url)
  privacy = createPrivacyService({
    encryptionKey: randomBytes(32).toString('base64'),
    storage: postgresStorage({ pool }),
    blobs: postgresBlobs({ pool }),
    connectors: [postgresConnector()],
    // Only the calls below reach the state, however long they take.
    execution: { immediate: false, sweepSeconds: 86_400, leaseSeconds: 3_600 },
  }) as PrivacyService
  await privacy.connections.put({ key: 'db', connectionType: 'postgres', access: 'write' })
  await privacy.connections.setSecrets('db', { url: server.url }, { verify: false })
})
afterAll(async () => {
  await privacy.close()
  await pool.end()
})

/** The statements from a submission to its end. */
async function statementsOf(person: number, action: 'access' | 'erasure', collections: number) {
  await privacy.connections.attachDataset('db', dataset(collections))
  pool.taken()
  const policyKey = `default_${action}_policy`
  const { id } = await privacy.requests.submit({ policyKey, identity: { email: `p${person}@example.com` } })
  await privacy.requests.run(id)
  const sent = pool.taken()
  const { status, failure } = await privacy.requests.get(id)
  expect([status, failure]).toEqual(['complete', undefined])
  return { id, sent }
}

/**
 * How many of these depends on how long something took: entries of the log, secrets that are looked at again after a second,
 * what a run has found so far, and its lease.
 */
const timely = [
  ...['write execution_log', 'read connection + connection_secret'],
  ...['write privacy_request + checkpoint', 'write privacy_request'],
]

const untimely = (sent: readonly string[]) => sent.filter((each) => !timely.includes(each))

function counted(sent: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const each of untimely(sent)) counts[each] = (counts[each] ?? 0) + 1
  return counts
}

const ofEveryRequest = {
  'read policy': 2,
  'write privacy_request + request_key + request_identity + outbox_mail + audit_entry': 1,
  'read service_key': 1,
  'read privacy_request': 1,
  'write privacy_request + audit_entry': 1,
  'read erasure_lock': 1,
  'read request_key + policy_webhooks + connection': 1,
  'read dataset + connection + system + data_category + data_use + data_subject + data_qualifier': 1,
  'write privacy_request + request_plan': 1,
}
const ofAnAccess = {
  ...ofEveryRequest,
  // Whether people have to upload something.
  'read connection': 1,
  'write blob_content + blob_chunk + blob': 1,
  'write privacy_request + outbox_mail + audit_entry': 1,
}
/** `confirmed`: the transactions in the database of the person, each of which asks for the claim. */
const ofAnErasure = (collections: number, { batches, confirmed }: { batches: number; confirmed: number }) => ({
  ...ofEveryRequest,
  'read privacy_request': 1 + confirmed,
  'read erasure_lock': 2,
  'read dataset + connection + system + data_category + data_use + data_subject + data_qualifier': 2,
  'write privacy_request + request_plan': 2,
  'read request_identity': 1,
  'write privacy_request + erasure_lock': 1,
  'read released_lock': 1,
  'read held_identity': 2,
  'write privacy_request + erasure_progress': batches + collections,
  'write privacy_request + erasure_lock + released_lock': 1,
  'read checkpoint + erasure_progress + erasure_lock': 1,
  'write privacy_request + outbox_mail + erasure_receipt + tombstone + checkpoint + erasure_progress + audit_entry': 1,
  'write blob_content': 1,
})
const isOfBlobs = (each: string) => /^(read|write) blob.*\bblob_chunk\b|^read blob_chunk$/.test(each)

describe('the statements on the state', () => {
  beforeAll(async () => {
    // What a process reads once.
    await statementsOf(1, 'access', 1)
    await statementsOf(1, 'erasure', 1)
  })

  it.each([1, most])('of an access to %i collections are these', async (collections) => {
    const { sent } = await statementsOf(2, 'access', collections)
    expect(counted(sent)).toEqual(ofAnAccess)
    expect(untimely(sent).length).toBeLessThanOrEqual(12 + 6 * collections)
  })

  it.each([1, most])('of an erasure of %i collections are these', async (collections) => {
    const { sent } = await statementsOf(2 + collections, 'erasure', collections)
    const each = { batches: collections, confirmed: collections }
    expect(counted(sent.filter((one) => !isOfBlobs(one)))).toEqual(ofAnErasure(collections, each))
    // Of each collection its rows and the keys that were asked for, and the keys that lead to it.
    expect(sent.filter(isOfBlobs)).toHaveLength(2 * collections + collections - 1)
    expect(untimely(sent).length).toBeLessThanOrEqual(12 + (6 + 12) * collections)
  })

  it('of each further batch are two', async () => {
    const { sent } = await statementsOf(8, 'erasure', 2)
    const batches = { batches: 2 + 4, confirmed: 2 + 4 }
    expect(counted(sent.filter((one) => !isOfBlobs(one)))).toEqual(ofAnErasure(2, batches))
  })

  it('of a look at a request is one', async () => {
    const { id } = await statementsOf(2, 'access', 1)
    pool.taken()
    await privacy.requests.get(id)
    expect(pool.taken()).toEqual(['read privacy_request + outbox_mail'])
  })
})
