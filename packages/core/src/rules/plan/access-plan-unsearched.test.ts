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
  open,
  planned,
  reasons,
  to,
  types,
  undirected,
  wanted,
} from '../../../test/fixtures/planned-shop.js'
import { planText } from './plan-text.js'

describe('a collection that is not searched has one reason', () => {
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

  it('the text says which reference leads to a collection that is not searched, and what to do', () => {
    const note = collection('note', [from('customer_id', 'customer.id'), from('skipped_id', 'skipped.id'), wanted('x')])
    expect(planText(planned({ collections: [customer, address, skipped, note] }))).toContain(
      "rows that hold 'skipped_id' stay undecided: that refers to a collection that is not searched; let it be searched",
    )
  })

  it('is unreachable where nothing leads to a targeted collection, which is no error', () => {
    const plan = planned({ collections: [customer, address, stray] })
    expect(plan.unsearched).toEqual([{ address: 'shop:stray', reason: 'unreachable', targeted: true }])
    expect(errors(plan)).toEqual([])
    const plain = planned({ collections: [customer, address, collection('stray', [field('x')])] })
    expect(reasons(plain)).toEqual({ 'shop:stray': 'no target needs it' })
  })

  it('leaves out a collection whose rows are counted, and says what lies behind it', () => {
    const notes = collection('notes', [key(), undirected('customer_id', 'customer.id'), wanted('x')])
    const pages = collection('pages', [key(), from('note_id', 'notes.id'), wanted('x')])
    const plan = planned({ collections: [customer, address, notes, pages] })
    expect(open(plan)).toEqual(['notes.customer_id reference of notes'])
    expect(reasons(plan)).toEqual({ 'shop:pages': 'behind shop:notes' })
    const plain = collection('notes', [key(), undirected('customer_id', 'customer.id')])
    const below = planned({ collections: [customer, address, plain, pages] })
    expect(open(below)).toEqual(['notes.customer_id reference of notes'])
    expect(reasons(below)).toEqual({ 'shop:pages': 'behind shop:notes' })
  })

  it('says what lies behind a collection that only an unproven property would enter', () => {
    const plan = planned({
      collections: [
        collection('customer', [key(), field('email', { identity: 'email' }), wanted('a')]),
        collection('loyalty', [key(), field('phone', { identity: 'phone' }), wanted('a')]),
        collection('points', [key(), from('loyalty_id', 'loyalty.id'), wanted('a')]),
      ],
      identities: [['email'], ['email', 'phone']],
      options: { proven: ['email'] },
    })
    expect(addresses(plan)).toEqual(['customer'])
    expect(reasons(plan)).toEqual({ 'shop:loyalty': 'identity not proven', 'shop:points': 'behind shop:loyalty' })
    expect(errors(plan)).toEqual([])
  })

  it('lets an unproven property narrow the search of a proven one', () => {
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
    expect(plan.collections[0]?.identities.map(({ property }) => property)).toEqual(['email'])
    expect(plan.collections[0]?.judging.identities.map(({ property }) => property)).toEqual(['email', 'phone'])
  })

  it('says which collection only an unproven property would enter', () => {
    const plan = planned({
      collections: [customer, address, other],
      identities: [['email'], ['email', 'device_id']],
      options: { proven: ['email'] },
    })
    expect(reasons(plan)).toEqual({ 'shop:other': 'identity not proven' })
  })

  it('lies behind its owners where none of them is searched, even if other rows refer to it', () => {
    const plan = planned({
      collections: [
        customer,
        address,
        collection('account', [key(), field('login', { identity: 'login' }), wanted('a')]),
        collection('device', [key(), from('account_id', 'account.id'), wanted('a')]),
        collection('visit', [key(), from('customer_id', 'customer.id'), to('device_id', 'device.id'), wanted('a')]),
      ],
    })
    expect(addresses(plan)).toEqual(['customer', 'address', 'visit'])
    expect(reasons(plan)).toEqual({
      'shop:account': 'identity not provided login',
      'shop:device': 'behind shop:account',
    })
  })

  it('is searched where some of its owners are, or an identity enters it', () => {
    const account = collection('account', [key(), field('login', { identity: 'login' }), wanted('a')])
    const device = (...more: unknown[]) =>
      collection('device', [key(), from('account_id', 'account.id'), wanted('a'), ...more])
    const shared = planned({ collections: [customer, address, account, device(from('customer_id', 'customer.id'))] })
    expect(addresses(shared)).toContain('device')
    expect(shared.collections.at(-1)?.judging.owners).toMatchObject([
      { name: 'account_id' },
      { name: 'customer_id', entry: expect.any(Number) },
    ])
    expect(shared.collections.at(-1)?.judging.owners[0]).not.toHaveProperty('entry')
    const entered = planned({ collections: [customer, address, account, device(field('mail', { identity: 'email' }))] })
    expect(addresses(entered)).toContain('device')
    expect(reasons(entered)).toEqual({ 'shop:account': 'identity not provided login' })
  })
})

describe('identities', () => {
  const both = collection('account', [
    field('email', { identity: 'email' }, ['user']),
    field('phone', { identity: 'phone' }),
  ])
  const phoneOnly = collection('calls', [field('number', { identity: 'phone' }), wanted('note')])
  const entered = ({ collections }: ReturnType<typeof planned>) =>
    collections.map(({ entries }) => entries.map(({ fields }) => fields.map(({ name }) => name)))

  it('of one object apply together: each is an entry, and all of them judge found rows', () => {
    const plan = planned({ collections: [both], identities: [['email', 'phone']] })
    expect(entered(plan)).toEqual([[['email'], ['phone']]])
    expect(plan.collections[0]).toMatchObject({
      identities: [
        { entry: 0, object: 0, property: 'email', needsConfirmation: false },
        { entry: 1, object: 0, property: 'phone', needsConfirmation: false },
      ],
      judging: { identities: [{ property: 'email' }, { property: 'phone' }] },
    })
  })
  it('are alternatives between objects', () => {
    const plan = planned({ collections: [both], identities: [['email'], ['phone']] })
    expect(entered(plan)).toEqual([[['email'], ['phone']]])
    expect(plan.collections[0]?.identities.map(({ object }) => object)).toEqual([0, 1])
  })
  it('enter a collection of fewer properties only when confirmed (recycled phone)', () => {
    const plan = planned({ collections: [both, phoneOnly], identities: [['email', 'phone']] })
    expect(plan.identities).toEqual([
      { properties: ['email', 'phone'], alone: [], confirmedBy: ['shop:account'], unconfirmable: [] },
    ])
    expect(plan.collections[1]?.identities[0]?.needsConfirmation).toBe(true)
  })
  it('enter nothing where no collection holds two of one object', () => {
    const plan = planned({ collections: [customer, address, phoneOnly], identities: [['email', 'phone']] })
    expect(plan.identities).toMatchObject([{ confirmedBy: [], unconfirmable: ['email', 'phone'] }])
    expect(addresses(plan)).toEqual([])
    expect(reasons(plan)).toEqual({
      'shop:customer': 'identity not confirmed',
      'shop:address': 'behind shop:customer',
      'shop:calls': 'identity not confirmed',
    })
    expect(planText(plan)).toContain('Without confirmation, so that they find nothing: email, phone')
  })
  it('that no dataset knows are an error with the known ones, or a warning besides a known one', () => {
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
