import { describe, expect, it } from 'vitest'
import {
  address,
  addresses,
  collection,
  customer,
  errors,
  field,
  from,
  key,
  links,
  live,
  orders,
  planned,
  to,
  types,
  undirected,
  wanted,
} from '../../test/fixtures/planned-shop.js'

describe('the order of a plan (§7.2)', () => {
  it('is by distance, dataset and collection, whatever the order of the input', () => {
    const forward = planned({ collections: [customer, address, orders] })
    const backward = planned({ collections: [orders, address, customer] })
    expect(addresses(forward)).toEqual(['customer', 'address', 'orders'])
    expect(addresses(backward)).toEqual(addresses(forward))
    expect(links(backward).sort()).toEqual(links(forward).sort())
  })

  it('starts a collection when all that lead to it have ended', () => {
    const plan = planned({ collections: [customer, address, orders] })
    const at = (name: string) => plan.components.findIndex(({ members }) => members.includes(`shop:${name}`))
    expect(plan.components[at('address')]?.needs).toEqual([at('customer'), at('orders')].sort())
  })

  it('keeps after', () => {
    const plan = planned({
      collections: [
        customer,
        collection('address', [key(), wanted('street')], { after: ['shop:visit'] }),
        collection('visit', [field('email', { identity: 'email' }), wanted('when')]),
      ],
    })
    expect(addresses(plan)).toEqual(['customer', 'visit', 'address'])
    expect(plan.components.at(-1)?.after).toHaveLength(1)
  })

  it.each([
    [
      'between datasets',
      [
        collection('a', [field('email', { identity: 'email' }), wanted('x')], { after: ['shop:b'] }),
        collection('b', [field('email', { identity: 'email' }), wanted('x')], { after: ['shop:a'] }),
      ],
    ],
    [
      'behind what it waits for',
      [
        collection('a', [key(), field('email', { identity: 'email' }), wanted('x')], { after: ['shop:b'] }),
        collection('b', [from('a_id', 'a.id'), wanted('x')]),
      ],
    ],
    [
      'inside a circle of references',
      [
        collection('a', [key(), field('email', { identity: 'email' }), wanted('x'), to('b_id', 'b.code')], {
          after: ['shop:b'],
        }),
        collection('b', [field('email', { identity: 'email' }), field('code'), to('a_ref', 'a.x')]),
      ],
    ],
  ])('refuses an after %s', (_, collections) => {
    expect(errors(planned({ collections }))).toContain('ordering')
  })

  it('runs a circle of references as one component', () => {
    const plan = planned({
      collections: [
        collection('a', [key(), field('email', { identity: 'email' }), wanted('x'), to('n', 'b.n')]),
        collection('b', [field('n'), to('m', 'a.m'), wanted('y')]),
        collection('a2', [field('m')]),
      ].map((each) => (each.name === 'a' ? collection('a', [...each.fields, field('m')]) : each)),
    })
    expect(plan.components.find(({ cyclic }) => cyclic)?.members).toEqual(['shop:a', 'shop:b'])
  })
})

describe('undirected references (§7.6)', () => {
  const owned = [collection('customer', [key(), field('email', { identity: 'email' }), wanted('name')])]
  it('run from their key end when it is reached as own', () => {
    expect(
      links(
        planned({
          collections: [
            ...owned,
            collection('orders', [key(), undirected('customer_id', 'customer.id'), wanted('note')]),
          ],
        }),
      ),
    ).toEqual(['customer.id -> orders'])
  })
  it('run towards the key otherwise, as a look-up', () => {
    expect(
      links(
        planned({
          collections: [
            ...owned.map(() =>
              collection('customer', [
                key(),
                field('email', { identity: 'email' }),
                undirected('address_id', 'address.id'),
              ]),
            ),
            collection('address', [key(), wanted('street')]),
          ],
        }),
      ),
    ).toEqual(['customer.address_id ~> address'])
  })
  it('run both ways when an identity enters both ends', () => {
    expect(
      links(
        planned({
          collections: [
            ...owned,
            collection('account', [
              key(),
              field('email', { identity: 'email' }),
              undirected('customer_id', 'customer.id'),
              wanted('x'),
            ]),
          ],
        }),
      ).sort(),
    ).toEqual(['account.customer_id ~> customer', 'customer.id -> account'])
  })
  it('run from the earlier collection without a known key, with a finding', () => {
    const plan = planned({
      collections: [
        collection('a', [field('email', { identity: 'email' }), field('n'), wanted('x')]),
        collection('b', [undirected('n', 'a.n'), wanted('y')]),
      ],
    })
    expect(links(plan)).toEqual(['a.n -> b'])
    expect(types(plan)).toContain('undirected_reference')
  })
})

describe('references', () => {
  it('to a composite key are one way in', () => {
    const plan = planned({
      collections: [
        collection('user', [field('tenant', { primary_key: true }), key(), field('email', { identity: 'email' })]),
        collection('note', [
          from('user_tenant', 'user.tenant', { group: 'owner' }),
          from('user_id', 'user.id', { group: 'owner' }),
          wanted('text'),
        ]),
      ],
    })
    expect(plan.collections[1]?.slots.map(({ fields }) => fields.map(({ name }) => name))).toEqual([
      ['user_id', 'user_tenant'],
    ])
  })

  it('over the columns of one live foreign key must be grouped (tenant key)', () => {
    const collections = [
      collection('user', [field('tenant', { primary_key: true }), key(), field('email', { identity: 'email' })]),
      collection('note', [from('user_tenant', 'user.tenant'), from('user_id', 'user.id'), wanted('text')]),
    ]
    const foreignKeys = [
      {
        name: 'note_owner',
        columns: ['user_tenant', 'user_id'],
        references: { collection: 'user', columns: ['tenant', 'id'] },
        onDelete: 'no action' as const,
      },
    ]
    const catalogue = {
      collections: [
        live('user', ['tenant', 'id', 'email'], { primaryKey: ['tenant', 'id'] }),
        live('note', ['user_tenant', 'user_id', 'text'], { foreignKeys }),
      ],
    }
    expect(errors(planned({ collections, catalogue }))).toContain('torn_composite_reference')
  })

  it.each([
    ['an unknown dataset', [{ dataset: 'nowhere', field: 'a.b' }], ['unknown_dataset'], 'error'],
    ['an unknown collection', [{ dataset: 'shop', field: 'nope.id' }], ['unknown_collection'], 'error'],
    ['an unknown field', [{ dataset: 'shop', field: 'address.nope' }], ['unknown_field'], 'warning'],
  ])('to %s are found', (_, references, expected, severity) => {
    const plan = planned({
      collections: [
        collection('customer', [field('email', { identity: 'email' }, ['user']), field('x', { references })]),
        address,
      ]
        .slice(0, 1)
        .concat([collection('address', [key()])]),
    })
    expect(plan.findings.filter((finding) => finding.severity === severity).map(({ type }) => type)).toEqual(expected)
  })

  it('carry their condition on the side that declares it', () => {
    const plan = planned({
      collections: [
        customer,
        address,
        collection('note', [
          from('owner_id', 'customer.id', { when: { owner_type: 'customer' } }),
          field('owner_type'),
          wanted('text'),
        ]),
      ],
    })
    expect(plan.collections.find(({ collection: name }) => name === 'note')).toMatchObject({
      columns: ['owner_id', 'owner_type', 'text'],
      slots: [{ when: [{ path: ['owner_type'], equals: 'customer' }] }],
    })
  })
})
