import { randomBytes } from 'node:crypto'
import { createPrivacyService, type PrivacyService } from '@habeas/core'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresBlobs, postgresConnector, postgresStorage } from '../src/index.js'
import { countedPool } from './counted-state.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
const tables = Number(process.env['TABLES'] ?? 5)
let pool: ReturnType<typeof countedPool>
let privacy: PrivacyService

const reference = { references: [{ dataset: 'db', field: 'person.id', direction: 'from' as const }] }
const dataset = {
  service_key: 'db',
  collections: [
    {
      name: 'person',
      fields: [
        { name: 'id' },
        { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
      ],
    },
    ...Array.from({ length: tables - 1 }, (_, at) => ({
      name: `entry_${at}`,
      fields: [
        { name: 'id' },
        { name: 'person_id', service_meta: reference },
        { name: 'note', data_categories: ['user.content'] },
      ],
    })),
  ],
}

beforeAll(async () => {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('create table person (id integer primary key, email text)')
  for (let at = 0; at < tables - 1; at++) {
    await client.query(
      `create table entry_${at} (id integer primary key, person_id integer references person, note text)`,
    )
  }
  for (let person = 1; person <= 10; person++) {
    await client.query('insert into person values ($1, $2)', [person, `p${person}@example.com`])
    for (let at = 0; at < tables - 1; at++)
      await client.query(`insert into entry_${at} select $1 * 100 + n, $1, 'note ' || n from generate_series(1, 5) n`, [
        person,
      ])
  }
  await client.end()
  pool = countedPool(server.url)
  privacy = createPrivacyService({
    encryptionKey: randomBytes(32).toString('base64'),
    storage: postgresStorage({ pool }),
    blobs: postgresBlobs({ pool }),
    connectors: [postgresConnector()],
    execution: { immediate: false, sweepSeconds: 1_000 },
  } as never) as never
  await privacy.connections.put({ key: 'db', connectionType: 'postgres', access: 'write' } as never)
  await privacy.connections.setSecrets('db', { url: server.url }, { verify: false })
  await privacy.connections.attachDataset('db', dataset)
})
afterAll(async () => {
  await privacy.close()
  await pool.end()
})

const run = async (person: number, policyKey: string) => {
  const email = `p${person}@example.com`
  const { id } = await privacy.requests.submit({ policyKey, identity: { email } })
  await privacy.requests.run(id)
  const sent = pool.taken()
  const { status, failure } = await privacy.requests.get(id)
  expect([status, failure]).toEqual(['complete', undefined])
  const look = pool.taken()
  return { sent, look }
}

describe('the statements of a request', () => {
  it('counts', async () => {
    await run(1, 'default_access_policy')
    await run(2, 'default_erasure_policy')
    for (const [at, policy] of ['default_access_policy', 'default_erasure_policy'].entries()) {
      const { sent, look } = await run(3 + at, policy)
      console.log(policy, sent.length, 'look', look.length)
      for (const { text, from } of sent)
        console.log(
          text
            .replace(/"habeas"\./g, '')
            .slice(0, 110)
            .replaceAll('\n', ' '),
          ' << ',
          from.slice(0, 300),
        )
    }
  }, 60_000)
})
