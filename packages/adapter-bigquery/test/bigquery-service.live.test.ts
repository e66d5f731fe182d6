import { randomBytes } from 'node:crypto'
import { createPrivacyService, type PrivacyService } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bigqueryConnector } from '../src/index.js'
import { emulatorEngine } from './double/emulator-engine.js'
import { type JobServer, openJobServer } from './double/job-server.js'
import { type Rest, restOf } from './double/rest.js'
import { emulatorAddress } from './emulator-address.js'
import { project, secretsOf } from './emulator-fixture.js'

const email = 'planted-marker@example.org'
const erased = (name: string, meta: object = {}) => ({ name, data_categories: ['user'], service_meta: meta })
const plain = (name: string, meta: object = {}) => ({ name, service_meta: meta })
const key = plain('id', { primary_key: true })
const customer = { references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' }] }

const collections = [
  {
    name: 'customer',
    fields: [
      key,
      erased('email', { identity: 'email', masking_strategy: { strategy: 'random_string_rewrite' } }),
      { name: 'home', fields: [erased('city'), plain('floor')] },
      { name: 'profile', fields: [erased('name'), plain('plan')] },
    ],
  },
  { name: 'orders', fields: [key, plain('customer_id', customer), erased('note'), plain('placed')] },
  { name: 'event', fields: [key, { name: 'data', fields: [erased('email', { identity: 'email' }), plain('prices')] }] },
  { name: 'ticket', service_meta: { erase: 'delete' }, fields: [key, plain('customer_id', customer), erased('body')] },
]

describe('requests over BigQuery, on an emulator', () => {
  const address = emulatorAddress
  if (!address) throw new Error('BIGQUERY_EMULATOR_HOST names no server')
  const dataset = `habeas_${randomBytes(6).toString('hex')}`
  const table = (name: string) => `\`${project}\`.\`${dataset}\`.\`${name}\``
  let rest: Rest
  let server: JobServer
  let privacy: PrivacyService
  const emitted: unknown[] = []

  const query = (text: string) =>
    rest('POST', `/projects/${project}/jobs`, { configuration: { query: { query: text, useLegacySql: false } } })

  async function rows(name: string): Promise<unknown[]> {
    const result = await emulatorEngine(address!, project).run(
      `select to_json_string(t) from ${table(name)} as t order by id`,
      [],
    )
    return (await result.rows(0, 100)).map(({ f }) => JSON.parse(String(f[0]!.v)))
  }

  beforeAll(async () => {
    rest = restOf(address)
    await rest('POST', `/projects/${project}/datasets`, {
      datasetReference: { projectId: project, datasetId: dataset },
    })
    await query(
      `create table ${table('customer')} (id INT64, email STRING, home STRUCT<city STRING, floor INT64>, profile JSON)`,
    )
    const fields = [
      { name: 'id', type: 'INTEGER' },
      { name: 'email', type: 'STRING' },
      {
        name: 'home',
        type: 'RECORD',
        fields: [
          { name: 'city', type: 'STRING' },
          { name: 'floor', type: 'INTEGER' },
        ],
      },
      { name: 'profile', type: 'JSON' },
    ]
    await rest('PATCH', `/projects/${project}/datasets/${dataset}/tables/customer`, { schema: { fields } })
    await query(`create table ${table('orders')} (id INT64, customer_id INT64, note STRING, placed TIMESTAMP)`)
    await query(`create table ${table('event')} (id INT64, data JSON)`)
    const eventFields = [
      { name: 'id', type: 'INTEGER' },
      { name: 'data', type: 'JSON' },
    ]
    await rest('PATCH', `/projects/${project}/datasets/${dataset}/tables/event`, { schema: { fields: eventFields } })
    await query(`create table ${table('ticket')} (id STRING, customer_id INT64, body STRING)`)
    await query(`insert into ${table('customer')} values
      (1, '${email}', struct('Rome' as city, 1 as floor), json '{"name": "Ann", "plan": "gold"}'),
      (2, 'other@example.org', struct('Oslo' as city, 2 as floor), json '{"name": "Bob"}')`)
    await query(`insert into ${table('orders')} values
      (9007199254740993, 1, 'planted-note', timestamp '2026-01-02 01:04:05.678901+00'), (9007199254740992, 2, 'not hers', timestamp '2026-01-02 00:00:00+00')`)
    await query(`insert into ${table('event')} values
      (1, json '{"email": "${email}", "prices": [10.0, -0.0, 1.5, "2.0,"]}'), (2, json '{"email": "other@example.org", "prices": 1.0}')`)
    await query(`insert into ${table('ticket')} values ('a', 1, 'help'), ('b', 2, 'not hers')`)
    server = await openJobServer(emulatorEngine(address, project))
    privacy = createPrivacyService({
      execution: { retryMinutes: 0 },
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: [bigqueryConnector({ apiEndpoint: server.address })],
    })
    privacy.on((event) => emitted.push(event))
    await privacy.connections.put({ key: 'shop', connectionType: 'bigquery', access: 'write' })
    const tested = await privacy.connections.setSecrets('shop', secretsOf(dataset))
    expect(tested).toMatchObject({ testStatus: 'succeeded' })
    await privacy.connections.attachDataset('shop', { service_key: 'shop', collections: collections as never })
    const all = { service_key: 'all', data_categories: { matches: 'ANY', values: ['user'] } } as const
    await privacy.policies.put({ service_key: 'erase', rules: [{ ...all, action_type: 'erasure' }] })
    await privacy.policies.put({ service_key: 'access', rules: [{ ...all, action_type: 'access' }] })
  })
  afterAll(async () => {
    await privacy?.close()
    await server?.close()
    await rest?.('DELETE', `/projects/${project}/datasets/${dataset}?deleteContents=true`)
  })

  async function settled(policyKey: string) {
    const { id } = await privacy.requests.submit({ policyKey, identities: [{ email }] })
    return privacy.requests.settled(id)
  }

  it('hand over the rows of the person, in full precision, and nothing of another', async () => {
    const request = await settled('access')
    expect(request).toMatchObject({ status: 'complete' })
    let text = ''
    for await (const part of privacy.requests.readPackage(request.id)) text += Buffer.from(part).toString()
    expect(JSON.parse(text)).toEqual({
      'shop:customer': [{ email, home: { city: 'Rome' }, profile: { name: 'Ann' } }],
      'shop:event': [{ data: { email } }],
      'shop:orders': [{ note: 'planted-note' }],
      'shop:ticket': [{ body: 'help' }],
    })
  })

  it('erase what is hers, and leave all else as it was', async () => {
    const before = {
      customer: await rows('customer'),
      event: await rows('event'),
      orders: await rows('orders'),
      ticket: await rows('ticket'),
    }
    const request = await settled('erase')
    expect(request).toMatchObject({ status: 'complete' })
    expect(await rows('customer')).toEqual([
      {
        id: 1,
        email: expect.stringMatching(/^\w{30}$/),
        home: { city: null, floor: 1 },
        profile: { name: null, plan: 'gold' },
      },
      before.customer[1],
    ])
    const masked = before.orders.map((row) =>
      (row as { note: string }).note === 'planted-note' ? { ...(row as object), note: null } : row,
    )
    expect(await rows('orders')).toEqual(masked)
    expect(await rows('ticket')).toEqual([before.ticket[1]])
    // 1.0 and 1 are read alike
    const data = { email: null, prices: [10, expect.closeTo(0), 1.5, '2.0,'] }
    expect(await rows('event')).toEqual([{ id: 1, data }, before.event[1]])
    const writes = server.jobs.filter(({ configuration }) => /\n(?:update|delete)/.test(configuration.query.query))
    expect(writes.length).toBeGreaterThan(0)
    const committed = writes.filter(({ configuration }) => configuration.query.query.includes('commit transaction;'))
    for (const { jobReference } of committed) expect(jobReference.jobId).toMatch(/^habeas_[0-9a-f]{40}_\d+$/)
  })

  it('write no value into a statement, a label, an event or a log', async () => {
    const { items } = await privacy.requests.list()
    const logs = await Promise.all(items.map(({ id }) => privacy.requests.log(id)))
    const statements = server.jobs.map(({ jobReference, configuration }) => [
      ...[jobReference, configuration.labels, configuration.query.query],
    ])
    const everything = JSON.stringify([emitted, items, logs, statements])
    for (const planted of [email, 'planted-note', 'Rome', '"Ann"']) expect(everything).not.toContain(planted)
  })
})
