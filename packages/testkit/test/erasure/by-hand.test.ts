import { type PrivacyRequest, type RowKind, searchable } from '@habeas/core'
import { memoryConnector } from '@habeas/testkit'
import { describe, expect, it, test } from 'vitest'
import { erasedOf, erasureWorld } from './erasure-world.js'

const integer = { kind: 'integer' } as const
const text = { kind: 'string' } as const

const shop = () => ({
  customer: {
    primaryKey: ['id'],
    columns: [
      { name: 'id', ...integer },
      { name: 'email', ...text },
      { name: 'name', ...text },
    ],
    rows: [
      { id: 1, email: 'ann@example.com', name: 'Ann' },
      { id: 2, email: 'bob@example.com', name: 'Bob' },
    ],
  },
  orders: {
    primaryKey: ['id'],
    columns: [
      { name: 'id', ...integer },
      { name: 'customer_id', ...integer },
      { name: 'remark', ...text },
    ],
    rows: [
      { id: 100, customer_id: 1, remark: 'ring twice' },
      { id: 101, customer_id: 2, remark: 'leave it' },
    ],
  },
})

const field = (name: string, categories: readonly string[] = [], meta: object = {}) => ({
  name,
  data_categories: categories,
  service_meta: meta,
})
const ofCustomer = { references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' }] }

const shopDataset = {
  service_key: 'shop',
  collections: [
    {
      name: 'customer',
      fields: [
        field('id', [], { primary_key: true }),
        field('email', ['user.contact.email'], { identity: 'email' }),
        field('name', ['user.name']),
      ],
    },
    {
      name: 'orders',
      fields: [
        field('id', [], { primary_key: true }),
        field('customer_id', [], ofCustomer),
        field('remark', ['user.content']),
      ],
    },
  ],
}

const paper = (meta: object = {}) => ({
  service_key: 'paper',
  collections: [
    {
      name: 'letters',
      service_meta: meta,
      fields: [
        field('number', [], { primary_key: true, data_type: 'integer' }),
        field('customer', [], ofCustomer),
        field('subject', ['user.content'], { data_type: 'string' }),
        field('sender', ['user.name'], {
          masking_strategy: { strategy: 'hash', configuration: {} },
        }),
        field('tray', ['user.name'], {
          masking_strategy: { strategy: 'string_rewrite', configuration: { rewrite_value: 'X' } },
        }),
      ],
    },
  ],
})

const letters = [
  { number: 7, customer: 1, subject: 'planted-one', sender: 'planted-ann', tray: 'planted-a' },
  { number: 8, customer: 1, subject: 'planted-two', sender: 'planted-ann', tray: 'planted-b' },
  { number: 9, customer: 1, subject: 'planted-three', sender: null, tray: null },
  { number: 10, customer: 1, subject: null, sender: null, tray: null },
]

type World = Awaited<ReturnType<typeof erasureWorld>>

interface PaperOptions {
  readonly collection?: object
  readonly access?: 'read' | 'write'
  readonly storage?: World['storage']
  readonly blobs?: World['blobs']
}

async function paperWorld({ collection, access = 'write', ...kept }: PaperOptions = {}) {
  const database = shop()
  const connector = memoryConnector({ database })
  const execution = { immediate: false }
  const world = await erasureWorld(connector, [shopDataset], { execution, ...kept })
  const { privacy } = world
  await privacy.connections.put({ key: 'archive', connectionType: 'manual', access })
  await privacy.connections.attachDataset('archive', paper(collection))
  return {
    ...world,
    database,
    connector,
    get: (id: string): Promise<PrivacyRequest> => privacy.requests.get(id),
    /** Up to where somebody has to erase something. */
    async pausedAt(rows: readonly object[] = letters): Promise<string> {
      const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email: 'ann@example.com' }] })
      await privacy.requests.run()
      await privacy.requests.manualInput(id, rows)
      await privacy.requests.run()
      return id
    },
    async confirm(id: string, rowCount: number): Promise<PrivacyRequest> {
      await privacy.requests.confirmErasure(id, { rowCount })
      await privacy.requests.run()
      return privacy.requests.get(id)
    },
    async dump() {
      const kinds = Object.keys(searchable) as RowKind[]
      return JSON.stringify(await Promise.all(kinds.map((kind) => world.storage.table(kind).find())))
    },
  }
}

const hash = { masking_strategy: 'hash' }

