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
  open,
  orders,
  planned,
  references,
  to,
  undirected,
  wanted,
} from '../../../test/fixtures/planned-shop.js'

it('a plan names the types that its references leave out, in collections that it searches', () => {
  const typed = { dataset: 'shop', field: 'customer.id', direction: 'from', when: { subject_type: 'Customer' } }
  const note = (name: string, ...more: object[]) =>
    collection(name, [key(), field('subject_id', { references: [typed] }), field('subject_type'), ...more])
  const { findings } = planned({ collections: [customer, note('note', wanted('text')), note('unwanted')] })
  expect(findings.filter(({ type }) => type === 'uncovered_types').map(({ loc }) => loc)).toEqual([
    ['shop', 'note', 'subject_id'],
  ])
})

describe('the order of a plan', () => {
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

  it('respects after', () => {
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
      'behind the collection it waits for',
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

describe('the direction of a reference', () => {
  const people = collection('customer', [
    key(),
    field('email', { identity: 'email' }),
    wanted('name'),
    to('address_id', 'address.id'),
  ])
  const orders = (reference: ReturnType<typeof field>) => collection('orders', [key(), reference, wanted('note')])
  const lines = (reference: ReturnType<typeof field>) =>
    collection('orders', [field('code'), reference, wanted('note')])

  it.each<[string, ReturnType<typeof collection>[], string[], string[]]>([
    ['from: down to owned rows', [orders(from('customer_id', 'customer.id'))], ['customer.id -> orders'], []],
    [
      'both: up to the named person, and down again',
      [orders(references('customer_id', 'customer.id', 'both'))],
      ['customer.id -> orders', 'orders.customer_id => customer'],
      [],
    ],
    ['none: nowhere', [orders(references('customer_id', 'customer.id', 'none'))], [], []],
    [
      'no direction: nowhere, and rows are counted where it may be empty',
      [orders(undirected('customer_id', 'customer.id'))],
      [],
      ['orders.customer_id reference of orders'],
    ],
    [
      'to: to a part',
      [orders(from('customer_id', 'customer.id')), collection('address', [key(), wanted('street')])],
      ['customer.address_id ~> address', 'customer.id -> orders'],
      [],
    ],
    [
      'from, towards a field that is not a key',
      [lines(from('customer_mail', 'customer.email'))],
      ['customer.email -> orders'],
      [],
    ],
  ])('%s', (_, more, followed, counted) => {
    const plan = planned({ collections: [people, ...more] })
    expect(links(plan)).toEqual(followed)
    expect(open(plan)).toEqual(counted)
  })

  it('may be missing besides an identity: it is read and compared, and rows that only it connects are counted', () => {
    const account = collection('account', [
      key(),
      field('email', { identity: 'email' }),
      undirected('customer_id', 'customer.id'),
      wanted('x'),
    ])
    const plan = planned({ collections: [people, account] })
    expect(links(plan)).toEqual(['customer.id .. account'])
    expect(open(plan)).toEqual(['account.customer_id reference of account', 'account.customer_id look-up of customer'])
    expect(plan.collections.find(({ collection: name }) => name === 'account')).toMatchObject({
      entries: [{ fields: [{ name: 'email' }] }, { fields: [{ name: 'customer_id' }], compared: true }],
      judging: { owners: [], open: [{ name: 'customer_id', entry: 1 }] },
    })
  })

  it('may be missing: its columns are not read where nothing else needs them, unless look-ups do', () => {
    const plan = planned({
      collections: [
        collection('customer', [key(), field('email', { identity: 'email' })]),
        collection('guest', [key(), field('email', { identity: 'email' })]),
        collection('orders', [
          key(),
          from('customer_id', 'customer.id'),
          undirected('payer_id', 'guest.id'),
          wanted('note'),
        ]),
      ],
    })
    const read = plan.collections.find(({ collection: name }) => name === 'orders')
    expect(read).toMatchObject({ columns: ['customer_id', 'note'], notRead: ['id', 'payer_id'] })
    expect(open(plan)).toEqual(['orders.payer_id reference of orders'])
    const telling = planned({
      collections: [
        people,
        collection('orders', [
          from('customer_id', 'customer.id'),
          undirected('payer_id', 'customer.id'),
          wanted('note'),
        ]),
      ],
    })
    expect(open(telling)).toEqual(['orders.payer_id reference of orders', 'orders.payer_id look-up of customer'])
    expect(telling.collections.at(-1)?.columns).toContain('payer_id')
  })
})

describe('references', () => {
  it('to a composite key are one entry', () => {
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
    expect(plan.collections[1]?.entries.map(({ fields }) => fields.map(({ name }) => name))).toEqual([
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
      entries: [{ when: [{ path: ['owner_type'], equals: 'customer' }] }],
    })
  })
})
