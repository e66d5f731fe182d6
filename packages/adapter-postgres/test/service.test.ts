import { randomBytes } from 'node:crypto'
import { createPrivacyService, type PrivacyRequest, type PrivacyService } from '@habeas/core'
import { type PostgresServer, startPostgres } from '@habeas/testkit'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { postgresConnector } from '../src/index.js'

const password = 'planted-password-7391'
const email = 'planted-marker@example.org'
const note = 'planted-note-5512'

let server: PostgresServer
let admin: pg.Client
let url: string
let privacy: PrivacyService
const emitted: unknown[] = []

beforeAll(async () => {
  server = await startPostgres({ password })
  url = `postgres://postgres:${password}@127.0.0.1:${server.port}/postgres`
  admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query(`
    create table customer (id int primary key, email text, profile jsonb);
    create table orders (id bigint primary key, customer_id int not null references customer, note text, placed timestamptz);
    create table ticket (id uuid primary key, customer_id int references customer on delete cascade, body text);
    create index on orders (customer_id); create index on ticket (customer_id);
    insert into customer values (1, '${email}', '{"name": {"first": "Ann"}, "tags": ["a", "b"]}'), (2, 'other@example.org', '{}');
    insert into orders values (9007199254740993, 1, '${note}', '2026-01-02 03:04:05.678+02'), (2, 2, 'not hers', now());
    insert into ticket values ('0188d0f2-9c3e-7a11-8a54-0f1e2d3c4b5a', 1, 'help');
  `)
})

afterEach(async () => {
  await privacy.close()
})

afterAll(async () => {
  await admin.end()
  await server.stop()
})

/** A service over the shop, as someone who drafts and annotates would set it up. */
async function openShop(secrets: Record<string, unknown> = { url }, connector = postgresConnector()) {
  privacy = createPrivacyService({
    execution: { retryMinutes: 0 },
    encryptionKey: randomBytes(32).toString('base64'),
    connectors: [connector],
    catalogueSeconds: 0,
  })
  privacy.on((event) => emitted.push(event))
  await privacy.connections.put({ key: 'shop', connectionType: 'postgres', access: 'read' })
  await privacy.connections.setSecrets('shop', { url })
  const { dataset } = await privacy.connections.draftDataset('shop')
  await privacy.connections.attachDataset('shop', {
    ...dataset,
    collections: dataset.collections.map((collection) => ({
      ...collection,
      fields: collection.fields.map((field) => ({
        ...field,
        ...(!field.name.endsWith('id') && { data_categories: ['user'] }),
        ...(field.name === 'id' && { data_categories: ['user'] }),
        ...(field.name === 'email' && { service_meta: { ...field.service_meta, identity: 'email' } }),
      })),
    })),
  })
  return privacy.connections.setSecrets('shop', secrets)
}

async function ask(): Promise<PrivacyRequest> {
  const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities: [{ email }] })
  return privacy.requests.settled(id)
}

async function packageOf(id: string): Promise<Record<string, unknown[]>> {
  let text = ''
  for await (const part of privacy.requests.readPackage(id)) text += Buffer.from(part).toString()
  return JSON.parse(text)
}

