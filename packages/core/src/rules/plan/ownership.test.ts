import { describe, expect, it } from 'vitest'
import { type Collection, customer, decided, email, orders } from '../../../test/fixtures/decided-owners.js'
import {
  collection,
  field,
  from,
  key,
  references,
  to,
  undirected,
  wanted,
} from '../../../test/fixtures/planned-shop.js'

describe('people', () => {
  it.each<[string, Collection, boolean]>([
    ['a collection that declares an identity holds people', customer, true],
    ['one that only refers to such a one does not', collection('customer', [key(), wanted('name')]), false],
    ['one whose rows belong to nobody does not', collection('customer', [key(), email], { owner: [] }), false],
  ])('%s', (_, people, isOne) => {
    expect(decided({ collections: [people] }).people).toEqual(isOne ? ['customer'] : [])
  })

  const person = (...fields: unknown[]) => collection('person', [key(), ...fields])
  const named = field('a', {}, ['user.name.first'])
  it.each<[string, Collection, boolean]>([
    ['a name and an e-mail address', person(named, field('b', {}, ['user.contact.email'])), true],
    ['a name and a phone number', person(named, field('b', {}, ['user.contact.phone_number'])), true],
    ['a name and a birth date', person(named, field('b', {}, ['user.date_of_birth'])), true],
    ['columns named like a name and a phone number', person(field('first_name'), field('phone')), true],
    ['a name alone', person(named), false],
    ['an e-mail address alone', person(field('b', {}, ['user.contact.email'])), false],
    ['no category below those', person(field('a', {}, ['user'])), false],
  ])('%s: a collection that looks like people leads to the owner of a row', (_, people, looks) => {
    const notes = collection('note', [key(), undirected('person_id', 'person.id')])
    expect(decided({ collections: [people, notes] }).references).toEqual({
      'note.person_id': looks ? 'owner*' : 'open',
    })
  })
})

describe('owned collections', () => {
  it.each<[string, readonly Collection[], string[]]>([
    ['those that hold people', [customer], ['customer']],
    ['a collection that refers to an owned one without a direction', [customer, orders()], ['customer', 'orders']],
    [
      'a collection that refers to an owned one with from',
      [customer, collection('a', [from('c', 'customer.id')])],
      ['a', 'customer'],
    ],
    [
      'a collection that refers to an owned one with both',
      [customer, collection('a', [references('c', 'customer.id', 'both')])],
      ['a', 'customer'],
    ],
    ['not with to', [customer, collection('a', [to('c', 'customer.id')])], ['customer']],
    ['not with none', [customer, collection('a', [references('c', 'customer.id', 'none')])], ['customer']],
    [
      'at any distance',
      [customer, orders(), collection('line', [from('order_id', 'orders.id')])],
      ['customer', 'line', 'orders'],
    ],
    [
      'a collection that an owned one refers to with to, and collections that refer to that',
      [
        collection('customer', [key(), email, to('address_id', 'address.id')]),
        collection('address', [key()]),
        collection('visit', [from('address_id', 'address.id')]),
      ],
      ['address', 'customer', 'visit'],
    ],
    [
      'a collection that an owned one refers to with both',
      [collection('mail', [email, references('user_id', 'user.id', 'both')]), collection('user', [key()])],
      ['mail', 'user'],
    ],
    [
      'not one that an owned one refers to without a direction, or with from or none',
      [
        collection('customer', [
          key(),
          email,
          undirected('a_id', 'a.id'),
          from('b_id', 'b.id'),
          references('c_id', 'c.id', 'none'),
        ]),
        ...['a', 'b', 'c'].map((name) => collection(name, [key()])),
      ],
      ['customer'],
    ],
    [
      'not one that looks like people and that nothing leads to',
      [collection('person', [key(), field('n', {}, ['user.name']), field('m', {}, ['user.contact.email'])])],
      [],
    ],
    [
      'one that says it belongs to owners in a missing dataset',
      [
        collection('visit', [
          key(),
          field('p', { references: [{ dataset: 'crm', field: 'person.id', direction: 'from' }] }),
        ]),
        collection('photo', [undirected('visit_id', 'visit.id')]),
      ],
      ['photo', 'visit'],
    ],
    [
      'not one whose rows belong to nobody, and nothing behind it',
      [
        customer,
        collection('team', [key(), from('leader_id', 'customer.id')], { owner: [] }),
        collection('task', [key(), from('team_id', 'team.id')]),
      ],
      ['customer'],
    ],
  ])('%s', (_, collections, owned) => {
    expect(decided({ collections }).owned).toEqual(owned)
  })
})

describe('a reference with a direction means what it says', () => {
  it.each(['from', 'to', 'both', 'none'] as const)('%s', (direction) => {
    const collections = [customer, collection('a', [key(), references('c', 'customer.id', direction)])]
    expect(decided({ collections }).references).toEqual({ 'a.c': direction === 'from' ? 'owner' : direction })
    expect(decided({ collections, inferOwners: false }).references['a.c']).toBe(
      direction === 'from' ? 'owner' : direction,
    )
  })
})

