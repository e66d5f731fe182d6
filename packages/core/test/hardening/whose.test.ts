import { memoryConnector } from '@habeas/testkit'
import { describe, expect, it } from 'vitest'
import { accessOnce } from '../engine/engine-run.js'
import { field, everything as policy } from './world.js'

describe('whose rows', () => {
  it.each([
    ['first', [0, 1]],
    ['second', [1, 0]],
  ])('`when` on one part of a group holds for the whole reference, declared on the %s part', async (_, order) => {
    const connector = memoryConnector({
      database: {
        customer: { primaryKey: ['id'], rows: [{ id: 1, tenant: 9, email: 'a@x' }] },
        note: {
          primaryKey: ['id'],
          rows: [
            { id: 10, owner_id: 1, tenant: 9, owner_type: 'customer', text: 'hers' },
            { id: 11, owner_id: 1, tenant: 9, owner_type: 'supplier', text: 'of supplier 1' },
          ],
        },
      },
    })
    const parts = [
      field('owner_id', {
        references: [
          { dataset: 'db', field: 'customer.id', direction: 'from', group: 'g', when: { owner_type: 'customer' } },
        ],
      }),
      field('tenant', { references: [{ dataset: 'db', field: 'customer.tenant', direction: 'from', group: 'g' }] }),
    ]
    const document = {
      service_key: 'db',
      collections: [
        { name: 'customer', fields: [field('id'), field('tenant'), field('email', { identity: 'email' })] },
        { name: 'note', fields: [field('id'), ...order.map((at) => parts[at]), field('owner_type'), field('text')] },
      ],
    }
    const { request, rows } = await accessOnce({ datasets: [{ document, connector }], policy }, [{ email: 'a@x' }])
    expect(request.status).toBe('complete')
    expect(rows['db:note']?.map((row) => (row as { text: string }).text)).toEqual(['hers'])
  })

  const polymorphic = (value: unknown, equals: unknown, kind: object) => {
    const connector = memoryConnector({
      database: {
        note: {
          primaryKey: ['id'],
          columns: [
            { name: 'id', kind: 'integer' },
            { name: 'email', kind: 'string' },
            { name: 'kind', ...kind },
            { name: 'target', kind: 'integer' },
          ],
          rows: [{ id: 1, email: 'a@x', kind: value as never, target: 5 }],
        },
        order: { primaryKey: ['id'], rows: [{ id: 5, text: 'found' }] },
      },
    })
    const document = {
      service_key: 'db',
      collections: [
        {
          name: 'note',
          fields: [
            field('id'),
            field('email', { identity: 'email' }),
            field('kind'),
            field('target', {
              references: [{ dataset: 'db', field: 'order.id', direction: 'to', when: { kind: equals } }],
            }),
          ],
        },
        { name: 'order', fields: [field('id'), field('text')] },
      ],
    }
    return accessOnce({ datasets: [{ document, connector }], policy }, [{ email: 'a@x' }])
  }

  it('a `when` on a decimal column compares numbers, not spellings', async () => {
    const { rows } = await polymorphic('1.00', 1, { kind: 'decimal' })
    expect(rows['db:order']).toHaveLength(1)
  })

  it('a `when` on an array column holds when an element does', async () => {
    const { rows } = await polymorphic(['order', 'gift'], 'order', { kind: 'string', array: true })
    expect(rows['db:order']).toHaveLength(1)
  })

  it('a `when` is never true of NULL', async () => {
    const { rows } = await polymorphic(null, 'null', { kind: 'string' })
    expect(rows['db:order']).toBeUndefined()
  })

  it('a value that is no object is not delivered where only one of its members is asked for', async () => {
    const connector = memoryConnector({
      type: 'mongodb',
      database: {
        person: {
          schemaless: true,
          columns: [],
          primaryKey: ['_id'],
          rows: [
            { _id: 1, email: 'a@x', profile: { city: 'Bonn', boss: 'somebody' } },
            { _id: 2, email: 'a@x', profile: 'Bonn; boss: somebody' },
          ],
        },
      },
    })
    const document = {
      service_key: 'db',
      collections: [
        {
          name: 'person',
          fields: [
            field('email', { identity: 'email', data_type: 'string' }),
            {
              name: 'profile',
              service_meta: { data_type: 'object' },
              fields: [field('city'), { name: 'boss', data_categories: ['system'] }],
            },
          ],
        },
      ],
    }
    const { rows } = await accessOnce({ datasets: [{ document, connector }], policy }, [{ email: 'a@x' }])
    expect(rows['db:person']).toEqual([{ email: 'a@x', profile: { city: 'Bonn' } }, { email: 'a@x' }])
  })

  it('a reference value NaN is dropped and does not fail the request', async () => {
    const rows = [{ _id: 1, email: 'a@x', score: Number.NaN, id: 3 }]
    const connector = memoryConnector({
      type: 'mongodb',
      database: {
        person: { schemaless: true, columns: [], primaryKey: ['_id'], rows },
        order: { schemaless: true, columns: [], primaryKey: ['_id'], rows: [{ _id: 3, text: 'x' }] },
      },
    })
    const document = {
      service_key: 'db',
      collections: [
        {
          name: 'person',
          fields: [
            field('email', { identity: 'email' }),
            field('score', { references: [{ dataset: 'db', field: 'order.nr', direction: 'to' }] }),
          ],
        },
        { name: 'order', fields: [field('nr'), field('text')] },
      ],
    }
    const { request } = await accessOnce({ datasets: [{ document, connector }], policy }, [{ email: 'a@x' }])
    expect(request).toMatchObject({ status: 'complete' })
  })

  it('an identity that fits no column it enters is reported as dropped, not only as `nothing found`', async () => {
    const connector = memoryConnector({
      database: { person: { primaryKey: ['id'], rows: [{ id: 1, name: 'A' }] } },
    })
    const document = {
      service_key: 'db',
      collections: [{ name: 'person', fields: [field('id', { identity: 'user_id' }), field('name')] }],
    }
    const { request, plan } = await accessOnce({ datasets: [{ document, connector }], policy }, [{ user_id: 'A-1' }])
    const said = JSON.stringify([request, plan?.findings])
    expect(said).toMatch(/user_id[^"]*(fit|drop|cannot)|(fit|drop|cannot)[^"]*user_id/)
  })

  it('text that is a number only in another notation is no number key', async () => {
    const connector = memoryConnector({
      database: {
        person: {
          primaryKey: ['id'],
          columns: [
            { name: 'id', kind: 'decimal' },
            { name: 'name', kind: 'string' },
          ],
          rows: [{ id: '1200000', name: 'somebody else' }],
        },
      },
    })
    const document = {
      service_key: 'db',
      collections: [{ name: 'person', fields: [field('id', { identity: 'account' }), field('name')] }],
    }
    const { rows } = await accessOnce({ datasets: [{ document, connector }], policy }, [{ account: '12E5' }])
    expect(rows['db:person']).toBeUndefined()
  })

  it('a row that the person refers to and that holds an unconfirmed identity of the request is undecided', async () => {
    const connector = memoryConnector({
      database: {
        orders: { primaryKey: ['id'], rows: [{ id: 1, uid: 7, contact_id: 5 }] },
        contact: { primaryKey: ['id'], rows: [{ id: 5, email: 'a@x' }] },
        crm: { primaryKey: ['id'], rows: [{ id: 1, email: 'a@x', phone: 'old' }] },
      },
    })
    const document = {
      service_key: 'db',
      collections: [
        {
          name: 'orders',
          fields: [
            field('id'),
            field('uid', { identity: 'uid' }),
            field('contact_id', { references: [{ dataset: 'db', field: 'contact.id', direction: 'to' }] }),
          ],
        },
        { name: 'contact', fields: [field('id'), field('email', { identity: 'email' })] },
        { name: 'crm', fields: [field('email', { identity: 'email' }), field('phone', { identity: 'phone' })] },
      ],
    }
    const identities = [{ uid: 7 }, { email: 'a@x', phone: 'p' }]
    const world = { datasets: [{ document, connector }], policy }
    const asked = await accessOnce(world, identities)
    expect(asked.request).toMatchObject({
      status: 'paused',
      actionRequired: { accept: { acceptUnconfirmed: ['email'] } },
    })
    const { request, rows } = await accessOnce({ ...world, acceptUnconfirmed: ['email'] }, identities)
    expect(request).toMatchObject({ status: 'complete', incomplete: true, unconfirmed: ['email'] })
    expect(rows['db:orders']).toHaveLength(1)
    expect(rows['db:contact']).toBeUndefined()
    expect(request.results?.find(({ collection }) => collection === 'contact')?.undecided).toMatchObject([
      { rowCount: 1 },
    ])
  })
})
