import { describe, expect, it } from 'vitest'
import type { Catalogue, CatalogueCollection } from '../model/catalogue.js'
import { parseDataset } from '../model/dataset.js'
import { accessPlan } from './access-plan.js'
import type { Plan } from './plan.js'
import { planMermaid } from './plan-mermaid.js'
import { planText } from './plan-text.js'

type Meta = Record<string, unknown>
const field = (name: string, meta: Meta = {}, categories: string[] = []) => ({
  name,
  data_categories: categories,
  service_meta: meta,
})
const key = (name = 'id') => field(name, { primary_key: true })
const to = (name: string, target: string, more: Meta = {}) =>
  field(name, { references: [{ dataset: 'shop', field: target, direction: 'to', ...more }] })
const undirected = (name: string, target: string, more: Meta = {}) =>
  field(name, { references: [{ dataset: 'shop', field: target, ...more }] })
const from = (name: string, target: string, more: Meta = {}) =>
  field(name, { references: [{ dataset: 'shop', field: target, direction: 'from', ...more }] })
const wanted = (name: string) => field(name, {}, ['user'])
const collection = (name: string, fields: unknown[], meta: Meta = {}) => ({ name, fields, service_meta: meta })

interface Case {
  collections: unknown[]
  identities?: string[][]
  more?: { key: string; collections: unknown[]; connection?: { key: string; disabled: boolean } }[]
  catalogue?: Catalogue
  options?: Parameters<typeof accessPlan>[0]['options']
}

const described = (name: string, collections: unknown[]) => parseDataset({ service_key: name, collections }).value

function planned({ collections, identities = [['email']], more = [], catalogue, options }: Case): Plan {
  return accessPlan({
    datasets: [
      {
        dataset: described('shop', collections),
        connection: { key: 'db', disabled: false },
        ...(catalogue && { catalogue }),
      },
      ...more.map((each) => ({
        dataset: described(each.key, each.collections),
        ...(each.connection && { connection: each.connection }),
      })),
    ],
    identities,
    targets: (_, each) => (each.categories.includes('user') ? ['rule'] : []),
    ...(options && { options }),
  })
}

const addresses = (plan: Plan) => plan.collections.map(({ address }) => address.replace('shop:', ''))
const reasons = (plan: Plan) =>
  Object.fromEntries(
    plan.unsearched.map(({ address, reason, detail }) => [address, detail ? `${reason} ${detail}` : reason]),
  )
const errors = (plan: Plan) => plan.findings.filter(({ severity }) => severity === 'error').map(({ type }) => type)
const types = (plan: Plan) => plan.findings.map(({ type }) => type)
const links = (plan: Plan) =>
  plan.collections.flatMap(({ address, links: out }) =>
    out.map(
      ({ to: target, fields, lookup }) =>
        `${address.slice(5)}.${fields.map(({ name }) => name).join('+')} ${lookup ? '~>' : '->'} ${target.slice(5)}`,
    ),
  )
const live = (name: string, columns: string[], more: Partial<CatalogueCollection> = {}): CatalogueCollection => ({
  name,
  columns: columns.map((column) => ({ name: column, type: 'int4', kind: 'integer', nullable: true })),
  primaryKey: [],
  uniqueKeys: [],
  foreignKeys: [],
  indexes: [],
  ...more,
})

const customer = collection('customer', [
  key(),
  field('email', { identity: 'email' }, ['user']),
  wanted('name'),
  to('address_id', 'address.id'),
])
const address = collection('address', [key(), wanted('street')])
const orders = collection('orders', [
  key(),
  from('customer_id', 'customer.id'),
  to('ship_to', 'address.id'),
  wanted('note'),
])

