import { describe, expect, it } from 'vitest'
import {
  collection,
  field,
  from,
  graphOf,
  key,
  live,
  references,
  to,
  undirected,
} from '../../../test/fixtures/planned-shop.js'

type Given = Parameters<typeof graphOf>[0]

/** References as `holder.fields direction target.fields when`, starting at the rows that hold them. */
function edges(given: Given) {
  const { edges: found, findings } = graphOf(given)
  const bare = (address: string) => address.replace('shop:', '')
  return {
    edges: found.map(({ from: holder, to: target, parts, direction = '?', when }) =>
      [
        `${bare(holder)}.${parts.map((part) => part.from).join('+')}`,
        direction,
        `${bare(target)}.${parts.map((part) => part.to).join('+')}`,
        ...(when ? [`when ${when.side} ${JSON.stringify(when.equals)}`] : []),
      ].join(' '),
    ),
    ids: found.map(({ id }) => id),
    findings: findings.map(({ type, severity, loc }) => `${severity} ${type} ${loc.join('.')}`),
  }
}

const customer = collection('customer', [key(), field('email')])
const holding = (...fields: unknown[]) => collection('orders', [key(), ...fields])

describe('references', () => {
  it.each<[string, unknown[], string[]]>([
    ['without a direction', [customer, holding(undirected('c', 'customer.id'))], ['orders.c ? customer.id']],
    ...(['from', 'to', 'both', 'none'] as const).map((direction): [string, unknown[], string[]] => [
      direction,
      [customer, holding(references('c', 'customer.id', direction))],
      [`orders.c ${direction} customer.id`],
    ]),
    ['of a collection to itself', [holding(from('parent', 'orders.id'))], ['orders.parent from orders.id']],
    [
      'several of one field, each separately',
      [
        customer,
        holding(
          field('c', {
            references: [
              { dataset: 'shop', field: 'customer.id' },
              { dataset: 'shop', field: 'orders.id', direction: 'none' },
            ],
          }),
        ),
      ],
      ['orders.c ? customer.id', 'orders.c none orders.id'],
    ],
    [
      'inside a document, to a member of one',
      [
        collection('a', [{ name: 'x', fields: [{ name: 'y', fields: [field('id')] }] }]),
        collection('b', [{ name: 'p', fields: [from('q', 'a.x.y.id')] }]),
      ],
      ['b.p.q from a.x.y.id'],
    ],
    [
      'to the collection with the longest name that fits',
      [collection('a', [field('b.c')]), collection('a.b', [field('c')]), holding(from('x', 'a.b.c'))],
      ['orders.x from a.b.c'],
    ],
    [
      'under a condition on the rows that hold them',
      [
        customer,
        holding(from('c', 'customer.id', { when: { kind: 'customer', old: false } }), field('kind'), field('old')),
      ],
      ['orders.c from customer.id when from {"kind":"customer","old":false}'],
    ],
  ])('%s', (_, collections, expected) => {
    expect(edges({ collections })).toMatchObject({ edges: expected, findings: [] })
  })

  it('lead across datasets', () => {
    const crm = collection('visit', [from('c', 'customer.id')])
    expect(edges({ collections: [customer], more: [{ key: 'crm', collections: [crm] }] }).edges).toEqual([
      'crm:visit.c from customer.id',
    ])
  })

  it('have one order and unique ids, whatever the order of the input', () => {
    const collections = [
      customer,
      holding(from('a', 'customer.id'), to('b', 'customer.id'), undirected('c', 'customer.email')),
    ]
    const backwards = collections.map(({ name, fields }) => collection(name, [...fields].reverse())).reverse()
    const found = edges({ collections })
    expect(edges({ collections: backwards })).toEqual(found)
    expect(found.edges).toHaveLength(3)
    expect(new Set(found.ids).size).toBe(3)
  })
})

