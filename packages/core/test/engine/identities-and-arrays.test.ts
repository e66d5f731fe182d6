import type { PrivacyRequest } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { collection, documents, field, id, refer, shopOf, table } from './described.js'
import { accessOf } from './service-run.js'

const ann = { email: 'ann@example.com' }
const email = field('email', { identity: 'email' })

describe('identities', () => {
  const person = collection('person', [id, email, field('phone', { identity: 'phone_number' })])
  const columns = { id: 'integer', email: 'string', phone: 'string' } as const
  const people = [
    [1, 'ann@example.com', '1'],
    [2, 'ann@example.com', '2'],
    [3, 'ben@example.com', '1'],
    [4, 'ben@example.com', '2'],
    [5, 'ann@example.com', null],
  ]

  /** What nobody has said of rows of a collection: by which field, and how many. */
  const undecidedOf = (request: PrivacyRequest) =>
    (request.results ?? []).flatMap(({ undecided = [] }) =>
      undecided.map(({ reference, rowCount, reason }) => `${rowCount} by ${reference}: ${reason}`),
    )

  it('the properties of one object hold together, and rows that hold some of them are near matches and undecided', async () => {
    const { request, rows, results } = await accessOf(
      [shopOf([person], { person: table(columns, people) })],
      [{ email: 'ann@example.com', phone_number: '1' }],
    )
    expect(rows['shop:person']).toMatchObject([{ id: 1 }])
    expect(results['shop:person']).toBe('delivered 1, skipped 1, skipped 1, skipped 1, near 2')
    expect(undecidedOf(request)).toEqual([
      '1 by shop:person.email: belongs to the person by email, or to somebody else by phone',
      '1 by shop:person.phone: belongs to the person by phone, or to somebody else by email',
      "1 by shop:person.email: email alone does not say that it is the person's",
    ])
    expect(request.incomplete).toBe(true)
  })

  it('objects are alternatives', async () => {
    const identities = [
      { email: 'ann@example.com', phone_number: '1' },
      { email: 'ben@example.com', phone_number: '2' },
    ]
    const { rows, results } = await accessOf([shopOf([person], { person: table(columns, people) })], identities)
    expect(rows['shop:person']).toMatchObject([{ id: 1 }, { id: 4 }])
    expect(results['shop:person']).toBe('delivered 2, skipped 1, skipped 1, skipped 1, near 2')
  })

  it('are inferred from names and categories only where no dataset declares the identity', async () => {
    const guessed = shopOf([collection('mails', [id, field('email'), field('private', {}, ['user.contact.email'])])], {
      mails: table({ id: 'integer', email: 'string', private: 'string' }, [
        [1, 'ann@example.com', null],
        [2, null, 'ann@example.com'],
      ]),
    })
    const one = await accessOf([guessed], [ann])
    expect(one.rows['shop:mails']).toMatchObject([{ id: 1 }, { id: 2 }])
    expect(one.plan.findings.filter(({ type }) => type === 'identity_inferred')).toHaveLength(2)

    const declared = shopOf(
      [collection('person', [id, email])],
      { person: table({ id: 'integer', email: 'string' }, []) },
      { key: 'crm' },
    )
    const withReference = shopOf(
      [collection('mails', [id, field('email'), refer('person_id', 'person.id', { dataset: 'crm' })])],
      { mails: table({ id: 'integer', email: 'string', person_id: 'integer' }, [[1, 'ann@example.com', null]]) },
    )
    const other = await accessOf([declared, withReference], [ann])
    expect(other.rows).toEqual({ nothing_found: expect.any(String), searched: ['crm:person', 'shop:mails'] })
    expect(other.plan.findings.filter(({ type }) => type === 'identity_inferred')).toEqual([])
  })

  it('an inferred identity that is another person’s number finds only undecided rows', async () => {
    const phone = (name: string) => field(name, {}, ['user.contact.phone_number'])
    const shop = shopOf(
      [
        collection('customer', [id, phone('phone')]),
        collection('shipment', [id, phone('driver_phone'), field('street')]),
        collection('parcel', [id, phone('phone'), refer('customer_id', 'customer.id', { direction: 'from' })]),
      ],
      {
        customer: table({ id: 'integer', phone: 'string' }, [
          [1, '1'],
          [2, '2'],
        ]),
        shipment: table({ id: 'integer', driver_phone: 'string', street: 'string' }, [
          [1, '1', 'Bob Street'],
          [2, '2', 'Ann Street'],
        ]),
        parcel: table({ id: 'integer', phone: 'string', customer_id: 'integer' }, [
          [1, '9', 1],
          [2, '1', 1],
          [3, '1', 2],
          [4, '1', null],
        ]),
      },
    )
    const { rows, results, request } = await accessOf([shop], [{ phone_number: '1' }])
    expect(rows['shop:customer']).toMatchObject([{ id: 1 }])
    expect(rows['shop:shipment']).toBeUndefined()
    expect(rows['shop:parcel']).toMatchObject([{ id: 1 }, { id: 2 }])
    expect(results['shop:shipment']).toBe('nothing_found 0, skipped 1')
    expect(undecidedOf(request)).toEqual([
      "2 by shop:parcel.phone: 'phone' may name somebody other than the owner of the row",
      "1 by shop:shipment.driver_phone: 'driver_phone' may name somebody other than the owner of the row",
    ])
    expect(request.incomplete).toBe(true)
  })

  it('inferIdentities: false infers nothing', async () => {
    const shop = shopOf([collection('mails', [id, field('email')])], {
      mails: table({ id: 'integer', email: 'string' }, [[1, 'ann@example.com']]),
    })
    await expect(accessOf([shop], [ann], { inferIdentities: false })).rejects.toThrow(
      "No dataset knows the identity 'email'",
    )
  })
})