describe('what a plan reads', () => {
  it('reads targeted, entry and reference columns and no others', () => {
    const plan = planned({
      collections: [
        customer,
        address,
        collection('orders', [key(), from('customer_id', 'customer.id'), wanted('note'), field('secret')]),
      ],
    })
    const read = plan.collections.find(({ collection: name }) => name === 'orders')
    expect(read?.columns).toEqual(['customer_id', 'note'])
    expect(read?.notRead).toEqual(['id', 'secret'])
  })

  it('reads nothing that no target needs', () => {
    const plan = planned({
      collections: [customer, address, collection('log', [from('customer_id', 'customer.id'), field('line')])],
    })
    expect(addresses(plan)).toEqual(['customer', 'address'])
    expect(reasons(plan)).toEqual({ 'shop:log': 'no target needs it' })
  })

  it('reads what leads to a target, though it is none itself', () => {
    const plan = planned({
      collections: [
        customer,
        address,
        collection('card', [key(), from('customer_id', 'customer.id')]),
        collection('charge', [from('card_id', 'card.id'), wanted('sum')]),
      ],
    })
    expect(plan.collections.find(({ collection: name }) => name === 'card')?.columns).toEqual(['id', 'customer_id'])
  })

  it('lists live columns that nothing describes as not read', () => {
    const plan = planned({
      collections: [customer, address],
      catalogue: {
        collections: [
          live('customer', ['id', 'email', 'name', 'address_id', 'hidden']),
          live('address', ['id', 'street']),
        ],
      },
    })
    expect(plan.collections[0]?.notRead).toContain('hidden')
    expect(types(plan)).toContain('undescribed_column')
  })
})

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

describe('what is not searched has one reason (§7.1)', () => {
  const stray = collection('stray', [wanted('x')])
  const skipped = collection('skipped', [key(), from('customer_id', 'customer.id'), wanted('x')], {
    skip_processing: true,
  })
  const behind = collection('behind', [from('skipped_id', 'skipped.id'), wanted('x')])
  const other = collection('other', [field('device', { identity: 'device_id' }), wanted('x')])

  it('names it', () => {
    const plan = planned({
      collections: [customer, address, skipped, behind, other],
      more: [
        { key: 'loose', collections: [collection('c', [field('email', { identity: 'email' }), wanted('x')])] },
        {
          key: 'off',
          collections: [collection('c', [field('email', { identity: 'email' }), wanted('x')])],
          connection: { key: 'off', disabled: true },
        },
      ],
    })
    expect(reasons(plan)).toEqual({
      'shop:skipped': 'skip_processing',
      'shop:behind': 'behind shop:skipped',
      'shop:other': 'identity not provided device_id',
      'loose:c': 'no connection',
      'off:c': 'disabled',
    })
    expect(errors(plan)).toEqual([])
  })

  it('is an error only for a targeted collection that nothing reaches', () => {
    const plan = planned({ collections: [customer, address, stray] })
    expect(errors(plan)).toEqual(['unreachable'])
    expect(reasons(plan)).toEqual({ 'shop:stray': 'unreachable' })
    expect(errors(planned({ collections: [customer, address, collection('stray', [field('x')])] }))).toEqual([])
  })

  it('says what lies behind a collection that only an unproven property would enter', () => {
    const plan = planned({
      collections: [
        collection('customer', [key(), field('email', { identity: 'email' }), wanted('a')]),
        collection('loyalty', [key(), field('phone', { identity: 'phone' }), wanted('a')]),
        collection('points', [key(), from('loyalty_id', 'loyalty.id'), wanted('a')]),
      ],
      identities: [['email', 'phone']],
      options: { proven: ['email'] },
    })
    expect(addresses(plan)).toEqual(['customer'])
    expect(reasons(plan)).toEqual({ 'shop:loyalty': 'identity not proven', 'shop:points': 'behind shop:loyalty' })
    expect(errors(plan)).toEqual([])
  })

  it('lets an unproven property narrow what a proven one enters', () => {
    const plan = planned({
      collections: [
        collection('customer', [
          field('email', { identity: 'email' }),
          field('phone', { identity: 'phone' }),
          wanted('a'),
        ]),
      ],
      identities: [['email', 'phone']],
      options: { proven: ['email'] },
    })
    expect(plan.collections[0]?.identities.map(({ properties }) => properties)).toEqual([['email', 'phone']])
  })

  it('says what only an unproven property would enter', () => {
    const plan = planned({
      collections: [customer, address, other],
      identities: [['email', 'device_id']],
      options: { proven: ['email'] },
    })
    expect(reasons(plan)).toEqual({ 'shop:other': 'identity not proven' })
  })
})

