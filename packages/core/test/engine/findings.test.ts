import { describe, expect, it } from 'vitest'
import { collection, field, filled, id, refer, type ShopOptions, shopOf, table, undirected } from './described.js'
import { openService, resultsOf } from './service-run.js'

const ann = { email: 'ann@example.com' }
const customer = collection('customer', [id, field('email', { identity: 'email' })])
const customers = table({ id: 'integer', email: 'string' }, [[1, 'ann@example.com']])

/** Runs one request over a shop of customers and what else is given. */
async function run(
  others: readonly object[],
  tables: Parameters<typeof shopOf>[1],
  { identity = ann as never, ...options }: ShopOptions & { identity?: never } = {},
) {
  const shop = shopOf([customer, ...others], { customer: customers, ...tables }, options)
  const service = await openService([shop])
  try {
    const requestId = await service.submit(identity)
    const request = await service.rested(requestId)
    const plan = await service.privacy.requests.plan(requestId)
    const reads = shop.connector.calls.filter(({ operation }) => operation === 'read').length
    const rows = request.status === 'complete' ? await service.read(requestId) : undefined
    const findings = await service.privacy.datasets.findings('shop')
    return {
      request,
      plan,
      rows,
      reads,
      findings,
      log: (await service.privacy.requests.log(requestId)).items,
      events: service.events,
    }
  } finally {
    await service.privacy.close()
  }
}

const nobody = { email: 'nobody@example.com' } as never