describe('arrays', () => {
  const rows = [{ id: 1, emails: ['ann@example.com', 'ben@example.com', 'ann@home.example'] }]

  it('deliver the matching elements of an entry array, and count the others', async () => {
    const shop = shopOf(
      [collection('person', [id, field('emails', { identity: 'email', data_type: 'string[]' })])],
      { person: documents(rows) },
      { type: 'mongodb' },
    )
    const { rows: found, results } = await accessOf([shop], [ann, { email: 'ann@home.example' }])
    expect(found['shop:person']).toEqual([{ id: 1, emails: ['ann@example.com', 'ann@home.example'] }])
    expect(results['shop:person']).toBe('delivered 1, left 1')
  })

  it('deliver all elements with return_all_elements', async () => {
    const emails = field('emails', { identity: 'email', data_type: 'string[]', return_all_elements: true })
    const shop = shopOf([collection('person', [id, emails])], { person: documents(rows) }, { type: 'mongodb' })
    const { rows: found, results } = await accessOf([shop], [ann])
    expect(found['shop:person']).toEqual(rows)
    expect(results['shop:person']).toBe('delivered 1')
  })

  it('deliver elements whose keys come only in a later round of a cycle', async () => {
    const shop = shopOf(
      [
        collection('group', [
          id,
          field(
            'members',
            { data_type: 'object[]' },
            ['user'],
            [refer('person', 'person.id', { direction: 'from' }), field('role')],
          ),
          refer('next', 'person.group', { direction: 'to' }),
        ]),
        collection('person', [id, email, field('group')]),
      ],
      {
        group: documents([
          {
            id: 1,
            next: 20,
            members: [
              { person: 1, role: 'a' },
              { person: 2, role: 'b' },
              { person: 3, role: 'c' },
            ],
          },
        ]),
        person: documents([
          { id: 1, email: 'ann@example.com', group: 10 },
          { id: 2, email: null, group: 20 },
          { id: 3, email: 'ben@example.com', group: 30 },
        ]),
      },
      { type: 'mongodb', batchSize: 1, capabilities: { maxKeys: 2 } },
    )
    const { rows: found, results } = await accessOf([shop], [ann])
    expect(found['shop:group']).toEqual([
      {
        id: 1,
        next: 20,
        members: [
          { person: 1, role: 'a' },
          { person: 2, role: 'b' },
        ],
      },
    ])
    expect(results['shop:group']).toBe('delivered 1, left 1')
  })
})