describe('§6: manual collections in an erasure', () => {
  it('the run pauses there, tells what is to become of which rows, and goes on with what a person confirms', async () => {
    await using world = await paperWorld()
    const id = await world.pausedAt()
    const paused = await world.get(id)
    expect(paused.failure).toBeUndefined()
    expect(paused).toMatchObject({
      status: 'paused',
      actionRequired: {
        step: 'erasure',
        collection: 'paper:letters',
        actionNeeded: [
          { locators: null, get: null, update: { subject: null, sender: hash, tray: 'X' } },
          { locators: null, get: null, update: { subject: null } },
        ],
      },
    })
    expect(JSON.stringify(paused)).not.toMatch(/planted|ann@/)
    expect(await world.dump()).not.toContain('planted')
    expect(await world.privacy.requests.actionNeeded(id)).toEqual([
      { locators: { number: [7, 8] }, get: null, update: { subject: null, sender: hash, tray: 'X' } },
      { locators: { number: [9] }, get: null, update: { subject: null } },
    ])
    const complete = await world.confirm(id, 3)
    expect(complete.failure ?? complete.status).toBe('complete')
    expect(erasedOf(complete)).toEqual({
      'shop:customer': 'masked 1',
      'shop:orders': 'masked 1',
      'paper:letters': 'masked 3 (confirmed by hand), unchanged 1',
    })
    const receipt = await world.privacy.requests.receipt(id)
    expect(receipt.status).toBe('complete')
    expect(receipt.collections.find(({ collection }) => collection === 'letters')).toMatchObject({
      found: 4,
      before: 3,
      after: 0,
      outcomes: [
        { outcome: 'masked', rowCount: 3, reason: 'confirmed by hand' },
        { outcome: 'unchanged', rowCount: 1 },
      ],
    })
    expect(await world.dump()).not.toContain('planted')
  })

  it('§7.12: what leads there waits, and what does not is written', async () => {
    await using world = await paperWorld()
    const id = await world.pausedAt()
    expect(world.database.customer.rows).toEqual(shop().customer.rows)
    expect(world.database.orders.rows[0]).toEqual({ id: 100, customer_id: 1, remark: null })
    const { results = [] } = await world.get(id)
    expect(erasedOf({ ...(await world.get(id)), results })).toEqual({
      'shop:customer': "skipped 1 (not reached: 'paper:letters' comes first and waits for a person)",
      'shop:orders': 'masked 1',
      'paper:letters': 'unchanged 1, skipped 3 (waits for rows that a person erases)',
    })
    const { items } = await world.privacy.requests.log(id, { size: 100 })
    const states = (name: string) =>
      items.flatMap(({ collection, actionType, status }) =>
        collection === name && actionType === 'erasure' ? [status] : [],
      )
    expect(states('letters')).toEqual(['in_processing', 'paused'])
    expect(states('customer')).toEqual([])
    await world.confirm(id, 3)
    expect(world.database.customer.rows[0]).toEqual({ id: 1, email: null, name: null })
    expect(world.database.customer.rows[1]).toEqual(shop().customer.rows[1])
  })

  it.each([
    ['none found', []],
    ['nothing in them to erase', [letters[3] as object]],
  ])('nobody is asked where nothing is due: %s', async (_, rows) => {
    await using world = await paperWorld()
    const id = await world.pausedAt(rows)
    expect(await world.get(id)).toMatchObject({ status: 'complete' })
  })

  it('rows that go are told as such, and counted as erased', async () => {
    await using world = await paperWorld({ collection: { erase: 'delete' } })
    const id = await world.pausedAt(letters.slice(0, 2))
    expect(await world.privacy.requests.actionNeeded(id)).toEqual([
      { locators: { number: [7, 8] }, get: null, update: null },
    ])
    expect(erasedOf(await world.confirm(id, 2))['paper:letters']).toBe('erased 2 (confirmed by hand)')
  })

  it('rows that a reason keeps are not asked for', async () => {
    await using world = await paperWorld({ collection: { retain: { reason: 'tax law' } } })
    const id = await world.pausedAt()
    expect(erasedOf(await world.get(id))['paper:letters']).toBe('retained 4 (tax law)')
  })

  it('who confirms says that none is left: fewer than found were gone before', async () => {
    await using world = await paperWorld()
    const complete = await world.confirm(await world.pausedAt(), 1)
    expect(complete.status).toBe('complete')
    expect(erasedOf(complete)['paper:letters']).toBe(
      'masked 1 (confirmed by hand), unchanged 1, gone 2 (not there any more, confirmed by hand)',
    )
  })

  it('more than found is refused, and the request still waits', async () => {
    await using world = await paperWorld()
    const id = await world.pausedAt()
    await expect(world.privacy.requests.confirmErasure(id, { rowCount: 4 })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc: ['rowCount'], type: 'too_big' }] },
    })
    expect(await world.get(id)).toMatchObject({ status: 'paused' })
  })

  it('fifty concurrent confirmations: exactly one wins', async () => {
    await using world = await paperWorld()
    const id = await world.pausedAt()
    const confirming = Array.from({ length: 50 }, () => world.privacy.requests.confirmErasure(id, { rowCount: 3 }))
    const ends = await Promise.allSettled(confirming)
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'invalid_state' })
  })

  it('rows are not taken where a confirmation is waited for, nor the other way round', async () => {
    await using world = await paperWorld()
    const { privacy } = world
    const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email: 'ann@example.com' }] })
    await privacy.requests.run()
    await expect(privacy.requests.confirmErasure(id, { rowCount: 0 })).rejects.toMatchObject({ code: 'invalid_state' })
    await privacy.requests.manualInput(id, letters)
    await privacy.requests.run()
    await expect(privacy.requests.manualInput(id, letters)).rejects.toMatchObject({ code: 'invalid_state' })
  })

  it('outlives the process, and nothing is asked or read again', async () => {
    const first = await paperWorld()
    const id = await first.pausedAt()
    await first.privacy.close()
    const { storage, blobs } = first
    await using second = await paperWorld({ storage, blobs })
    second.database.orders.rows = first.database.orders.rows
    await second.privacy.requests.run()
    expect(await second.get(id)).toMatchObject({ status: 'paused' })
    expect((await second.confirm(id, 3)).status).toBe('complete')
    expect(second.database.customer.rows[0]).toEqual({ id: 1, email: null, name: null })
    const asked = second.connector.calls.filter(({ read }) => read?.collection === 'orders')
    expect(asked).toEqual([])
  })

  it('what was confirmed is not asked for again after a failure', async () => {
    await using world = await paperWorld()
    const id = await world.pausedAt()
    world.connector.failNext({ operation: 'erase', collection: 'customer', rollBack: false })
    expect(await world.confirm(id, 3)).toMatchObject({ status: 'error' })
    await world.privacy.requests.retry(id)
    await world.privacy.requests.run()
    const complete = await world.get(id)
    expect(complete.failure ?? complete.status).toBe('complete')
    expect(erasedOf(complete)['paper:letters']).toBe('masked 3 (confirmed by hand), unchanged 1')
  })

  it('a failure elsewhere comes first; a retry then waits', async () => {
    await using world = await paperWorld()
    world.connector.failNext({ operation: 'erase', collection: 'orders', rollBack: false })
    const id = await world.pausedAt()
    expect(await world.get(id)).toMatchObject({ status: 'error' })
    await world.privacy.requests.retry(id)
    await world.privacy.requests.run()
    expect(await world.get(id)).toMatchObject({ status: 'paused', actionRequired: { step: 'erasure' } })
  })

  it('canceled while it waits, it ends in error and says what was erased', async () => {
    await using world = await paperWorld()
    const id = await world.pausedAt()
    await world.privacy.requests.cancel(id)
    await world.privacy.requests.run()
    const ended = await world.get(id)
    expect(ended).toMatchObject({ status: 'error', failure: expect.stringContaining('erased in part') })
    const receipt = await world.privacy.requests.receipt(id)
    expect(receipt).toMatchObject({ status: 'error', totals: { masked: 1 } })
    expect(world.database.customer.rows).toEqual(shop().customer.rows)
  })

  it('§7.15: a connection that may only be read stops the request before anything is written', async () => {
    await using world = await paperWorld({ access: 'read' })
    const id = await world.pausedAt()
    expect(await world.get(id)).toMatchObject({
      status: 'error',
      failure: expect.stringMatching(/^Nothing was erased: .*'paper:letters'.*'archive'/),
    })
    expect(world.database).toEqual(shop())
  })
})

test('the plan says that a person erases', async () => {
  await using world = await paperWorld()
  const asked = { policyKey: 'erase', identities: [{ email: 'ann@example.com' }] }
  const { text: told, plan } = await world.privacy.requests.preview(asked)
  expect(told).toContain('paper:letters: a person masks the rows, and the request waits for that')
  expect(plan.findings.map(({ type }) => type)).not.toContain('missing_primary_key')
})
