import { describe, expect, it, test } from 'vitest'
import { erasedOf } from './erasure-world.js'
import { letters, paperWorld, shop } from './paper-world.js'

const hash = { masking_strategy: 'hash' }

describe('manual collections in an erasure', () => {
  it('the run pauses there, says what should happen to which rows, and goes on with what a person confirms', async () => {
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

  it('collections that lead there wait, and the others are written', async () => {
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

  it('rows that belong to a letter are written, and no person is asked a second time whose they are', async () => {
    await using world = await paperWorld({ answered: true })
    const id = await world.pausedAt()
    const paused = await world.get(id)
    expect([paused.status, erasedOf(paused)['shop:answers']]).toEqual(['paused', 'masked 1'])
    const complete = await world.confirm(id, 3)
    expect([complete.failure, erasedOf(complete)['shop:answers']]).toEqual([undefined, 'masked 1'])
    expect(world.database.answers?.rows.map(({ text }) => text)).toEqual([null, 'his'])
  })

  it.each([
    ['none found', []],
    ['nothing in them to erase', [letters[3] as object]],
  ])('no person is asked where there is nothing to do: %s', async (_, rows) => {
    await using world = await paperWorld()
    const id = await world.pausedAt(rows)
    expect(await world.get(id)).toMatchObject({ status: 'complete' })
  })

  it('rows to delete are named as such, and counted as erased', async () => {
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

  it('a confirmation says that none is left: when it counts fewer than were found, the others were gone before', async () => {
    await using world = await paperWorld()
    const complete = await world.confirm(await world.pausedAt(), 1)
    expect(complete.status).toBe('complete')
    expect(erasedOf(complete)['paper:letters']).toBe(
      'masked 1 (confirmed by hand), unchanged 1, gone 2 (not there any more, confirmed by hand)',
    )
  })

  it('a count of more than were found is refused, and the request still waits', async () => {
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

  it('rows are not taken where the request waits for a confirmation, nor the other way round', async () => {
    await using world = await paperWorld()
    const { privacy } = world
    const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email: 'ann@example.com' }] })
    await privacy.requests.run()
    await expect(privacy.requests.confirmErasure(id, { rowCount: 0 })).rejects.toMatchObject({ code: 'invalid_state' })
    await privacy.requests.manualInput(id, letters)
    await privacy.requests.run()
    await expect(privacy.requests.manualInput(id, letters)).rejects.toMatchObject({ code: 'invalid_state' })
  })

  it('the pause outlives the process, and nothing is asked or read again', async () => {
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
    const { calls } = second.connector
    const written = calls.findIndex(({ operation, rollBack }) => operation === 'erase' && !rollBack)
    expect(calls.slice(0, written).filter(({ read }) => read?.collection === 'orders')).toEqual([])
  })

  it('rows that were confirmed are not asked for again after a failure', async () => {
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

  it('a request that is canceled while it waits ends in error and says what was erased', async () => {
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

  it('a connection that may only be read stops the request before anything is written', async () => {
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
  expect(told).toContain('paper:letters: a person masks the rows, and the request waits for it')
  expect(plan.findings.map(({ type }) => type)).not.toContain('missing_primary_key')
})
