import { describe, expect, it } from 'vitest'
import { type Case, customer, decided, email, orders } from '../../../test/fixtures/decided-owners.js'
import { collection, field, from, key, references, to, undirected } from '../../../test/fixtures/planned-shop.js'
import { parseDataset } from '../../model/dataset.js'
import { describedOwnership } from './described-ownership.js'

describe('a reference without a direction', () => {
  const collections = [customer, orders()]

  it('says who owns a row where it is the only candidate and cannot be empty', () => {
    expect(decided({ collections }).references).toEqual({ 'orders.customer_id': 'owner*' })
  })
  it('also says so where it may be empty and cascades deletions', () => {
    const nullable = ['orders.customer_id']
    expect(decided({ collections, nullable, cascading: [['orders.customer_id', 'customer']] }).references).toEqual({
      'orders.customer_id': 'owner*',
    })
  })
  it('is one candidate besides references that have a direction, or lead to nobody', () => {
    const more = orders(
      to('address_id', 'address.id'),
      references('seller_id', 'customer.id', 'none'),
      undirected('product_id', 'product.id'),
    )
    const said = decided({
      collections: [customer, more, collection('address', [key()]), collection('product', [key()])],
    })
    expect(said.references).toMatchObject({ 'orders.customer_id': 'owner*', 'orders.product_id': 'none' })
  })
  it('works over any distance', () => {
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
      'where one of several leads to a collection that is only owned',
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
      'besides a from',
      { collections: [customer, orders(from('payer_id', 'customer.id'))] },
      'orders.customer_id',
      "'payer_id' says who owns",
    ],
    [
      'besides a both',
      { collections: [customer, orders(references('payer_id', 'customer.id', 'both'))] },
      'orders.customer_id',
      "'payer_id' says who owns",
    ],
    [
      'besides an identity',
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
      'where another foreign key cascades',
      { collections, nullable: ['orders.customer_id'], cascading: [['orders.customer_id', 'party']] },
      'orders.customer_id',
      'it may be empty',
    ],
    [
      'where it is unknown whether it may be empty',
      { collections, known: false },
      'orders.customer_id',
      'it may be empty',
    ],
    [
      'inside a document, whose members may be missing',
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
      'of a collection that another one refers to with to',
      { collections: [customer, orders(), collection('parcel', [key(), to('order_id', 'orders.id')])] },
      'orders.customer_id',
      'another reference says that rows',
    ],
    [
      'towards a collection that another one refers to with to',
      {
        collections: [
          collection('customer', [key(), email, to('profile_id', 'profile.id')]),
          collection('profile', [key()]),
          collection('badge', [undirected('profile_id', 'profile.id')]),
        ],
      },
      'badge.profile_id',
      "rows of 'shop:profile' belong to the owners of the rows that refer to them",
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
      'nobody has said whose the rows are',
    ],
  ])('is open %s', (_, given, name, why) => {
    const said = decided(given)
    expect(said.references[name]).toBe('open')
    expect(said.why[name]).toContain(why)
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
      'one without a field',
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
      'one without a field',
      { collections: [customer, orders()], undescribed: ['orders.email'] },
      "'email' is named like",
    ],
  ])('%s', (_, given, why) => {
    const said = decided(given)
    const [name] = Object.keys(said.references) as [string]
    expect(said.references[name]).toBe('open')
    expect(said.why[name]).toContain(why)
  })

  it.each<[string, unknown]>([
    ['somebody has reviewed the column', field('approved_by', { reviewed: true })],
    ['its reference has a direction', references('approved_by', 'customer.id', 'none')],
    ['it is the key of the collection itself', field('customer_email', { reviewed: true })],
    ['its name suggests nothing', field('note')],
  ])('do not stop it where %s', (_, column) => {
    expect(decided({ collections: [customer, orders(column)] }).references).toMatchObject(names)
  })

  it('do not stop it for a column that refers to somebody, which is a candidate', () => {
    const said = decided({ collections: [customer, orders(undirected('user_id', 'customer.id'))] })
    expect(said.why['orders.user_id']).toContain('one of 2')
  })

  it('never give a row an owner', () => {
    const users = collection('users', [key(), field('user_email')])
    const said = decided({ collections: [users, collection('orders', [key(), undirected('user_id', 'users.id')])] })
    expect(said).toMatchObject({ people: [], owned: [], references: { 'orders.user_id': 'none' } })
  })
})

