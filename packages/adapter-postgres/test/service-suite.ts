import { randomBytes } from 'node:crypto'
import {
  applyProposals,
  type Connector,
  createPrivacyService,
  type PrivacyService,
  receiptText,
  verifyEvidence,
} from '@habeas/core'
import type { Fixture, FixtureColumn, FixtureTable } from '@habeas/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { erasedOf } from '../../core/test/erasure/erasure-world.js'
import { quoted, type TestDatabase } from './database.js'

const ann = '9007199254740993'
const column = (name: string, kind: FixtureColumn['kind'], more: Partial<FixtureColumn> = {}): FixtureColumn => ({
  ...{ name, kind, nullable: true, ...more },
})
const key = (name: string, kind: FixtureColumn['kind'] = 'integer') => column(name, kind, { nullable: false })
const table = (
  name: string,
  columns: FixtureTable['columns'],
  primaryKey: readonly string[],
  rows: readonly (readonly unknown[])[],
  foreignKeys: FixtureTable['foreignKeys'] = [],
): FixtureTable => ({
  ...{ name, columns, primaryKey, uniqueKeys: [], foreignKeys },
  rows: rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at]]))) as FixtureTable['rows'],
})
const refers = (name: string, column: string, collection: string) => ({
  ...{ name, columns: [column], onDelete: 'no action' as const },
  references: { collection, columns: ['id'] },
})

/** A shop in which Ann, another Ann and Bob have rows beside each other. */
const shop: Fixture = [
  table(
    'customers',
    [
      key('id', 'big_integer'),
      column('email', 'string', { length: 190, nullable: false }),
      column('name', 'string', { length: 80 }),
      column('since', 'timestamp'),
      column('settings', 'object'),
    ],
    ['id'],
    [
      [ann, 'ann@example.com', 'Ann Ä', '2024-01-02T03:04:05.678901Z', { theme: 'dark' }],
      ['2', 'ANN@example.com.au', 'Other Ann', '2024-01-02T00:00:00Z', null],
      ['3', 'bob@example.com', 'Bob', '2024-01-03T00:00:00Z', { a: 1 }],
    ],
  ),
  table(
    'orders',
    [
      key('id'),
      key('customer_id', 'big_integer'),
      column('note', 'string', { length: 200 }),
      column('total', 'decimal'),
    ],
    ['id'],
    [
      [1, ann, 'for Ann', '9.9'],
      [12, ann, null, '5'],
      [3, '3', 'for Bob', '1'],
    ],
    [refers('orders_customer', 'customer_id', 'customers')],
  ),
  table(
    'order_lines',
    [key('id'), key('order_id'), column('gift', 'string', { length: 80 })],
    ['id'],
    [
      [1, 1, 'a gift of Ann'],
      [2, 12, 'another gift'],
      [3, 3, 'a gift of Bob'],
    ],
    [refers('lines_order', 'order_id', 'orders')],
  ),
  table(
    'visits',
    [
      key('id'),
      key('at', 'timestamp'),
      column('email', 'string', { length: 190 }),
      column('address', 'string', { length: 45 }),
    ],
    ['id', 'at'],
    [
      [1, '2024-01-01T00:00:00Z', 'Ann@Example.com', '10.0.0.1'],
      [1, '2024-03-01T00:00:00Z', 'ann@example.com', '10.0.0.3'],
      [2, '2024-01-01T00:00:00Z', 'bob@example.com', '10.0.0.2'],
    ],
  ),
]
const tables = shop.map(({ name }) => name)
const rewritten = { strategy: 'string_rewrite', configuration: { rewrite_value: 'erased' } }
const masking: Readonly<Record<string, object>> = {
  email: { strategy: 'random_string_rewrite' },
  note: rewritten,
  name: { strategy: 'hash', configuration: { format_preservation: { suffix: '@gone' } } },
}

/** What differs from server to server. */
export interface ServiceServer {
  readonly connector: Connector
  open(fixture: Fixture): Promise<TestDatabase>
  /** Where connections under test go. */
  url(): string
  /** What the receipt says that the server lacks. */
  readonly writeLimits?: readonly string[]
}

