import { memoryConnector } from '@habeas/testkit'
import { describe, expect, it } from 'vitest'
import { collection, field } from '../engine/described.js'
import { key, plain, tableWith } from './described-erasure.js'
import { type ErasureWorldOptions, erasureWorld } from './erasure-world.js'

const shop = () => ({
  customer: tableWith({ id: 'integer', email: 'string', invoice_to: 'string', legacy: 'string' }, [
    [1, 'ann@example.com', 'tax', 'none'],
    [2, 'bob@example.com', null, null],
  ]),
  notes: tableWith({ id: 'integer', body: 'string', weight: 'integer' }, [
    [1, 'call ann@example.com', 1],
    [2, 'nothing', 7],
    [3, 'ANN@example.com', 7],
  ]),
  secret: tableWith({ id: 'integer', body: 'string' }, [[1, 'ann@example.com']]),
})

const dataset = (customer: Readonly<Record<string, unknown>> = {}) => ({
  service_key: 'shop',
  collections: [
    collection(
      'customer',
      [key, field('email', { identity: 'email' }), field('invoice_to', { retain: { reason: 'tax law' } })],
      customer,
    ),
    collection('notes', [key, plain('weight')]),
    collection('secret', [key], { skip_processing: true }),
  ],
})

async function searchedWorld(customer: Readonly<Record<string, unknown>> = {}, options: ErasureWorldOptions = {}) {
  const database = shop()
  const connector = memoryConnector({ database, loose: true })
  const world = await erasureWorld(connector, [dataset(customer)], options)
  const submit = async (more: object = {}, identity: object = { email: 'ann@example.com' }) => {
    const asked = { policyKey: 'erase', identities: [identity], residualSearch: true, ...more }
    const { id } = await world.privacy.requests.submit(asked as never)
    return world.privacy.requests.settled(id)
  }
  return { ...world, database, connector, submit }
}

