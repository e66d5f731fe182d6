import { randomBytes } from 'node:crypto'
import { createPrivacyService, type PrivacyService, type Value } from '@habeas/core'
import type { FixtureColumn, FixtureTable } from '@habeas/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { snowflakeConnector } from '../src/index.js'
import { openDatabase, type TestDatabase } from './database.js'
import { type Emulator, openEmulator } from './emulator.js'

const url = process.env['SNOWFLAKE_URL']
if (!url) throw new Error('SNOWFLAKE_URL names no server')

const people = ['ann', 'bob', 'eve'].map((name) => `${name}.planted@example.org`)

type Rows = readonly Readonly<Record<string, Value>>[]

function table(name: string, columns: readonly FixtureColumn[], rows: Rows, primaryKey: string[] = []): FixtureTable {
  return { name, columns, primaryKey, uniqueKeys: [], foreignKeys: [], rows }
}

const text = (name: string) => ({ name, kind: 'string', nullable: true }) as const
const integer = (name: string) => ({ name, kind: 'integer', nullable: true }) as const
const object = (name: string) => ({ name, kind: 'object', nullable: true }) as const

/** A warehouse in which no key is enforced: names of both cases, documents, a table without a key, identical rows. */
const stored = {
  PEOPLE: people.map((email, at) => ({ ID: at + 1, EMAIL: email, Name: `planted name ${at}` })),
  // the third says of nobody whose it is
  EVENTS: [
    { ID: 'e1', DATA: { user: { email: people[0]!, ip: '10.0.0.1' }, page: '/a' } },
    { ID: 'e2', DATA: { user: { email: people[1]!.toUpperCase(), ip: '10.0.0.2' }, page: '/b', "o'x\\": 1 } },
    { ID: 'e3', DATA: { user: { email: null, ip: '10.0.0.3' } } },
    { ID: 'e4', DATA: { user: [{ email: people[2]!, ip: '10.0.0.4' }], page: '/c' } },
    { ID: 'e5', DATA: null },
  ],
  Orders: [
    {
      'Order Id': '9007199254740993',
      buyer: 1,
      lines: [
        { sku: 'a', gift: 'for planted Kim' },
        { sku: 'b', gift: null },
      ],
    },
    { 'Order Id': '9007199254740992', buyer: 2, lines: [{ sku: 'a', gift: 'for planted Lee' }] },
    { 'Order Id': '12345678901234567', buyer: 2, lines: [] },
    { 'Order Id': '1', buyer: 9, lines: [{ sku: 'c', gift: 'of nobody known' }] },
  ],
  // Two people have equal rows apart from the owner. Two other rows are equal in everything.
  notes: [
    { person: 1, note: 'planted note', at: '2026-01-02T03:04:05.678901Z' },
    { person: 1, note: 'planted note', at: '2026-01-02T03:04:05.678901Z' },
    { person: 2, note: 'planted note', at: '2026-01-02T03:04:05.678901Z' },
    { person: 2, note: null, at: null },
    { person: 3, note: 'planted note', at: '2026-01-02T03:04:05.678902Z' },
  ],
} satisfies Record<string, Rows>

const fixture: FixtureTable[] = [
  table('PEOPLE', [integer('ID'), text('EMAIL'), text('Name')], stored.PEOPLE, ['ID']),
  table('EVENTS', [text('ID'), object('DATA')], stored.EVENTS, ['ID']),
  table('Orders', [{ name: 'Order Id', kind: 'big_integer' }, integer('buyer'), object('lines')], stored.Orders, [
    'Order Id',
  ]),
  table('notes', [integer('person'), text('note'), { name: 'at', kind: 'timestamp', nullable: true }], stored.notes),
]

const erased = (name: string, meta: object = {}) => ({ name, data_categories: ['user'], service_meta: meta })
const plain = (name: string, meta: object = {}) => ({ name, service_meta: meta })
const owner = { references: [{ dataset: 'shop', field: 'PEOPLE.ID', direction: 'from' }] }
const random = { masking_strategy: { strategy: 'random_string_rewrite' } }

const collections = [
  {
    name: 'PEOPLE',
    fields: [plain('ID', { primary_key: true }), erased('EMAIL', { identity: 'email', ...random }), erased('Name')],
  },
  {
    name: 'EVENTS',
    fields: [
      plain('ID', { primary_key: true }),
      {
        name: 'DATA',
        fields: [
          { name: 'user', fields: [erased('email', { identity: 'email', ...random }), erased('ip')] },
          plain('page'),
        ],
      },
    ],
  },
  {
    name: 'Orders',
    fields: [
      plain('Order Id', { primary_key: true }),
      plain('buyer', owner),
      { name: 'lines', service_meta: { data_type: 'object[]' }, fields: [plain('sku'), erased('gift')] },
    ],
  },
  { name: 'notes', service_meta: { erase: 'delete' }, fields: [plain('person', owner), erased('note'), erased('at')] },
]

/** What is a person's, told by the stored rows themselves. */
function packageOf(at: number): Record<string, unknown> {
  const email = people[at]!
  const parts = {
    'shop:PEOPLE': stored.PEOPLE.filter((row) => row.ID === at + 1).map(({ EMAIL, Name }) => ({ EMAIL, Name })),
    'shop:EVENTS': stored.EVENTS.flatMap(({ DATA }) => {
      const users = [DATA?.user ?? []].flat()
      if (!users.some((user) => user.email?.toLowerCase() === email)) return []
      return [{ DATA: { user: DATA!.user } }]
    }),
    'shop:Orders': stored.Orders.flatMap(({ buyer, lines }) => {
      const gifts = lines.map(({ gift }) => ({ gift }))
      return buyer === at + 1 && gifts.length > 0 ? [{ lines: gifts }] : []
    }),
    'shop:notes': stored.notes.filter(({ person }) => person === at + 1).map(({ note, at }) => ({ note, at })),
  }
  return Object.fromEntries(Object.entries(parts).filter(([, rows]) => rows.length > 0))
}

