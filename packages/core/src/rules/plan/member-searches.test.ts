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
  planned,
  reasons,
  to,
  undirected,
  wanted,
} from '../../../test/fixtures/planned-shop.js'
import type { ErasureTargets } from '../erase/field-decisions.js'
import type { Plan } from './plan.js'
import { planText } from './plan-text.js'

const inside = (name: string, ...fields: unknown[]) => ({ ...field(name), fields })
const everything: ErasureTargets = (_, { categories }) =>
  categories.includes('user') ? { rule: 'r', strategy: undefined, own: true } : undefined
const members = (plan: Plan) =>
  plan.findings.flatMap(({ type, loc, message }) =>
    type === 'unsearchable_member' ? [`${loc.join('.')}: ${/whole: (.*?)\./.exec(message)?.[1]}`] : [],
  )

const profile = collection('profile', [key(), inside('data', from('customer_id', 'customer.id')), wanted('bio')])
const visits = collection('visits', [key(), from('profile_id', 'profile.id'), wanted('page')])

describe('a connector that searches columns only as a whole', () => {
  it('leaves a collection out that would be searched by a member, and what lies behind it', () => {
    const given = { collections: [customer, address, profile, visits] }
    expect(reasons(planned(given))).toEqual({})
    const plan = planned({ ...given, wholeColumns: true })
    expect(addresses(plan)).toEqual(['customer', 'address'])
    expect(reasons(plan)).toEqual({
      'shop:profile': 'members not searchable data.customer_id',
      'shop:visits': 'behind shop:profile',
    })
    expect(members(plan)).toEqual(["shop.profile.data.customer_id: 'shop:profile' is not searched"])
    expect(errors(plan)).toEqual([])
    expect(planText(plan)).toContain(
      '- shop:profile: members not searchable: data.customer_id (the policy asks for its fields)',
    )
  })

  it('leaves a collection out whose identity is a member, if the request has that identity', () => {
    const people = collection('people', [
      key(),
      field('email', { identity: 'email' }),
      inside('data', field('phone', { identity: 'phone' })),
      wanted('name'),
    ])
    expect(reasons(planned({ collections: [people], wholeColumns: true }))).toEqual({})
    const plan = planned({ collections: [people], wholeColumns: true, identities: [['email'], ['phone']] })
    expect(reasons(plan)).toEqual({ 'shop:people': 'members not searchable data.phone' })
  })

  it('leaves a collection out over a condition on a member', () => {
    const notes = collection('notes', [
      key(),
      from('owner_id', 'customer.id', { when: { 'data.type': 'customer' } }),
      inside('data', field('type')),
      wanted('text'),
    ])
    const plan = planned({ collections: [customer, address, notes], wholeColumns: true })
    expect(reasons(plan)).toEqual({ 'shop:notes': 'members not searchable data.type' })
  })

  it('follows members from rows that were found otherwise', () => {
    const people = collection('people', [
      key(),
      field('email', { identity: 'email' }),
      inside('data', to('address_id', 'address.id')),
      wanted('name'),
    ])
    const plan = planned({ collections: [people, address], wholeColumns: true })
    expect(links(plan)).toEqual(['people.data.address_id ~> address'])
    expect(members(plan)).toEqual([])
  })

  it('does not erase what would have to be checked by a member once more', () => {
    const people = collection('people', [inside('data', field('id')), field('email', { identity: 'email' }, ['user'])])
    const orders = collection('orders', [key(), from('person_id', 'people.data.id'), wanted('note')])
    const given = { collections: [people, orders], wholeColumns: true }
    expect(reasons(planned(given))).toEqual({})
    const plan = planned({ ...given, erasureTargets: everything })
    expect(reasons(plan)).toEqual({ 'shop:orders': 'members not searchable shop:people.data.id' })
    expect(members(plan)).toEqual(["shop.people.data.id: 'shop:orders' is not searched"])
  })

  it('names rows that it cannot count', () => {
    const notes = collection('notes', [key(), inside('data', undirected('customer_id', 'customer.id')), wanted('text')])
    const plan = planned({ collections: [customer, address, notes], wholeColumns: true })
    expect(open(plan)).toEqual(['notes.data.customer_id reference of notes'])
    expect(plan.open[0]?.uncounted).toBe(true)
    expect(members(plan)).toEqual([
      "shop.notes.data.customer_id: rows of 'shop:notes' that may be the person's are not counted, and are left alone",
    ])
    expect(planned({ collections: [customer, address, notes] }).open[0]).not.toHaveProperty('uncounted')
  })

  it('says that rows stay to which members of others may refer', () => {
    const parcels = collection('parcels', [key(), inside('data', to('address_id', 'address.id')), wanted('note')])
    const plan = planned({
      collections: [customer, address, parcels],
      wholeColumns: true,
      erasureTargets: everything,
    })
    expect(members(plan)).toEqual([
      "shop.parcels.data.address_id: rows of 'shop:address' to which others may refer stay when the person is erased",
    ])
  })
})

describe('a collection that is looked up by some columns only', () => {
  const members = collection('members', [key(), field('email', { identity: 'email' }, ['user']), wanted('nick')])
  const coupons = (reference: object) => collection('coupons', [key(), reference, wanted('code')])
  const catalogue = {
    collections: [
      live('members', ['email', 'id', 'nick'], { primaryKey: ['email', 'id'], lookups: ['email'] }),
      live('coupons', ['id', 'member_id', 'member_email', 'code'], { primaryKey: ['id'] }),
    ],
  }
  const columns = (plan: Plan) =>
    plan.findings.flatMap(({ type, loc, message }) =>
      type === 'unsearchable_column' ? [[loc.join('.'), message]] : [],
    )

  it('leaves out of an erasure what refers to it by another column, and says so', () => {
    const given = { collections: [members, coupons(from('member_id', 'members.id'))], catalogue }
    const access = planned(given)
    expect([reasons(access), columns(access)]).toEqual([{}, []])
    const erasure = planned({ ...given, erasureTargets: everything })
    expect(addresses(erasure)).toEqual(['members'])
    expect(reasons(erasure)).toEqual({ 'shop:coupons': 'columns not searchable shop:members.id' })
    expect(columns(erasure)).toEqual([
      [
        'shop.members.id',
        "'shop:members' can be looked up by email only, and not by 'id': 'shop:coupons' is not searched. Refer to a column by which its rows are looked up, or give the reference the direction 'none'.",
      ],
    ])
  })

  it('searches what refers to it by the column', () => {
    const given = { collections: [members, coupons(from('member_email', 'members.email'))], catalogue }
    const erasure = planned({ ...given, erasureTargets: everything })
    expect([addresses(erasure), columns(erasure)]).toEqual([['members', 'coupons'], []])
  })

  it('is not searched itself by another column', () => {
    const bought = collection('members', [key(), from('customer_id', 'customer.id'), wanted('nick')])
    const plan = planned({
      collections: [customer, address, bought],
      catalogue: { collections: [live('members', ['email', 'id', 'customer_id', 'nick'], { lookups: ['email'] })] },
    })
    expect(reasons(plan)).toEqual({ 'shop:members': 'columns not searchable customer_id' })
  })
})
