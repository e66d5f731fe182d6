import { describe, expect, it } from 'vitest'
import { type Case, customer, decided, email, orders } from '../../test/fixtures/decided-owners.js'
import { collection, field, from, key, references, to, undirected } from '../../test/fixtures/planned-shop.js'

describe('a reference without a direction', () => {
  const collections = [customer, orders()]

  it('says whose a row is where it is the only candidate and may not be empty', () => {
    expect(decided({ collections }).references).toEqual({ 'orders.customer_id': 'owner*' })
  })
  it('says so where it may be empty and takes its rows along', () => {
    const nullable = ['orders.customer_id']
    expect(decided({ collections, nullable, cascading: [['orders.customer_id', 'customer']] }).references).toEqual({
      'orders.customer_id': 'owner*',
    })
  })
  it('is one candidate beside references that have a direction, or lead to nobody', () => {
    const more = orders(
      to('address_id', 'address.id'),
      references('seller_id', 'customer.id', 'none'),
      undirected('product_id', 'product.id'),
    )
    const told = decided({
      collections: [customer, more, collection('address', [key()]), collection('product', [key()])],
    })
    expect(told.references).toMatchObject({ 'orders.customer_id': 'owner*', 'orders.product_id': 'none' })
  })
  it('leads over any distance as over one', () => {
    const line = collection('line', [key(), undirected('order_id', 'orders.id')])
    expect(decided({ collections: [...collections, line] }).references['line.order_id']).toBe('owner*')
  })

  it.each<[string, Case, string, string]>([
    [
      'where there are several candidates',
      { collections: [customer, orders(undirected('payer_id', 'customer.id'))] },
      'orders.customer_id',
      'it is one of 2 references to people',
    ],
    [
      'where one of several leads to what is only owned',
      {
        collections: [
          customer,
          orders(),
          collection('line', [undirected('order_id', 'orders.id'), undirected('buyer_id', 'customer.id')]),
        ],
      },
      'line.order_id',
      'it is one of 2 references to people',
    ],
    [
      'beside a from',
      { collections: [customer, orders(from('payer_id', 'customer.id'))] },
      'orders.customer_id',
      "'payer_id' says whose",
    ],
    [
      'beside a both',
      { collections: [customer, orders(references('payer_id', 'customer.id', 'both'))] },
      'orders.customer_id',
      "'payer_id' says whose",
    ],
    [
      'beside an identity',
      { collections: [customer, orders(field('mail', { identity: 'email' }))] },
      'orders.customer_id',
      'an identity of its own',
    ],
    [
      'where it may be empty',
      { collections, nullable: ['orders.customer_id'] },
      'orders.customer_id',
      'it may be empty',
    ],
    [
      'where another foreign key takes the row along',
      { collections, nullable: ['orders.customer_id'], cascading: [['orders.customer_id', 'party']] },
      'orders.customer_id',
      'it may be empty',
    ],
    [
      'where nobody knows whether it may be empty',
      { collections, known: false },
      'orders.customer_id',
      'it may be empty',
    ],
    [
      'where it lies in a document, whose members may be missing',
      {
        collections: [
          customer,
          collection('orders', [key(), { name: 'buyer', fields: [undirected('id', 'customer.id')] }]),
        ],
      },
      'orders.buyer.id',
      'it may be empty',
    ],
    [
      'of a collection that looks like people itself',
      { collections: [customer, orders(field('x', {}, ['user.name']), field('y', {}, ['user.contact.email']))] },
      'orders.customer_id',
      'looks like people itself',
    ],
    [
      'of a collection that something points to with to',
      { collections: [customer, orders(), collection('parcel', [key(), to('order_id', 'orders.id')])] },
      'orders.customer_id',
      'another reference says that rows',
    ],
    [
      'towards a collection that something points to with to',
      {
        collections: [
          collection('customer', [key(), email, to('profile_id', 'profile.id')]),
          collection('profile', [key()]),
          collection('badge', [undirected('profile_id', 'profile.id')]),
        ],
      },
      'badge.profile_id',
      "rows of 'shop:profile' belong to whoever points to them",
    ],
    [
      'of a collection to itself',
      { collections: [customer, orders(undirected('parent_id', 'orders.id'))] },
      'orders.parent_id',
      'it leads to its own collection',
    ],
    [
      'where owners are not inferred',
      { collections, inferOwners: false },
      'orders.customer_id',
      'owners are not inferred',
    ],
  ])('is open %s', (_, given, name, why) => {
    const told = decided(given)
    expect(told.references[name]).toBe('open')
    expect(told.why[name]).toContain(why)
  })

  it('is no candidate of a collection to itself', () => {
    expect(decided({ collections: [customer, orders(undirected('parent_id', 'orders.id'))] }).references).toEqual({
      'orders.customer_id': 'owner*',
      'orders.parent_id': 'open',
    })
  })
})

describe('names that stop an inference', () => {
  const agent = field('approved_by')
  const mail = field('contact_email')
  const names = { 'orders.customer_id': 'owner*' }
  it.each<[string, Case, string]>([
    ['an audit or agent column', { collections: [customer, orders(agent)] }, "'approved_by' is named like"],
    [
      'one that no field describes',
      { collections: [customer, orders()], undescribed: ['orders.updated_by'] },
      "'updated_by' is named like",
    ],
    [
      'the only candidate is such a column',
      { collections: [customer, collection('orders', [key(), undirected('created_by', 'customer.id')])] },
      "'created_by' is named like",
    ],
    [
      'a group table',
      { collections: [customer, collection('team', [key(), undirected('customer_id', 'customer.id')])] },
      "'team' is named like",
    ],
    [
      'a settings table',
      { collections: [customer, collection('settings', [key(), undirected('customer_id', 'customer.id')])] },
      "'settings' is named like",
    ],
    [
      'a column named like the key of a person, without a reference',
      { collections: [customer, orders(field('user_id'))] },
      "'user_id' is named like",
    ],
    [
      'a column named like an e-mail address, without identity',
      { collections: [customer, orders(mail)] },
      "'contact_email' is named like",
    ],
    [
      'one that no field describes',
      { collections: [customer, orders()], undescribed: ['orders.email'] },
      "'email' is named like",
    ],
  ])('%s', (_, given, why) => {
    const told = decided(given)
    const [name] = Object.keys(told.references) as [string]
    expect(told.references[name]).toBe('open')
    expect(told.why[name]).toContain(why)
  })

  it.each<[string, unknown]>([
    ['somebody has looked at the column', field('approved_by', { reviewed: true })],
    ['its reference has a direction', references('approved_by', 'customer.id', 'none')],
    ['it is the key of the collection itself', field('customer_email', { reviewed: true })],
    ['its name says nothing', field('note')],
  ])('not where %s', (_, column) => {
    expect(decided({ collections: [customer, orders(column)] }).references).toMatchObject(names)
  })

  it('not a column that refers to somebody, which is a candidate', () => {
    const told = decided({ collections: [customer, orders(undirected('user_id', 'customer.id'))] })
    expect(told.why['orders.user_id']).toContain('one of 2')
  })

  it('never make a row somebody’s', () => {
    const users = collection('users', [key(), field('user_email')])
    const told = decided({ collections: [users, collection('orders', [key(), undirected('user_id', 'users.id')])] })
    expect(told).toMatchObject({ people: [], owned: [], references: { 'orders.user_id': 'none' } })
  })
})