const masked = expect.stringMatching(/^\w{30}$/)

/** What must be left once these people are erased. */
function leftAfter(gone: readonly number[]): Record<keyof typeof stored, unknown[]> {
  const isGone = (email: string | null | undefined) => gone.some((at) => people[at] === email?.toLowerCase())
  const user = (held: { email: string | null; ip: string }) => (isGone(held.email) ? { email: masked, ip: null } : held)
  return {
    PEOPLE: stored.PEOPLE.map((row) => (gone.includes(row.ID - 1) ? { ...row, EMAIL: masked, Name: null } : row)),
    EVENTS: stored.EVENTS.map(({ ID, DATA }) => {
      if (!DATA) return { ID, DATA }
      return { ID, DATA: { ...DATA, user: Array.isArray(DATA.user) ? DATA.user.map(user) : user(DATA.user) } }
    }),
    Orders: stored.Orders.map((row) =>
      gone.includes(row.buyer - 1) ? { ...row, lines: row.lines.map((line) => ({ ...line, gift: null })) } : row,
    ),
    // A row that does not name the person stays.
    notes: stored.notes.filter(({ person, note }) => !gone.includes(person - 1) || note === null),
  }
}

describe('requests over Snowflake, on an emulator', () => {
  let emulator: Emulator
  let database: TestDatabase
  let privacy: PrivacyService
  const emitted: unknown[] = []

  beforeAll(async () => {
    emulator = await openEmulator(url)
    database = await openDatabase(emulator, fixture)
    privacy = createPrivacyService({
      execution: { retryMinutes: 0 },
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: [snowflakeConnector()],
    })
    privacy.on((event) => emitted.push(event))
    await privacy.connections.put({ key: 'shop', connectionType: 'snowflake', access: 'write' })
    expect(await privacy.connections.setSecrets('shop', database.secrets)).toMatchObject({ testStatus: 'succeeded' })
    await privacy.connections.attachDataset('shop', { service_key: 'shop', collections: collections as never })
    const all = { service_key: 'all', data_categories: { matches: 'ANY', values: ['user'] } } as const
    await privacy.policies.put({ service_key: 'erase', rules: [{ ...all, action_type: 'erasure' }] })
    await privacy.policies.put({ service_key: 'access', rules: [{ ...all, action_type: 'access' }] })
  })
  afterAll(async () => {
    await privacy?.close()
    await database?.close()
    await emulator?.close()
  })

  async function settled(policyKey: string, email: string) {
    const { id } = await privacy.requests.submit({ policyKey, identities: [{ email }] })
    return privacy.requests.settled(id)
  }

  /** Rows as they were put in. */
  async function left(): Promise<Record<string, unknown[]>> {
    const columns = new Map(fixture.map(({ name, columns }) => [name, columns]))
    const found: Record<string, unknown[]> = {}
    for (const name of Object.keys(stored)) {
      const rows = await database.rows(name)
      found[name] = rows.map((row) =>
        Object.fromEntries(columns.get(name)!.map((each) => [each.name, plainValue(each, row)])),
      )
    }
    return found
  }

  it('drafts a dataset with the names that are stored', async () => {
    const { dataset } = await privacy.connections.draftDataset('shop')
    expect(dataset.collections.map(({ name }) => name).sort()).toEqual(Object.keys(stored).sort())
    const orders = dataset.collections.find(({ name }) => name === 'Orders')
    expect(orders?.fields.map(({ name }) => name)).toEqual(['Order Id', 'buyer', 'lines'])
  })

  it.each(people.map((email, at) => [email, at] as const))(
    'hand over the rows of %s, and nothing of another',
    async (email, at) => {
      const request = await settled('access', email)
      expect(request).toMatchObject({ status: 'complete' })
      let text = ''
      for await (const part of privacy.requests.readPackage(request.id)) text += Buffer.from(part).toString()
      expect(JSON.parse(text)).toEqual(packageOf(at))
    },
  )

  it('erase what is a person’s, one after the other, and leave all else as it was', async () => {
    const gone: number[] = []
    for (const [at, email] of people.entries()) {
      expect(await settled('erase', email), email).toMatchObject({ status: 'complete' })
      gone.push(at)
      const [found, expected] = [await left(), leftAfter(gone)]
      for (const name of Object.keys(stored) as (keyof typeof stored)[]) {
        expect(found[name], `${name} after ${email}`).toHaveLength(expected[name].length)
        expect(found[name], `${name} after ${email}`).toEqual(expect.arrayContaining(expected[name]))
      }
    }
  })

  it('write no value into an event or a log', async () => {
    const { items } = await privacy.requests.list()
    const logs = await Promise.all(items.map(({ id }) => privacy.requests.log(id)))
    const everything = JSON.stringify([emitted, items, logs])
    for (const planted of ['planted', '10.0.0.1']) expect(everything).not.toContain(planted)
  })
})

function plainValue({ name, kind }: FixtureColumn, row: Readonly<Record<string, unknown>>): unknown {
  const value = row[name] === 'NULL' ? null : row[name]
  if (value === null || value === undefined) return null
  if (kind === 'integer') return Number(value)
  if (kind === 'object') return typeof value === 'string' ? JSON.parse(value) : value
  return kind === 'timestamp' ? instantText(value as { toISOString(): string; getNanoSeconds(): number }) : value
}

function instantText(value: { toISOString(): string; getNanoSeconds(): number }): string {
  return `${value.toISOString().slice(0, 19)}.${String(value.getNanoSeconds()).padStart(9, '0').slice(0, 6)}Z`
}