/** Requests over a small shop, from the draft to the evidence. */
export function serviceSuite(kind: string, server: ServiceServer): void {
  describe(`requests over a shop, on ${kind}`, () => {
    let database: TestDatabase
    let privacy: PrivacyService
    beforeAll(async () => {
      database = await server.open(shop)
      privacy = createPrivacyService({
        execution: { retryMinutes: 0 },
        encryptionKey: randomBytes(32).toString('base64'),
        connectors: [server.connector],
      })
      await privacy.connections.put({ key: 'shop', connectionType: server.connector.type, access: 'write' } as never)
      const secrets = { url: server.url(), db_schema: database.schema }
      expect(await privacy.connections.setSecrets('shop', secrets)).toMatchObject({ testStatus: 'succeeded' })
      await privacy.connections.attachDataset('shop', await described())
      const all = { service_key: 'all', data_categories: { matches: 'ANY', values: ['user'] } } as const
      await privacy.policies.put({ service_key: 'erase', rules: [{ ...all, action_type: 'erasure' }] })
      await privacy.policies.put({ service_key: 'access', rules: [{ ...all, action_type: 'access' }] })
    })
    afterAll(async () => {
      await privacy?.close()
      await database?.close()
    })

    /** The draft, with the answers of somebody who knows the shop. */
    async function described() {
      const { dataset, proposals } = await privacy.connections.draftDataset('shop')
      const accept = ['customers.email:identity', 'visits.email:identity']
      const answered = applyProposals(dataset, proposals, {
        accept: [...accept, 'orders.customer_id:from', 'order_lines.order_id:from'],
      })
      for (const collection of answered.collections) {
        if (collection.name === 'order_lines') Object.assign(collection, { service_meta: { erase: 'delete' } })
        for (const field of collection.fields) {
          if (/^(?:id|at|\w+_id)$/.test(field.name)) continue
          const masking_strategy = masking[field.name]
          const service_meta = { ...field.service_meta, ...(masking_strategy && { masking_strategy }) }
          Object.assign(field, { data_categories: ['user'], service_meta })
        }
      }
      return answered
    }
    const stored = async (name: string) => {
      const text = `select * from ${quoted(database.schema)}.${quoted(name)} order by 1, 2`
      return (await database.client.query(text)).rows as Readonly<Record<string, unknown>>[]
    }
    const settled = async (policyKey: string, email: string) => {
      const { id } = await privacy.requests.submit({ policyKey, identities: [{ email }] })
      return privacy.requests.settled(id)
    }
    const packageOf = async (id: string) => {
      let text = ''
      for await (const part of privacy.requests.readPackage(id)) text += Buffer.from(part).toString()
      return text
    }

    it('drafts its tables and no other, foreign keys as references, and proposes whose rows are', async () => {
      const { dataset, proposals } = await privacy.connections.draftDataset('shop')
      expect(dataset.collections.map(({ name }) => name).sort()).toEqual([...tables].sort())
      const orders = dataset.collections.find(({ name }) => name === 'orders')
      const reference = orders?.fields.find(({ name }) => name === 'customer_id')?.service_meta?.references?.[0]
      expect(reference).toMatchObject({ dataset: 'shop', field: 'customers.id' })
      expect(proposals.map(({ id }) => id)).toEqual(
        expect.arrayContaining([
          ...['customers.email:identity', 'visits.email:identity'],
          ...['orders.customer_id:from', 'order_lines.order_id:from'],
        ]),
      )
    })

    it('hands over what is a person’s, and nothing of another', async () => {
      const request = await settled('access', 'ann@example.com')
      expect([request.failure, request.status]).toEqual([undefined, 'complete'])
      const text = await packageOf(request.id)
      const found = JSON.parse(text)
      const total = (amount: string) => expect.stringMatching(new RegExp(`^${amount}0*$`))
      expect(found).toEqual({
        'shop:customers': [
          {
            ...{ email: 'ann@example.com', name: 'Ann Ä', since: '2024-01-02T03:04:05.678901Z' },
            settings: { theme: 'dark' },
          },
        ],
        'shop:orders': expect.toSatisfy((rows: unknown[]) => rows.length === 2),
        'shop:order_lines': expect.toSatisfy((rows: unknown[]) => rows.length === 2),
        'shop:visits': expect.toSatisfy((rows: unknown[]) => rows.length === 2),
      })
      expect(found['shop:orders']).toContainEqual({ note: 'for Ann', total: total('9\\.9') })
      expect(found['shop:order_lines']).toContainEqual({ gift: 'a gift of Ann' })
      expect(found['shop:visits']).toContainEqual({ email: 'Ann@Example.com', address: '10.0.0.1' })
      expect(text).not.toMatch(/Bob|Other Ann|10\.0\.0\.2/)
    })

    it('erases it, proves it, and leaves all else as it was', async () => {
      const before = new Map<string, readonly Readonly<Record<string, unknown>>[]>()
      for (const name of tables) before.set(name, await stored(name))
      const request = await settled('erase', 'ann@example.com')
      expect([request.failure, request.status]).toEqual([undefined, 'complete'])
      expect(erasedOf(request)).toEqual({
        'shop:customers': 'masked 1',
        'shop:orders': 'masked 2',
        'shop:order_lines': 'erased 2',
        'shop:visits': 'masked 2',
      })
      const random = expect.stringMatching(/^\w{30}$/)
      const become: Readonly<Record<string, (row: Readonly<Record<string, unknown>>) => object | undefined>> = {
        customers: (row) =>
          row['id'] === ann
            ? { ...row, email: random, name: expect.stringMatching(/^\w+@gone$/), since: null, settings: null }
            : row,
        orders: (row) => (row['customer_id'] === ann ? { ...row, note: row['note'] && 'erased', total: null } : row),
        order_lines: (row) => (row['id'] === 3 ? row : undefined),
        visits: (row) => (row['id'] === 1 ? { ...row, email: random, address: null } : row),
      }
      for (const [name, rows] of before)
        expect([name, await stored(name)]).toEqual([name, rows.map(become[name]!).filter(Boolean)])

      const receipt = await privacy.requests.receipt(request.id)
      for (const { collection, writeLimits } of receipt.collections)
        expect([collection, writeLimits]).toEqual([collection, server.writeLimits])
      const cannot = 'The database cannot end the writes of a process that was overtaken'
      expect(receiptText(receipt).includes(cannot)).toBe(server.writeLimits?.includes('fencing') ?? false)
      const evidence = await privacy.requests.exportEvidence(request.id)
      const verdict = verifyEvidence(JSON.stringify(evidence), { key: await privacy.requests.evidenceKey() })
      expect(verdict).toMatchObject({ ok: true, problems: [] })
      expect(await settled('access', 'ann@example.com').then(({ id }) => packageOf(id).then(JSON.parse))).toMatchObject(
        {
          nothing_found: 'No data about you was found.',
        },
      )
    })
  })
}