describe('a name that points to another person', () => {
  const staff = collection('staff', [key(), field('login', { identity: 'email' })])
  const users = collection('users', [key(), field('login', { identity: 'email' })])
  const name = (column: string) => field(column, {}, ['user.name'])
  const said = (table: string, reference: string, target: string, ...columns: unknown[]) => {
    const { references, why } = decided({
      collections: [staff, users, collection(table, [key(), undirected(reference, `${target}.id`), ...columns])],
    })
    return [references[`${table}.${reference}`], why[`${table}.${reference}`]]
  }

  it.each<[string, string, string, unknown]>([
    ['prescription', 'pharmacist_id', 'staff', field('patient_name')],
    ['prescription', 'pharmacist_id', 'staff', field('patientBirthDate')],
    ['prescription', 'pharmacist_id', 'staff', field('patient_phone')],
    ['claim', 'adjuster_id', 'staff', name('last_name')],
    ['claim', 'adjuster_id', 'staff', field('last_name')],
    ['delivery', 'guide_id', 'users', name('recipient_name')],
    ['tour', 'guide_id', 'users', field('guest_name')],
    ['tour', 'user_id', 'users', field('guest_name')],
    ['lesson', 'employee_id', 'staff', field('student_name')],
    ['lead', 'user_id', 'users', field('full_name')],
    ['candidates', 'user_id', 'users', name('label')],
    ['invoice', 'user_id', 'users', field('client_address')],
  ])('%s by %s leaves the reference open', (table, reference, target, column) => {
    const [meaning, why] = said(table, reference, target, column)
    expect(meaning).toBe('open')
    expect(why).toContain(`need not be the one that '${reference}' leads to`)
  })
  it('counts where no field describes it', () => {
    const lines = collection('claim', [key(), undirected('adjuster_id', 'staff.id')])
    const { references } = decided({ collections: [staff, lines], undescribed: ['claim.last_name'] })
    expect(references['claim.adjuster_id']).toBe('open')
  })
  it('counts in a table of people that belong to an owner', () => {
    const tables = (named: string) => [
      ...[users, collection('booking', [key(), undirected('user_id', 'users.id')])],
      collection(named, [key(), undirected('booking_id', 'booking.id'), name('full_name')]),
    ]
    expect(decided({ collections: tables('guests') }).references['guests.booking_id']).toBe('open')
    expect(decided({ collections: tables('address') }).references['address.booking_id']).toBe('owner*')
  })

  it.each<[string, string, string, readonly unknown[]]>([
    ['orders', 'customer_id', 'users', [name('shipping_name'), name('billing_name'), name('recipient_name')]],
    ['orders', 'buyer_id', 'users', [name('shipping_name'), field('buyer_name')]],
    ['payment_cards', 'customer_id', 'users', [name('cardholder_name')]],
    ['addresses', 'user_id', 'users', [name('full_name'), field('street')]],
    ['profiles', 'user_id', 'users', [name('first_name'), name('last_name')]],
    ['user_accounts', 'user_id', 'users', [name('last_name')]],
    ['comments', 'user_id', 'users', [name('author_name'), name('nick_name')]],
    ['tickets', 'user_id', 'users', [field('contact_name'), field('user_address')]],
    ['prescription', 'patient_id', 'staff', [name('patient_name')]],
    ['device', 'holder_id', 'staff', [field('user_ip_address'), field('file_name')]],
    ['note', 'staffer', 'staff', []],
    ['note', 'primary_user_id', 'users', []],
  ])('%s by %s is still inferred', (table, reference, target, columns) => {
    expect(said(table, reference, target, ...columns)[0]).toBe('owner*')
  })
  it.each<[string, string, string, readonly unknown[]]>([
    ['prescription', 'pharmacist_id', 'staff', [name('pharmacist_name'), field('medication')]],
    ['claim', 'adjuster_id', 'staff', [field('last_name', { reviewed: true })]],
    ['whistle', 'suspect_id', 'users', [field('statement')]],
    ['employee_record', 'boss', 'users', [field('salary')]],
    ['passenger', 'chauffeur_id', 'users', [field('seat')]],
    ['subscriber', 'newsletter_author', 'users', [field('ip')]],
    ['donation', 'recipient_id', 'users', [field('donor')]],
    ['inquiry', 'listing_owner_id', 'users', []],
  ])('%s by %s is open: it is not named for the owner of a row', (table, reference, target, columns) => {
    const [meaning, why] = said(table, reference, target, ...columns)
    expect(meaning).toBe('open')
    expect(why).toContain(`'${reference}' is not named for`)
  })
  it.each<[string, string, readonly unknown[], RegExp]>([
    ['comment', 'article', [], /'comment' is named like what other people do with rows of '.*article'/],
    ['survey_response', 'survey', [field('answers')], /'survey_response' is named like what/],
    ['flat_application', 'flat', [], /'flat_application' is named like what/],
    ['log', 'site', [field('visitor_ip')], /'visitor_ip' is about a person who need not be/],
    ['entry', 'book', [field('nickname')], /'nickname' is about a person who need not be/],
  ])('%s by a reference to %s, which belongs to a person, is open', (table, target, columns, why) => {
    const owned = collection(target, [key(), undirected('user_id', 'users.id')])
    const tables = [users, owned, collection(table, [key(), undirected(`${target}_id`, `${target}.id`), ...columns])]
    const meant = decided({ collections: tables })
    expect(meant.references[`${target}.user_id`]).toBe('owner*')
    expect(meant.why[`${table}.${target}_id`]).toMatch(why)
  })
  it('a part of what belongs to a person belongs to that person', () => {
    const orders = collection('orders', [key(), undirected('user_id', 'users.id')])
    for (const name of ['order_item', 'payment', 'shipment']) {
      const tables = [users, orders, collection(name, [key(), undirected('order_id', 'orders.id'), field('ip')])]
      expect(decided({ collections: tables }).references[`${name}.order_id`]).toBe('owner*')
    }
  })
  it('does not count where the reference is a key: the row is a part of the person', () => {
    const student = collection('student', [undirected('id', 'users.id'), name('last_name'), name('student_name')])
    expect(decided({ collections: [users, student] }).references['student.id']).toBe('owner*')
  })
})

describe('the reason why a reference of a collection with an identity stays open', () => {
  it.each([
    ['names the field that is taken for one', {}, ", because 'phone' is taken for one (identity_inferred)"],
    ['says no more where it is declared', { identity: 'phone_number' }, ''],
  ])('%s', (_, meta, because) => {
    const phone = field('phone', meta, ['user.contact.phone_number'])
    const collections = [customer, orders(phone)]
    const { value: dataset } = parseDataset({ service_key: 'shop', collections })
    const { owners } = describedOwnership([{ dataset }], { inferIdentities: true })
    const [meant] = owners.references.get('shop:orders') ?? []
    expect(meant?.why).toBe(`'shop:orders' has an identity of its own${because}`)
  })
})