describe('an open look-up', () => {
  const address = collection('address', [key(), wanted('street')])
  it.each<[string, readonly Collection[], string]>([
    [
      'leads to the key of a collection that has categories and is not the owner',
      [collection('customer', [key(), email, undirected('ref', 'address.id')]), address],
      'open',
    ],
    [
      'not to a collection without categories',
      [
        collection('customer', [key(), email, undirected('ref', 'address.id')]),
        collection('address', [key(), field('street')]),
      ],
      'none',
    ],
    [
      'also to a field that is not a key, since a key may be undeclared',
      [collection('customer', [key(), email, undirected('ref', 'address.street')]), address],
      'open',
    ],
    [
      'not to rows that belong to nobody',
      [
        collection('customer', [key(), email, undirected('ref', 'address.id')]),
        collection('address', [key(), wanted('street')], { owner: [] }),
      ],
      'none',
    ],
  ])('%s', (_, collections, meaning) => {
    expect(decided({ collections }).references).toEqual({ 'customer.ref': meaning })
  })
})

describe('a described owner', () => {
  it('decides regardless of the rest of the row, in the given order', () => {
    const comment = (owner: string[]) =>
      collection(
        'comment',
        [
          key(),
          undirected('article_id', 'article.id'),
          undirected('author_id', 'customer.id'),
          field('mail', { identity: 'email' }),
        ],
        { owner },
      )
    const article = collection('article', [key(), from('author_id', 'customer.id')])
    const told = decided({ collections: [customer, article, comment(['author_id', 'mail'])] })
    expect(told.entries).toEqual({ comment: ['author_id ->', 'mail'] })
    expect(told.references).toMatchObject({ 'comment.author_id': 'owner', 'comment.article_id': 'open' })
    expect(told.why['comment.article_id']).toContain("'owner' says who owns a row")
    expect(decided({ collections: [customer, article, comment(['mail', 'article_id'])] }).entries).toEqual({
      comment: ['mail', 'article_id ->'],
    })
  })

  it('takes a group of references as one, and every reference of a field', () => {
    const member = collection('member', [
      field('tenant', { primary_key: true }),
      field('no', { primary_key: true }),
      email,
    ])
    const group = { group: 'who' }
    const post = collection(
      'post',
      [key(), undirected('a', 'member.tenant', group), undirected('b', 'member.no', group)],
      { owner: ['b', 'a'] },
    )
    const both = collection(
      'note',
      [
        field('who', {
          references: [
            { dataset: 'shop', field: 'customer.id' },
            { dataset: 'shop', field: 'member.no' },
          ],
        }),
      ],
      { owner: ['who'] },
    )
    const told = decided({ collections: [customer, member, post, both] })
    expect(told.entries).toEqual({ post: ['a, b ->'], note: ['who ->', 'who ->'] })
    expect(told.references).toMatchObject({ 'post.a, b': 'owner' })
  })

  it('needs no inference and applies where none is allowed', () => {
    const collections = [
      customer,
      collection('orders', [key(), undirected('customer_id', 'customer.id')], { owner: ['customer_id'] }),
    ]
    for (const given of [{ inferOwners: false }, { nullable: ['orders.customer_id'] }, { known: false }])
      expect(decided({ collections, ...given }).references).toEqual({ 'orders.customer_id': 'owner' })
  })

  it.each<[string, unknown, string]>([
    ['a field that is not described', field('x'), 'buyer'],
    ['one without identity and reference', field('note'), 'note'],
    ['one whose reference means nothing', references('c', 'customer.id', 'none'), 'c'],
    ['one whose reference leads to a part', to('c', 'customer.id'), 'c'],
    ['one that leads to its own collection', undirected('c', 'orders.id'), 'c'],
  ])('is refused where it names %s', (_, column, name) => {
    const told = decided({ collections: [customer, collection('orders', [key(), column], { owner: [name] })] })
    expect(told.findings).toEqual(['error unknown_owner'])
  })

  it('that is empty says that rows belong to nobody: none of their references is open, and none to them', () => {
    const team = collection(
      'team',
      [key(), wanted('name'), undirected('customer_id', 'customer.id'), undirected('parent_id', 'team.id')],
      { owner: [] },
    )
    const task = collection('task', [key(), undirected('team_id', 'team.id'), undirected('customer_id', 'customer.id')])
    const told = decided({ collections: [customer, team, task] })
    expect(told.entries).toEqual({ team: [] })
    expect(told.references).toEqual({
      'team.customer_id': 'none',
      'team.parent_id': 'none',
      'task.team_id': 'none',
      'task.customer_id': 'owner*',
    })
    expect(told.findings).toEqual([])
  })

  it('that is empty overrides contrary statements, with a finding', () => {
    const team = collection('team', [key(), field('mail', { identity: 'email' }), from('customer_id', 'customer.id')], {
      owner: [],
    })
    const told = decided({ collections: [collection('customer', [key(), email, to('team_id', 'team.id')]), team] })
    expect(told).toMatchObject({ people: ['customer'], owned: ['customer'] })
    expect(told.references).toEqual({ 'team.customer_id': 'none', 'customer.team_id': 'none' })
    expect(told.findings).toEqual(Array(3).fill('warning contrary_owner'))
  })

  it('that is empty makes rows with such an owner doubtful for good, with a finding', () => {
    const team = collection('team', [key(), from('parent_id', 'team.id')], { owner: [] })
    const task = collection('task', [key(), from('team_id', 'team.id')])
    expect(decided({ collections: [customer, team, task] }).findings).toEqual(Array(2).fill('warning contrary_owner'))
  })
})
