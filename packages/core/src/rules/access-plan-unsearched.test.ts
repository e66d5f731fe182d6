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
  planned,
  reasons,
  types,
  wanted,
} from '../../test/fixtures/planned-shop.js'

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