describe('what a person can act on', () => {
  it('a subject without rows gets an empty package and no error', async () => {
    const { request, rows } = await run([], {}, { identity: nobody })
    expect(request).toMatchObject({ status: 'complete' })
    expect(request.failure).toBeUndefined()
    expect(resultsOf(request)).toEqual({ 'shop:customer': 'nothing_found 0' })
    expect(rows).toEqual({ nothing_found: 'No data about you was found.', searched: ['shop:customer'] })
  })

  it('without any connected dataset an access is incomplete and its package empty, with a warning in the plan', async () => {
    const service = await openService([])
    const requestId = await service.submit(ann)
    expect(await service.privacy.requests.settled(requestId)).toMatchObject({ status: 'complete', incomplete: true })
    expect(await service.read(requestId)).toEqual({
      nothing_found: 'No place was searched, so no data about you was found.',
      searched: [],
    })
    const plan = await service.privacy.requests.plan(requestId)
    expect(plan?.findings).toMatchObject([{ type: 'no_dataset_connected', severity: 'warning' }])
    await service.privacy.close()
  })

  it('without any connected dataset an erasure ends in error, and a preview says why', async () => {
    const { privacy } = await openService([])
    const asked = { policyKey: 'default_erasure_policy', identities: [ann] }
    const { plan } = await privacy.requests.preview(asked)
    expect(plan.findings).toMatchObject([{ type: 'no_dataset_connected', severity: 'error' }])
    const { id: requestId } = await privacy.requests.submit(asked)
    expect(await privacy.requests.settled(requestId)).toMatchObject({
      status: 'error',
      failure: expect.stringContaining('No dataset is connected to a database'),
    })
    expect(await privacy.isErased(ann)).toBe(false)
    await privacy.close()
  })

  it('an identity that no dataset knows names those that are known, and no query is sent', async () => {
    const { request, reads } = await run([], {}, { identity: { passport: 'X1' } as never })
    expect(request).toMatchObject({
      status: 'error',
      failure: expect.stringMatching(/'passport'.*the datasets know email/),
    })
    expect(reads).toBe(0)
  })

  it('an unknown identity beside a known one is a warning, and no query is sent until somebody accepts that', async () => {
    const { request, plan, reads } = await run([], {}, { identity: { ...ann, passport: 'X1' } as never })
    expect(request.status).toBe('paused')
    expect(request.actionRequired?.message).toContain("'passport'")
    expect(reads).toBe(0)
    expect(plan?.findings).toContainEqual(expect.objectContaining({ type: 'unknown_identity', severity: 'warning' }))
  })

  it('a target that nothing leads to is named in the package, never read, and a finding says what to do', async () => {
    const { request, rows, reads, findings } = await run([collection('island', [id, field('note')])], {
      island: table({ id: 'integer', note: 'string' }, [[1, "somebody else's"]]),
    })
    expect(request.status).toBe('complete')
    expect(resultsOf(request)).toEqual({ 'shop:customer': 'delivered 1', 'shop:island': 'skipped 0' })
    expect(rows?.['not_searched']).toEqual([{ collection: 'shop:island', reason: 'unreachable' }])
    expect(findings).toContainEqual(
      expect.objectContaining({
        type: 'unreachable_collection',
        message: expect.stringMatching(/'shop:island'.*declare 'identity'/),
      }),
    )
    expect(reads).toBe(1)
  })

  it('does not say delivered of rows that were only found on the way to others', async () => {
    const owner = { references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' }] }
    const membership = collection('membership', [field('id', {}, []), field('customer_id', owner, [])])
    const badge = collection('badge', [id, refer('membership_id', 'membership.id'), field('note')])
    const { request, rows } = await run([membership, badge], {
      membership: table({ id: 'integer', customer_id: 'integer' }, [[7, 1]]),
      badge: table({ id: 'integer', membership_id: 'integer', note: 'string' }, [[3, 7, 'blue']]),
    })
    expect(resultsOf(request)).toEqual({
      'shop:customer': 'delivered 1',
      'shop:membership': 'skipped 1',
      'shop:badge': 'delivered 1',
    })
    const [membershipResult] = request.results?.filter((each) => each.collection === 'membership') ?? []
    expect(membershipResult?.outcomes[0]?.reason).toBe('no rule asks for anything of it')
    expect(rows).not.toHaveProperty('shop:membership')
  })

  it('a collection that no rule asks for may be unreachable', async () => {
    const island = collection('island', [field('id', {}, []), field('note', {}, ['system'])])
    const { request, plan } = await run([island], { island: table({ id: 'integer', note: 'string' }, []) })
    expect(request.status).toBe('complete')
    expect(plan?.unsearched).toEqual([{ address: 'shop:island', reason: 'no target needs it', targeted: false }])
  })

  it.each([
    [
      'a dataset',
      { dataset: 'nowhere', field: 'customer.id' },
      'unknown_dataset',
      /'nowhere'.*does not exist: add the dataset/,
    ],
    [
      'a collection',
      { dataset: 'shop', field: 'client.id' },
      'unknown_collection',
      /'shop:client\.id'.*add it, correct its name or remove the reference/,
    ],
  ])('a reference to %s that is not described stops before any query', async (_, reference, type, message) => {
    const visits = collection('visits', [
      id,
      field('email', { identity: 'email' }),
      field('by', { references: [reference] }),
    ])
    const { request, reads, findings } = await run([visits], {
      visits: table({ id: 'integer', email: 'string', by: 'integer' }, []),
    })
    expect(request).toMatchObject({ status: 'error', failure: expect.stringMatching(message) })
    expect(findings).toContainEqual(expect.objectContaining({ type, severity: 'error' }))
    expect(reads).toBe(0)
  })

  it('a reference to a field that is not described is a finding, and the rest is found', async () => {
    const visits = collection('visits', [id, field('email', { identity: 'email' }), refer('by', 'customer._id')])
    const { request, rows, findings } = await run([visits], {
      visits: table({ id: 'integer', email: 'string', by: 'integer' }, [[1, 'ann@example.com', 1]]),
    })
    expect(request.status).toBe('complete')
    expect(rows).toMatchObject({ 'shop:visits': [{ id: 1 }], 'shop:customer': [{ id: 1 }] })
    const message =
      /'shop:visits\.by' refers to 'shop:customer\._id', .* does not have it either: .* nearest known name is 'id'/
    expect(findings).toContainEqual(
      expect.objectContaining({ type: 'unknown_field', severity: 'warning', message: expect.stringMatching(message) }),
    )
  })

  it('a described table that the database lacks is a finding, and fails by itself', async () => {
    const { request, findings, plan } = await run([collection('visits', [id, refer('customer_id', 'customer.id')])], {})
    expect(findings).toContainEqual(
      expect.objectContaining({ type: 'missing_collection', message: expect.stringContaining("'shop:visits'") }),
    )
    expect(plan?.findings).toContainEqual(expect.objectContaining({ type: 'missing_collection' }))
    expect(request).toMatchObject({ status: 'error', failure: expect.stringContaining('shop:visits') })
    expect(resultsOf(request)).toMatchObject({ 'shop:customer': 'delivered 1', 'shop:visits': 'failed 0' })
  })

  it('a described column that the table lacks is a finding that names it', async () => {
    const visits = collection('visits', [id, refer('customer_id', 'customer.id'), field('plaec')])
    const { request, findings } = await run([visits], {
      visits: table({ id: 'integer', customer_id: 'integer', place: 'string' }, [[1, 1, 'x']]),
    })
    expect(findings).toContainEqual(
      expect.objectContaining({ type: 'missing_column', message: expect.stringContaining("'plaec'") }),
    )
    expect(findings).toContainEqual(
      expect.objectContaining({ type: 'undescribed_column', message: expect.stringContaining("'place'") }),
    )
    expect(request).toMatchObject({ status: 'error', failure: expect.stringContaining('plaec') })
  })

  it('a connection that is disabled is named in the package', async () => {
    const visits = shopOf(
      [collection('visits', [id, refer('customer_id', 'customer.id', { dataset: 'shop' })])],
      { visits: table({ id: 'integer', customer_id: 'integer' }, []) },
      { key: 'web' },
    )
    const service = await openService([shopOf([customer], { customer: customers }), visits])
    await service.privacy.connections.patch({ key: 'web', disabled: true })
    const { rows } = await service.access(ann)
    expect(rows['not_searched']).toEqual([{ collection: 'web:visits', reason: 'disabled' }])
    expect(visits.connector.calls.some(({ operation }) => operation === 'read')).toBe(false)
    await service.privacy.close()
  })

  it('a reference without a direction that every row holds is taken for the owner, and the plan says so', async () => {
    const visits = collection('visits', [id, undirected('customer_id', 'customer.id')])
    const { plan, rows, findings } = await run([visits], {
      visits: filled(table({ id: 'integer', customer_id: 'integer' }, [[1, 1]]), 'customer_id'),
    })
    expect(rows).toMatchObject({ 'shop:visits': [{ id: 1 }] })
    expect(plan?.collections.find(({ address }) => address === 'shop:visits')?.judging.inferred).toBe('customer_id')
    expect(findings.map(({ type }) => type)).not.toContain('open_reference')
  })

  it('a reference without a direction that may be empty is a finding, and its rows are counted and not read', async () => {
    const visits = collection('visits', [id, undirected('customer_id', 'customer.id')])
    const rowsOfTwo = [
      [1, 1],
      [2, 2],
    ]
    const { request, rows, findings, reads } = await run([visits], {
      visits: { ...table({ id: 'integer', customer_id: 'integer' }, rowsOfTwo), indexes: [['customer_id']] },
    })
    expect(findings).toContainEqual(
      expect.objectContaining({ type: 'open_reference', loc: ['shop', 'visits', 'customer_id'], severity: 'warning' }),
    )
    expect(rows?.['shop:visits']).toBeUndefined()
    expect(rows?.['not_searched']).toEqual([
      { collection: 'shop:visits', reason: expect.stringMatching(/^1 row left out .*by shop:visits\.customer_id/) },
    ])
    expect(request).toMatchObject({ status: 'complete', incomplete: true })
    expect(request.results?.find(({ collection: name }) => name === 'visits')?.undecided).toEqual([
      { reference: 'shop:visits.customer_id', rowCount: 1, reason: 'it may be empty' },
    ])
    expect(reads).toBe(1)
  })

  it('a composite foreign key whose parts are described apart stops before any query', async () => {
    const orders = collection('orders', [field('shop'), field('number'), refer('customer_id', 'customer.id')])
    const parcels = collection('parcels', [id, refer('shop', 'orders.shop'), refer('number', 'orders.number')])
    const torn = await run([orders, parcels], {
      orders: table({ shop: 'integer', number: 'integer', customer_id: 'integer' }, [[1, 100, 1]], ['shop', 'number']),
      parcels: {
        ...table({ id: 'integer', shop: 'integer', number: 'integer' }, []),
        foreignKeys: [
          {
            name: 'parcel_of',
            columns: ['shop', 'number'],
            references: { collection: 'orders', columns: ['shop', 'number'] },
            onDelete: 'no action',
          },
        ],
      },
    })
    expect(torn.request).toMatchObject({ status: 'error', failure: expect.stringMatching(/'parcel_of'.*same 'group'/) })
    expect(torn.reads).toBe(0)
  })

  it('log and events report each collection and state with counts, and the end', async () => {
    const visits = collection('visits', [id, refer('customer_id', 'customer.id'), field('place')])
    const { log, events } = await run([visits], {
      visits: table({ id: 'integer', customer_id: 'integer', place: 'string' }, [
        [1, 1, 'x'],
        [2, 1, 'y'],
      ]),
    })
    expect(log.map(({ collection, status, rowCount }) => [collection, status, rowCount])).toEqual([
      ['customer', 'in_processing', undefined],
      ['customer', 'complete', 1],
      ['visits', 'in_processing', undefined],
      ['visits', 'complete', 2],
    ])
    expect(log.at(-1)).toMatchObject({
      connectionKey: 'shop',
      durationMs: expect.any(Number),
      fieldsAffected: expect.arrayContaining([
        { path: 'shop:visits:place', fieldName: 'place', dataCategories: ['user'] },
      ]),
    })
    expect(
      events.flatMap((event) => (event.type === 'request' ? [[event.step, event.status, event.actionType]] : [])),
    ).toEqual([
      ['submitted', 'pending', 'access'],
      ['claimed', 'in_processing', undefined],
      ['ended', 'complete', 'access'],
    ])
    expect(events.filter(({ type }) => type === 'collection')).toHaveLength(4)
  })
})
