import { randomBytes } from 'node:crypto'
import { createPrivacyService } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { bigqueryConnector } from '../src/index.js'
import type { SchemaField } from '../src/live-column.js'
import { openJobServer } from './double/job-server.js'
import { RestError } from './double/rest.js'
import { serviceRules } from './double/service-rules.js'
import type { MemoryRow } from './double/sql/evaluator.js'
import { type MemoryTables, memoryEngine } from './double/sql/memory-engine.js'
import { scalarOf, toJson } from './double/sql/values.js'

const email = 'jane@example.com'
const field = (name: string, type: string): SchemaField => ({ name, type, mode: 'NULLABLE' })
const erased = (name: string, meta: object = {}) => ({ name, data_categories: ['user'], service_meta: meta })
const plain = (name: string, meta: object = {}) => ({ name, service_meta: meta })
const key = plain('id', { primary_key: true })
const customer = plain('customer_id', {
  references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' }],
})
const collections = [
  { name: 'customer', fields: [key, erased('email', { identity: 'email', read_only: true }), erased('name')] },
  { name: 'orders', fields: [key, customer, erased('note')] },
  { name: 'ticket', service_meta: { erase: 'delete' }, fields: [key, customer, erased('body')] },
]

function rowsOf(fields: readonly SchemaField[], ...rows: readonly (readonly (string | number)[])[]) {
  const cells = rows.map(
    (row): MemoryRow =>
      Object.fromEntries(fields.map(({ name, type }, at) => [name, scalarOf(type!, String(row[at]))])),
  )
  return { fields, rows: cells }
}

const shop = (): MemoryTables =>
  new Map([
    [
      'acme.shop.customer',
      rowsOf(
        [field('id', 'INTEGER'), field('email', 'STRING'), field('name', 'STRING')],
        [1, email, 'Jane'],
        [2, 'john@x', 'John'],
      ),
    ],
    [
      'acme.shop.orders',
      rowsOf(
        [field('id', 'INTEGER'), field('customer_id', 'INTEGER'), field('note', 'STRING')],
        [1, 1, 'hers'],
        [2, 2, 'his'],
        [3, 1, 'hers too'],
      ),
    ],
    [
      'acme.shop.ticket',
      rowsOf(
        [field('id', 'STRING'), field('customer_id', 'INTEGER'), field('body', 'STRING')],
        ['a', 1, 'hers'],
        ['b', 2, 'his'],
      ),
    ],
  ])

/** A service over the shop. `failsFrom`: from this job on nothing is allowed, until it is allowed again. */
async function openShop(failsFrom = Number.POSITIVE_INFINITY) {
  const tables = shop()
  const server = await openJobServer(memoryEngine(tables), serviceRules)
  let isForbidden = true
  server.rules.push((_, { configuration }) =>
    isForbidden && !configuration.dryRun && server.jobs.length >= failsFrom
      ? new RestError(403, 'accessDenied', 'Access Denied')
      : undefined,
  )
  const privacy = createPrivacyService({
    execution: { retryMinutes: 0 },
    encryptionKey: randomBytes(32).toString('base64'),
    connectors: [bigqueryConnector({ apiEndpoint: server.address })],
  })
  await privacy.connections.put({ key: 'shop', connectionType: 'bigquery', access: 'write' })
  await privacy.connections.setSecrets('shop', { dataset: 'shop', keyfile_creds: { project_id: 'acme' } })
  await privacy.connections.attachDataset('shop', { service_key: 'shop', collections: collections as never })
  const all = { service_key: 'all', data_categories: { matches: 'ANY', values: ['user'] } } as const
  await privacy.policies.put({ service_key: 'erase', rules: [{ ...all, action_type: 'erasure' }] })
  return {
    ...{ server, privacy },
    allow() {
      isForbidden = false
    },
    async submit() {
      const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email }] })
      return privacy.requests.settled(id)
    },
    rows: () => [...tables.values()].map(({ rows }) => rows.map((row) => Object.values(row).map(toJson))),
    async [Symbol.asyncDispose]() {
      await privacy.close()
      await server.close()
    },
  }
}

const afterwards = [
  [
    [1, email, null],
    [2, 'john@x', 'John'],
  ],
  [
    [1, 1, null],
    [2, 2, 'his'],
    [3, 1, null],
  ],
  [['b', 2, 'his']],
]

describe('an erasure', () => {
  it('has a receipt with the day until which time travel and fail-safe keep what was erased', async () => {
    await using whole = await openShop()
    const { id } = await whole.submit()
    const { collections } = await whole.privacy.requests.receipt(id)
    const until = collections.map(({ finishedAt = '' }) => {
      const day = new Date(finishedAt)
      day.setUTCDate(day.getUTCDate() + 2 + 7)
      return day.toISOString().slice(0, 10)
    })
    expect(until).toHaveLength(3)
    expect(collections.map(({ keptUntil }) => keptUntil)).toEqual(until)
  })

  it('that is cut off at any of its jobs goes on with the rest, and writes nothing twice', async () => {
    let total: number
    {
      await using whole = await openShop()
      expect(await whole.submit()).toMatchObject({ status: 'complete' })
      expect(whole.rows()).toEqual(afterwards)
      total = whole.server.jobs.length
    }
    expect(total).toBeGreaterThan(5)
    for (let job = 1; job < total; job++) {
      await using shop = await openShop(job)
      const { id, status } = await shop.submit()
      expect(status).toBe('error')
      shop.allow()
      await shop.privacy.requests.retry(id)
      expect(await shop.privacy.requests.settled(id)).toMatchObject({ status: 'complete' })
      expect(shop.rows()).toEqual(afterwards)
      const ids = shop.server.jobs.map(({ jobReference }) => jobReference.jobId)
      expect(new Set(ids).size).toBe(ids.length)
    }
  })
})