describe('an access request over PostgreSQL', () => {
  it('delivers every row of the person with values in full precision, and nothing of another', async () => {
    await openShop()
    const request = await ask()
    expect(request.status).toBe('complete')
    expect(await packageOf(request.id)).toEqual({
      'shop:customer': [{ id: 1, email, profile: { name: { first: 'Ann' }, tags: ['a', 'b'] } }],
      'shop:orders': [{ id: '9007199254740993', note, placed: '2026-01-02T01:04:05.678Z' }],
      'shop:ticket': [{ id: '0188d0f2-9c3e-7a11-8a54-0f1e2d3c4b5a', body: 'help' }],
    })
  })

  it('says that nothing was found for a subject without rows', async () => {
    await openShop()
    const { id } = await privacy.requests.submit({
      policyKey: 'default_access_policy',
      identity: { email: 'nobody@example.org' },
    })
    expect((await privacy.requests.settled(id)).status).toBe('complete')
    expect(await packageOf(id)).toMatchObject({ nothing_found: 'No data about you was found.' })
  })

  it('names a wrong password, in the test of the connection and in the request', async () => {
    const tested = await openShop({ url: url.replace(password, 'wrong-planted-secret') })
    expect(tested).toMatchObject({ testStatus: 'failed', failureReason: expect.stringMatching(/password/i) })
    const request = await ask()
    expect(request).toMatchObject({ status: 'error', failure: expect.stringMatching(/password/i) })
    await privacy.connections.setSecrets('shop', { url })
    await privacy.requests.retry(request.id)
    expect((await privacy.requests.settled(request.id)).status).toBe('complete')
  })

  it('names a server that is down', async () => {
    const tested = await openShop({ url: url.replace(String(server.port), '1') })
    expect(tested).toMatchObject({ testStatus: 'failed', failureReason: expect.stringMatching(/listens/) })
    expect(await ask()).toMatchObject({ status: 'error', failure: expect.stringMatching(/listens/) })
  })

  it('names a missing column, leaves the rest running, and retries only what is missing', async () => {
    await openShop()
    await admin.query('alter table ticket rename column body to content')
    try {
      const request = await ask()
      expect(request).toMatchObject({ status: 'error', failure: expect.stringContaining('body') })
      const done = (await privacy.requests.log(request.id)).items.filter((entry) => entry.status === 'complete')
      expect(done.map((entry) => entry.collection).sort()).toEqual(['customer', 'orders'])
      await admin.query('alter table ticket rename column content to body')
      await privacy.requests.retry(request.id)
      expect((await privacy.requests.settled(request.id)).status).toBe('complete')
      const again = (await privacy.requests.log(request.id)).items.filter((entry) => entry.status === 'retrying')
      expect(again.map((entry) => entry.collection)).toEqual(['ticket'])
      expect(Object.keys(await packageOf(request.id))).toEqual(['shop:customer', 'shop:orders', 'shop:ticket'])
    } finally {
      await admin.query('alter table ticket rename column content to body').catch(() => {})
    }
  })

  it('names a statement that takes too long, and does not hang', async () => {
    await openShop({ url }, postgresConnector({ statementTimeoutSeconds: 0.3 }))
    const blocker = new pg.Client({ connectionString: url })
    await blocker.connect()
    await blocker.query('begin; lock table ticket in access exclusive mode')
    try {
      const request = await ask()
      expect(request).toMatchObject({ status: 'error', failure: expect.stringMatching(/longer|time/i) })
    } finally {
      await blocker.end()
    }
  })

  it('ends what runs when the service closes, and its statement at the server', async () => {
    await openShop()
    const blocker = new pg.Client({ connectionString: url })
    await blocker.connect()
    await blocker.query('begin; lock table ticket in access exclusive mode')
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities: [{ email }] })
    while ((await privacy.requests.log(id)).items.every((entry) => entry.collection !== 'ticket'))
      await new Promise((resolve) => setTimeout(resolve, 5))
    const settled = privacy.requests.settled(id)
    settled.catch(() => {})
    await privacy.close()
    const running = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await admin.query(running)).rowCount).toBe(0)
    await blocker.end()
    // Another process, or the next start, goes on with it.
    await expect(settled).rejects.toMatchObject({ code: 'unavailable' })
  })
})

it('no row value, identity or secret is in any log entry, record, plan, event or error', async () => {
  await openShop()
  const request = await ask()
  const plan = await privacy.requests.preview({ policyKey: 'default_access_policy', identities: [{ email }] })
  const everything = JSON.stringify([
    emitted,
    await privacy.requests.log(request.id),
    await privacy.requests.list(),
    await privacy.requests.plan(request.id),
    plan,
    await privacy.connections.list(),
    await privacy.datasets.list(),
  ])
  expect(everything.length).toBeGreaterThan(10_000)
  for (const planted of [password, 'wrong-planted-secret', email, note, 'not hers', 'Ann"'])
    expect(everything).not.toContain(planted)
})