describe('a residual search', () => {
  it('finds nothing where nothing is left, and says so', async () => {
    await using world = await searchedWorld()
    const request = await world.submit()
    expect(request.failure ?? request.status).toBe('complete')
    expect(request.residualHits).toEqual([])
    expect(await world.privacy.requests.receipt(request.id)).toMatchObject({ status: 'complete', residualHits: [] })
  })

  it('that could not read a table stops the erasure before anything is written', async () => {
    await using world = await searchedWorld()
    const partition = { column: 'weight', kind: 'integer' as const, required: true }
    Object.assign(world.database.notes, { partition })
    const request = await world.submit()
    expect(request.status).toBe('error')
    expect(request.failure).toContain("could not read 'shop:notes', whose server asks for a limit")
    expect(world.connector.calls.filter(({ operation }) => ['read', 'erase'].includes(operation))).toEqual([])
    expect(await world.submit({ residualSearch: false })).toMatchObject({ status: 'complete' })
  })

  it('is not made unless it is asked for: no table is scanned', async () => {
    await using world = await searchedWorld()
    world.database.notes.rows[1] = { id: 2, body: 'ann@example.com', weight: 7 }
    const request = await world.submit({ residualSearch: false })
    expect(request.status).toBe('complete')
    expect(request.residualHits).toBeUndefined()
    expect(await world.privacy.requests.receipt(request.id)).not.toHaveProperty('residualHits')
    expect(world.connector.calls.some(({ read }) => read?.collection === 'notes')).toBe(false)
  })

  it('ends the request in error, by name and count, where it finds something that nobody described', async () => {
    await using world = await searchedWorld()
    world.database.notes.rows[1] = { id: 2, body: 'ann@example.com', weight: 7 }
    world.database.customer.rows[1] = { id: 2, email: 'bob@example.com', invoice_to: null, legacy: 'ann@example.com' }
    const request = await world.submit()
    expect(request.status).toBe('error')
    const hits = [
      { collection: 'shop:customer', column: 'legacy', rowCount: 1, retained: 0 },
      { collection: 'shop:notes', column: 'body', rowCount: 1, retained: 0 },
    ]
    expect(request.residualHits).toEqual(hits)
    expect(request.failure).toContain("1 row of 'shop:customer' (legacy), 1 row of 'shop:notes' (body)")
    const receipt = await world.privacy.requests.receipt(request.id)
    expect(receipt).toMatchObject({ status: 'error', residualHits: hits, totals: { masked: 1 } })
    expect(JSON.stringify([request, receipt])).not.toContain('ann@')
  })

  it('is made again by a retry, which then completes', async () => {
    await using world = await searchedWorld()
    world.database.notes.rows[1] = { id: 2, body: 'ann@example.com', weight: 7 }
    const { id } = await world.submit()
    world.database.notes.rows[1] = { id: 2, body: 'gone', weight: 7 }
    await world.privacy.requests.retry(id)
    const request = await world.privacy.requests.settled(id)
    expect(request.failure ?? request.status).toBe('complete')
    expect(request.residualHits).toEqual([])
  })

  it('reports what a field keeps for a reason, and completes', async () => {
    await using world = await searchedWorld()
    world.database.customer.rows[0] = { id: 1, email: 'ann@example.com', invoice_to: 'ann@example.com', legacy: null }
    const request = await world.submit()
    expect(request.failure ?? request.status).toBe('complete')
    expect(request.residualHits).toEqual([
      { collection: 'shop:customer', column: 'invoice_to', rowCount: 1, retained: 1 },
    ])
  })

  it('reports rows that a reason keeps, and no others of their table', async () => {
    await using world = await searchedWorld({ retain: { reason: 'a contract' } })
    const kept = await world.submit()
    expect(kept.failure ?? kept.status).toBe('complete')
    expect(kept.residualHits).toEqual([{ collection: 'shop:customer', column: 'email', rowCount: 1, retained: 1 }])
    world.database.customer.rows[1] = { id: 2, email: 'bob@example.com', invoice_to: null, legacy: 'ann@example.com' }
    const failed = await world.submit()
    expect(failed.status).toBe('error')
    expect(failed.residualHits).toContainEqual({
      collection: 'shop:customer',
      column: 'legacy',
      rowCount: 1,
      retained: 0,
    })
  })

  it('searches for every text value of the identities, and for no number', async () => {
    await using world = await searchedWorld()
    world.database.notes.rows[1] = { id: 2, body: '7', weight: 7 }
    world.database.notes.rows[2] = { id: 3, body: '+1 555', weight: 7 }
    const request = await world.submit({
      identities: [{ email: 'ann@example.com' }, { phone_number: '+1 555' }, { nr: 7 }],
    })
    expect(request.residualHits).toEqual([{ collection: 'shop:notes', column: 'body', rowCount: 1, retained: 0 }])
  })

  it('asks in as many statements as the connector needs', async () => {
    const database = shop()
    database.customer.rows[1] = {
      id: 2,
      email: 'bob@example.com',
      invoice_to: 'ann@example.com',
      legacy: 'ann@example.com',
    }
    const connector = memoryConnector({ database, capabilities: { maxKeys: 1 } })
    await using world = await erasureWorld(connector, [dataset()])
    const { id } = await world.privacy.requests.submit({
      policyKey: 'erase',
      identities: [{ email: 'ann@example.com' }],
      residualSearch: true,
    })
    const { residualHits } = await world.privacy.requests.settled(id)
    expect(residualHits).toEqual([
      { collection: 'shop:customer', column: 'invoice_to', rowCount: 1, retained: 1 },
      { collection: 'shop:customer', column: 'legacy', rowCount: 1, retained: 0 },
    ])
  })

  it('takes an address in a key for kept only in rows that the request has found', async () => {
    const letters = tableWith({ email: 'string', no: 'integer', customer_id: 'integer', text: 'string' }, [
      ['ann@example.com', 1, 1, 'to her'],
      ['ann@example.com', 2, 2, 'to her as well'],
    ])
    const letter = { ...letters, primaryKey: ['email', 'no'] }
    const meta = (service_meta: object) => ({ service_meta })
    const described = dataset() as { collections: object[] }
    described.collections.push({
      name: 'letter',
      fields: [
        { name: 'email', data_categories: ['user'], ...meta({ primary_key: true }) },
        { name: 'no', ...meta({ primary_key: true }) },
        {
          name: 'customer_id',
          ...meta({ references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' }] }),
        },
        { name: 'text', data_categories: ['user'] },
      ],
    })
    const connector = memoryConnector({ database: { ...shop(), letter } })
    await using world = await erasureWorld(connector, [described])
    const { id } = await world.privacy.requests.submit({
      policyKey: 'erase',
      identities: [{ email: 'ann@example.com' }],
      residualSearch: true,
    })
    const request = await world.privacy.requests.settled(id)
    expect(request.residualHits).toContainEqual({
      collection: 'shop:letter',
      column: 'email',
      rowCount: 2,
      retained: 1,
    })
    expect(request).toMatchObject({
      status: 'error',
      failure: expect.stringContaining("1 row of 'shop:letter' (email)"),
    })
  })

  it('that cannot be made does not let the request complete', async () => {
    await using world = await searchedWorld()
    world.connector.failNext({ operation: 'read', collection: 'notes' })
    const request = await world.submit()
    expect(request).toMatchObject({
      status: 'error',
      failure: expect.stringContaining('the last search for remaining identities failed'),
    })
    expect(request.residualHits).toBeUndefined()
    expect(world.database.customer.rows[0]).toMatchObject({ email: null })
    await world.privacy.requests.retry(request.id)
    expect(await world.privacy.requests.settled(request.id)).toMatchObject({ status: 'complete', residualHits: [] })
  })

  it('is refused for a policy that erases nothing', async () => {
    await using world = await searchedWorld()
    await expect(world.submit({ policyKey: 'default_access_policy' })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc: ['residualSearch'] }] },
    })
  })
})