describe('a reference that is described at the key it leads to', () => {
  const atKey = (direction?: 'from' | 'to' | 'both' | 'none', more: object = {}) => [
    collection('customer', [
      field('id', {
        primary_key: true,
        references: [{ dataset: 'shop', field: 'orders.c', ...(direction && { direction }), ...more }],
      }),
    ]),
    holding(field('c'), field('kind')),
  ]
  it.each<[string, unknown[], string]>([
    ['without a direction', atKey(), 'orders.c ? customer.id'],
    ['to: rows that refer to it belong to its owner', atKey('to'), 'orders.c from customer.id'],
    ['from: the row it belongs to refers to it', atKey('from'), 'orders.c to customer.id'],
    [
      'with the condition on the side that declares it',
      atKey('to', { when: { kind: 'x' } }),
      'orders.c from customer.id when to {"kind":"x"}',
    ],
  ])('starts at the rows that refer: %s', (_, collections, expected) => {
    expect(edges({ collections }).edges).toEqual([expected])
  })
  it('stays unchanged where it says both or none, or keys stand at both ends', () => {
    expect(edges({ collections: atKey('both') }).edges).toEqual(['customer.id both orders.c'])
    expect(edges({ collections: atKey('none') }).edges).toEqual(['customer.id none orders.c'])
    const profile = collection('profile', [
      field('id', { primary_key: true, references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' }] }),
    ])
    expect(edges({ collections: [customer, profile] }).edges).toEqual(['profile.id from customer.id'])
  })
  it('is recognized by the live keys, if there are any', () => {
    const collections = [collection('customer', [undirected('no', 'orders.c')]), holding(field('c'))]
    const catalogue = {
      collections: [
        live('customer', ['no'], { uniqueKeys: [['no']] }),
        live('orders', ['id', 'c'], { primaryKey: ['id'] }),
      ],
    }
    expect(edges({ collections }).edges).toEqual(['customer.no ? orders.c'])
    expect(edges({ collections, catalogue }).edges).toEqual(['orders.c ? customer.no'])
  })
})

describe('equal references', () => {
  it('are one, described at one end or at both', () => {
    const both = [
      collection('customer', [
        field('id', { primary_key: true, references: [{ dataset: 'shop', field: 'orders.c', direction: 'to' }] }),
      ]),
      holding(from('c', 'customer.id')),
    ]
    expect(edges({ collections: both }).edges).toEqual(['orders.c from customer.id'])
    const twice = field('c', {
      references: [
        { dataset: 'shop', field: 'customer.id' },
        { dataset: 'shop', field: 'customer.id' },
      ],
    })
    expect(edges({ collections: [customer, holding(twice)] }).edges).toEqual(['orders.c ? customer.id'])
  })
  it.each(['from', 'to', 'both', 'none'] as const)(
    'add nothing to one that says %s where they have no direction',
    (direction) => {
      const said = { dataset: 'shop', field: 'customer.id', direction }
      const there = (list: object[]) =>
        edges({ collections: [customer, holding(field('c', { references: list }))] }).edges
      const silent = { dataset: 'shop', field: 'customer.id' }
      expect(there([silent, said])).toEqual([`orders.c ${direction} customer.id`])
      expect(there([said, silent])).toEqual([`orders.c ${direction} customer.id`])
      const elsewhere = [
        collection('customer', [
          field('id', { primary_key: true, references: [{ dataset: 'shop', field: 'orders.c' }] }),
        ]),
        holding(field('c', { references: [said] })),
      ]
      expect(edges({ collections: elsewhere }).edges).toEqual([`orders.c ${direction} customer.id`])
    },
  )
  it('are several under different conditions', () => {
    const when = (kind: string) => ({ dataset: 'shop', field: 'customer.id', direction: 'from', when: { kind } })
    const one = holding(field('c', { references: [when('a'), when('b')] }), field('kind'))
    expect(edges({ collections: [customer, one] }).edges).toHaveLength(2)
  })
})

describe('references of one group', () => {
  const member = collection('member', [field('tenant', { primary_key: true }), field('no', { primary_key: true })])
  const group = { group: 'who' }

  it('are one composite reference, its parts in one order', () => {
    const whole = ['orders.a+b from member.tenant+no']
    const [a, b] = [from('a', 'member.tenant', group), from('b', 'member.no', group)]
    expect(edges({ collections: [member, holding(a, b)] })).toMatchObject({ edges: whole, findings: [] })
    expect(edges({ collections: [member, holding(b, a)] }).edges).toEqual(whole)
  })
  it('to several collections are one for each', () => {
    const collections = [member, customer, holding(from('a', 'member.tenant', group), from('b', 'customer.id', group))]
    expect(edges({ collections }).edges).toEqual(['orders.b from customer.id', 'orders.a from member.tenant'])
  })
  it('with different groups, or without one, are several', () => {
    const collections = [member, holding(from('a', 'member.tenant', { group: 'x' }), from('b', 'member.no'))]
    expect(edges({ collections }).edges).toEqual(['orders.a from member.tenant', 'orders.b from member.no'])
  })
  it('share the direction that one of them has, and must not have two', () => {
    const silent = undirected('b', 'member.no', group)
    const said = { edges: ['orders.a+b from member.tenant+no'], findings: [] }
    expect(edges({ collections: [member, holding(from('a', 'member.tenant', group), silent)] })).toMatchObject(said)
    const swapped = holding(undirected('a', 'member.tenant', group), from('b', 'member.no', group))
    expect(edges({ collections: [member, swapped] })).toMatchObject(said)
    const contrary = holding(from('a', 'member.tenant', group), references('b', 'member.no', 'none', group))
    expect(edges({ collections: [member, contrary] }).findings).toEqual(['error contrary_direction shop.orders.b'])
  })
  it('share their conditions, which must not contradict each other', () => {
    const of = (one: object, other: object) =>
      edges({
        collections: [
          member,
          holding(
            from('a', 'member.tenant', { ...group, when: one }),
            from('b', 'member.no', { ...group, when: other }),
          ),
        ],
      })
    expect(of({ kind: 'm' }, { kind: 'm', old: false })).toMatchObject({
      edges: ['orders.a+b from member.tenant+no when from {"kind":"m","old":false}'],
      findings: [],
    })
    expect(of({ kind: 'm' }, { kind: 'n' }).findings).toEqual(['error contrary_condition shop.orders.b'])
  })
})

describe('references to something that is not described', () => {
  it.each([
    ['a dataset', { dataset: 'nowhere', field: 'a.b' }, 'error unknown_dataset'],
    ['a collection', { dataset: 'shop', field: 'nope.id' }, 'error unknown_collection'],
    ['a field', { dataset: 'shop', field: 'customer.nope' }, 'warning unknown_field'],
  ])('are reported and not followed: %s', (_, reference, finding) => {
    const collections = [customer, holding(field('c', { references: [reference] }))]
    expect(edges({ collections })).toEqual({ edges: [], ids: [], findings: [`${finding} shop.orders.c`] })
  })
})

describe('a reference to a field that is not described', () => {
  const referring = holding(field('c', { references: [{ dataset: 'shop', field: 'customer.ident' }] }))
  const told = (known?: ReturnType<typeof live>) => {
    const catalogue = known && { catalogue: { collections: [known] } }
    return graphOf({ collections: [customer, referring], ...catalogue }).findings.map(({ message }) => message)
  }

  it.each<[string, ReturnType<typeof live> | undefined, RegExp]>([
    ['is described where the database has it', live('customer', ['ident']), /which no field describes, though the/],
    ['has a known name near', live('customer', ['id', '_ident']), /not have it either: .* is '_ident'\.$/],
    [
      'may be in documents that are not sampled',
      live('customer', [], { schemaless: true }),
      /not described: add it, correct its name/,
    ],
    [
      'is in no sampled document',
      live('customer', [], { schemaless: true, sampled: 9 }),
      /no sampled document has it either: correct its/,
    ],
    ['cannot be looked for, since there is no database', undefined, /not described: add it, correct its name/],
  ])('%s', (_, live, message) => {
    expect(told(live)).toEqual([expect.stringMatching(message)])
  })
})
