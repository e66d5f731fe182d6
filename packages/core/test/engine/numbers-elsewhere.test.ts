import { describe, expect, it } from 'vitest'
import { eraseShop, key, tableWith } from '../erasure/described-erasure.js'
import { collection, documents, field, id, refer, shopOf, table } from './described.js'
import { accessOf } from './service-run.js'

const ann = 'ann@example.com'
const customer = collection('customer', [id, field('email', { identity: 'email' }), field('code')])
const visits = collection('visits', [id, refer('code', 'customer.code')])

describe('a number that a server hands over as text', () => {
  it('finds documents that hold the number or its text, and no others', async () => {
    const shop = shopOf([customer, visits], {
      customer: table({ id: 'integer', email: 'string', code: 'integer' }, [[1, ann, '1000']]),
      visits: documents([
        { id: 1, code: 1000 },
        { id: 2, code: '1000' },
        { id: 3, code: '01000' },
        { id: 4, code: 1001 },
      ]),
    })
    const { rows } = await accessOf([shop], [{ email: ann }])
    expect(rows['shop:visits']).toMatchObject([{ id: 1 }, { id: 2 }])
  })
})

describe('a text that refers to a number', () => {
  it('belongs to the row of that number when it is written, too', async () => {
    const { status, rows } = await eraseShop({
      database: {
        customer: tableWith({ id: 'integer', email: 'string' }, [[7, ann]]),
        notes: tableWith({ id: 'integer', customer_id: 'string', note: 'string' }, [
          [1, '7', 'hers'],
          [2, '8', 'his'],
        ]),
      },
      collections: [
        collection('customer', [key, { ...field('email', { identity: 'email' }), data_categories: [] }]),
        collection('notes', [key, { ...refer('customer_id', 'customer.id'), data_categories: [] }, field('note')]),
      ],
    })
    expect(status).toBe('complete')
    expect(rows['notes']?.map(({ note }) => note)).toEqual([null, 'his'])
  })
})

describe('a value that the field it refers to cannot hold', () => {
  const collections = (more: object = {}) => [
    collection('customer', [key, { ...field('email', { identity: 'email' }), data_categories: [] }, loyalty(more)]),
    collection('card', [key, field('note')]),
  ]
  const loyalty = (more: object) => {
    const { service_meta, ...rest } = refer('card_id', 'card.id', { direction: 'to' })
    return { ...rest, data_categories: [], service_meta: { ...service_meta, ...more } }
  }
  const database = {
    customer: tableWith({ id: 'integer', email: 'string', card_id: 'string' }, [[7, ann, 'none yet']]),
    card: tableWith({ id: 'integer', note: 'string' }, [[1, 'another']]),
  }

  it('keeps an erasure from being called complete', async () => {
    const { request, rows } = await eraseShop({ database, collections: collections() })
    const { status, failure } = request
    expect(status).toBe('error')
    expect(failure).toContain("Nothing was erased, since rows could stay behind: 1 value of 'shop:customer.card_id'")
    expect(failure).not.toContain('none yet')
    expect(rows['card']).toMatchObject([{ note: 'another' }])
  })

  it('does not do so where the dataset says that it stands for none', async () => {
    const { status } = await eraseShop({ database, collections: collections({ placeholders: ['none yet'] }) })
    expect(status).toBe('complete')
  })
})

describe('bytes and texts', () => {
  const customer = (kind: 'bytes' | 'string', value: string) =>
    tableWith({ id: 'integer', email: 'string', code: kind }, [[7, ann, value]])
  const notes = (kind: 'bytes' | 'string', value: string) =>
    tableWith({ id: 'integer', code: kind, note: 'string' }, [[1, value, 'hers']])
  const collections = [
    collection('customer', [
      key,
      { ...field('email', { identity: 'email' }), data_categories: [] },
      { ...field('code'), data_categories: [] },
    ]),
    collection('notes', [key, { ...refer('code', 'customer.code'), data_categories: [] }, field('note')]),
  ]

  // the base64 of three bytes is a text like any other
  it.each([
    ['bytes', 'string'],
    ['string', 'bytes'],
  ] as const)('are not taken for each other: %s and %s', async (own, other) => {
    const database = { customer: customer(own, 'abcd'), notes: notes(other, 'abcd') }
    const { request, rows } = await eraseShop({ database, collections })
    expect(request.status).toBe('error')
    expect(request.failure).toContain("1 value of 'shop:customer.code' not followed")
    expect(rows['notes']).toMatchObject([{ note: 'hers' }])
  })

  it('lead to the same bytes', async () => {
    const database = { customer: customer('bytes', 'abcd'), notes: notes('bytes', 'abcd') }
    const { status, rows } = await eraseShop({ database, collections })
    expect(status).toBe('complete')
    expect(rows['notes']).toMatchObject([{ note: null }])
  })

  it('no identity is looked for among bytes, and no erasure is complete beside them', async () => {
    const database = { person: tableWith({ id: 'integer', email: 'bytes', name: 'string' }, [[1, 'YW5u', 'Ann']]) }
    const person = collection('person', [
      key,
      { ...field('email', { identity: 'email' }), data_categories: [] },
      field('name'),
    ])
    const { request, rows } = await eraseShop({ database, collections: [person] })
    expect(request.status).toBe('error')
    expect(request.failure).toContain(
      "'shop:person.email' is described with the identity 'email', but that column is bytes",
    )
    expect(rows['person']).toMatchObject([{ name: 'Ann' }])
  })
})

describe('times with and without a zone', () => {
  type Kind = 'timestamp' | 'datetime'
  const texts: Record<Kind, string> = { timestamp: '2024-02-29T12:00:00Z', datetime: '2024-02-29T12:00:00' }
  const customer = (kind: Kind) => tableWith({ id: 'integer', email: 'string', since: kind }, [[7, ann, texts[kind]]])
  const visits = (kind: Kind) => tableWith({ id: 'integer', since: kind, note: 'string' }, [[1, texts[kind], 'hers']])
  const collections = [
    collection('customer', [
      key,
      { ...field('email', { identity: 'email' }), data_categories: [] },
      { ...field('since'), data_categories: [] },
    ]),
    collection('visits', [key, { ...refer('since', 'customer.since'), data_categories: [] }, field('note')]),
  ]
  const pairs: [Kind, Kind][] = [
    ['timestamp', 'datetime'],
    ['datetime', 'timestamp'],
  ]

  // nobody says in which zone the other one was written
  it.each(pairs)('are not taken for each other: %s and %s', async (own, other) => {
    const { request, rows } = await eraseShop({
      database: { customer: customer(own), visits: visits(other) },
      collections,
    })
    expect(request.status).toBe('error')
    expect(request.failure).toContain("1 value of 'shop:customer.since' not followed")
    expect(rows['visits']).toMatchObject([{ note: 'hers' }])
  })

  it.each(['timestamp', 'datetime'] as const)('lead to their like: %s', async (kind) => {
    const { status, rows } = await eraseShop({
      database: { customer: customer(kind), visits: visits(kind) },
      collections,
    })
    expect(status).toBe('complete')
    expect(rows['visits']).toMatchObject([{ note: null }])
  })
})
