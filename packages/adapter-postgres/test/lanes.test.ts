import { createPrivacyService, memoryBlobs, memoryStorage, type PrivacyService } from '@habeas/core'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postgresConnector } from '../src/index.js'
import { sharedServer } from './shared-server.js'

const largePeople = 5
const smallPeople = 30
const rowsOfLarge = 45_000
/** Reading this row of a large person waits until the test lets it go on. Rows are wide, so that few are fetched ahead. */
const gatedRow = 40_000

const server = sharedServer()
let admin: pg.Client
let privacy: PrivacyService
const storage = memoryStorage()

beforeAll(async () => {
  admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  await admin.query(`
    create table customer (id int primary key, email text unique);
    create table visit (id int primary key, customer_id int not null);
    insert into customer select n, 'person' || n || '@example.com' from generate_series(1, ${largePeople + smallPeople}) n;
    insert into visit select n * 100000 + m, n
      from generate_series(1, ${largePeople + smallPeople}) n,
        generate_series(1, case when n <= ${largePeople} then ${rowsOfLarge} else 3 end) m;
    create index on visit (customer_id);
    create function let_through(visit int) returns text language plpgsql as $$
      begin
        if visit % 100000 = ${gatedRow} then perform pg_advisory_xact_lock_shared(1); end if;
        return repeat('note ', 60);
      end
    $$;
    create view visits as select id, customer_id, let_through(id) as note from visit;
  `)
  privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 1).toString('base64'),
    storage,
    blobs: memoryBlobs(),
    connectors: [postgresConnector()],
    execution: { concurrency: 2 },
  })
  await privacy.connections.put({ key: 'shop', connectionType: 'postgres' })
  await privacy.connections.setSecrets('shop', { url: server.url })
  const all = { data_categories: ['user'] }
  const key = { name: 'id', service_meta: { primary_key: true } }
  const customer = { references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' as const }] }
  await privacy.connections.attachDataset('shop', {
    service_key: 'shop',
    collections: [
      { name: 'customer', fields: [key, { name: 'email', ...all, service_meta: { identity: 'email' } }] },
      { name: 'visits', fields: [key, { name: 'customer_id', service_meta: customer }, { name: 'note', ...all }] },
    ],
  })
  const rule = { service_key: 'all', action_type: 'access', data_categories: { matches: 'ANY', values: ['user'] } }
  await privacy.policies.put({ service_key: 'access', rules: [rule] as never })
})

afterAll(async () => {
  await privacy.close()
  await admin.end()
})

it('small requests complete while large ones wait for each other', async () => {
  const completed: string[] = []
  privacy.on((event) => {
    if (event.type === 'request' && event.status === 'complete') completed.push(event.requestId)
  })
  await admin.query('select pg_advisory_lock(1)')
  const submit = async (person: number) => {
    const identities = [{ email: `person${person}@example.com` }]
    return (await privacy.requests.submit({ policyKey: 'access', identities })).id
  }
  const people = (first: number, count: number) => Array.from({ length: count }, (_, at) => submit(first + at))
  const large = await Promise.all(people(1, largePeople))
  const small = await Promise.all(people(1 + largePeople, smallPeople))
  const waiting = async () => {
    const { rows } = await admin.query(`select count(*)::int from pg_locks where locktype = 'advisory' and not granted`)
    return rows[0].count as number
  }
  // Large requests that take every place of the worker would never let the small ones in.
  const isOver = async () => completed.length === smallPeople || (await waiting()) > 1
  await expect.poll(isOver, { timeout: 600_000 }).toBe(true)
  await admin.query('select pg_advisory_unlock(1)')
  const all = [...small, ...large]
  for (const id of all) expect(await privacy.requests.settled(id)).toMatchObject({ status: 'complete' })
  expect(completed.slice(0, smallPeople).sort()).toEqual([...small].sort())
  const laneOf = async (id: string) => (await storage.table('privacyRequest').get(id))?.lane
  expect(await Promise.all(large.map(laneOf))).toEqual(large.map(() => 'large'))
  expect(await Promise.all(small.map(laneOf))).toEqual(small.map(() => undefined))
  const results = await Promise.all(large.map(async (id) => (await privacy.requests.get(id)).results))
  const rows = results.map((each) => each?.find(({ collection }) => collection === 'visits')?.outcomes)
  for (const outcomes of rows) expect(outcomes).toMatchObject([{ rowCount: rowsOfLarge }])
})