describe('identities (§6, §7.3)', () => {
  const both = collection('account', [
    field('email', { identity: 'email' }, ['user']),
    field('phone', { identity: 'phone' }),
  ])
  const phoneOnly = collection('calls', [field('number', { identity: 'phone' }), wanted('note')])

  it('are AND-ed within an object', () => {
    const plan = planned({ collections: [both], identities: [['email', 'phone']] })
    expect(plan.collections[0]?.slots.map(({ fields }) => fields.map(({ name }) => name))).toEqual([['email', 'phone']])
  })
  it('are alternatives between objects', () => {
    const plan = planned({ collections: [both], identities: [['email'], ['phone']] })
    expect(plan.collections[0]?.slots.map(({ fields }) => fields.map(({ name }) => name))).toEqual([
      ['email'],
      ['phone'],
    ])
  })
  it('enter a collection of fewer properties only when confirmed, after those that confirm (recycled phone)', () => {
    const plan = planned({ collections: [both, phoneOnly], identities: [['email', 'phone']] })
    expect(plan.identities).toEqual([{ properties: ['email', 'phone'], confirmedBy: ['shop:account'] }])
    expect(plan.collections[1]?.identities[0]?.needsConfirmation).toBe(true)
    expect(plan.components[1]?.needs).toEqual([0])
  })
  it('are entered one by one, and said to be not confirmable, where no collection holds two', () => {
    const plan = planned({ collections: [customer, address, phoneOnly], identities: [['email', 'phone']] })
    expect(types(plan)).toContain('not_confirmable')
    expect(plan.collections.flatMap(({ identities }) => identities.map((feed) => feed.needsConfirmation))).toEqual([
      false,
      false,
    ])
  })
  it('that no dataset knows are an error naming the known ones, or a warning beside a known one', () => {
    const none = planned({ collections: [customer, address], identities: [['shoe_size']] })
    expect(errors(none)).toContain('no_known_identity')
    expect(none.findings.find(({ type }) => type === 'no_known_identity')?.message).toContain('email')
    const one = planned({ collections: [customer, address], identities: [['email', 'shoe_size']] })
    expect(errors(one)).toEqual([])
    expect(types(one)).toContain('unknown_identity')
  })
  it('are inferred by name or category, with a finding, unless that is switched off', () => {
    const bare = [collection('lead', [field('mail', {}, ['user.contact.email', 'user'])])]
    expect(types(planned({ collections: bare }))).toContain('identity_inferred')
    expect(errors(planned({ collections: bare, options: { inferIdentities: false } }))).toContain('no_known_identity')
  })
})

describe('a plan for people', () => {
  const plan = planned({
    collections: [
      customer,
      address,
      orders,
      collection('other', [field('device', { identity: 'device_id' }), wanted('x')]),
    ],
  })
  it('says order, ways in, columns and what is left out', () => {
    const text = planText(plan)
    expect(text).toContain('1. shop:customer (connection db)')
    expect(text).toContain('by id ← shop:customer.address_id (looked up), shop:orders.ship_to (looked up)')
    expect(text).toContain('- shop:other: identity not provided: device_id')
  })
  it('draws a graph in which no name can become markup', () => {
    const odd = planned({
      collections: [collection('a"]; click', [field('<img onerror=x>', { identity: 'email' }), wanted('x')])],
    })
    expect(planMermaid(odd)).not.toMatch(/<img|"\]; click/)
    expect(planMermaid(plan)).toMatch(/^flowchart LR\n/)
  })
})
