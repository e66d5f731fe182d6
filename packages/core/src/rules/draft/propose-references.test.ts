import { describe, expect, it } from 'vitest'
import { proposed, table, users } from '../../../test/fixtures/drafted-tables.js'
import type { CatalogueCollection } from '../../model/catalogue.js'
import { draftDataset } from './draft-dataset.js'

describe('references without a foreign key', () => {
  it('are proposed by the name of the table, nearest first', () => {
    const found = proposed(
      users,
      'addresses(id!, street)',
      'orders(id!, user_id, shipping_address_id?, owner_id, approver_id, order_id)',
    )
    expect(found).toMatchObject({
      'orders.user_id:reference': 0.85,
      'orders.shipping_address_id:reference': 0.7,
      'orders.owner_id:reference': 0.5,
      'orders.shipping_address_id:to': 0.7,
    })
    expect(found).not.toHaveProperty('orders.approver_id:reference')
    expect(found['orders.order_id:reference']).toBe(0.5)
  })

  it('are proposed where the word for a key comes first', () => {
    const found = proposed(users, 'orders(id_order!, id_user)', 'lines(id!, id_order, id_tag)')
    expect(found).toMatchObject({
      'orders.id_user:reference': 0.85,
      'orders.id_user:from': 0.85,
      'lines.id_order:reference': 0.85,
    })
    expect(found).not.toHaveProperty('orders.id_order:reference')
  })

  it('are asked about where only the word for a person differs and there is one table of people', () => {
    const found = proposed(users, 'visits(id!, patient_id, guide_id, approver_id)')
    expect(found).toMatchObject({ 'visits.patient_id:reference': 0.3 })
    expect(Object.keys(found).filter((id) => id.startsWith('visits.') && !id.startsWith('visits.patient_id'))).toEqual(
      [],
    )
    // Nothing follows from it: no direction, and no owner.
    expect(found).not.toHaveProperty('visits.patient_id:from')
    const several = proposed(users, 'members(id!, name, email)', 'visits(id!, patient_id)')
    expect(several).not.toHaveProperty('visits.patient_id:reference')
  })

  it('are not proposed where the kinds differ, two tables are equally near, or the column is the key of its own table', () => {
    const text = { ...table('notes(id!, user_id)') }
    const notes = { ...text, columns: text.columns.map((each) => ({ ...each, kind: 'string' as const })) }
    const alone = draftDataset({ collections: [table(users), notes] }, { key: 'shop' }).proposals
    expect(alone.filter(({ kind }) => kind === 'reference')).toEqual([])
    expect(proposed('blog_users(id!)', 'shop_users(id!)', 'orders(id!, user_id)')).not.toHaveProperty(
      'orders.user_id:reference',
    )
    expect(proposed('user(user_id!)', 'orders(order_id!)', 'guest_orders(id!)')).not.toHaveProperty(
      'orders.order_id:reference',
    )
    // A part of the key also refers to no other table, even if its name ends like one.
    const parts = proposed(users, 'address(id!, street)', 'email_address(user_id!>users, email_address_id!, email)')
    expect(Object.keys(parts).filter((id) => id.startsWith('email_address.email_address_id:'))).toEqual([])
    // Numbers that count within the key, or that belong to the row itself, refer to nothing either.
    const bills = ['bills(id!, bill_no*)', 'bill_lines(bill_no!, line_no!)', 'chat_lines(id!)']
    const numbers = Object.keys(proposed(...bills)).filter((id) => id.endsWith(':reference'))
    expect(numbers).toEqual(['bill_lines.bill_no:reference'])
  })

  it('depend on the type column, by its listed values or by the name of a class', () => {
    const log = table('log(id!, owner_type, owner_id)')
    const listed = log.columns.map((each) =>
      each.name === 'owner_type' ? { ...each, values: ['user', 'order'] } : each,
    )
    const of = (collection: CatalogueCollection) =>
      draftDataset(
        { collections: [table(users), table('orders(id!, user_id>users)'), collection] },
        { key: 'shop' },
      ).proposals.flatMap((each) => (each.kind === 'reference' ? [[each.id, each.references, each.confidence]] : []))
    expect(of(log)).toEqual([
      ['log.owner_id:reference', { dataset: 'shop', field: 'users.id', when: { owner_type: 'User' } }, 0.5],
    ])
    for (const [type, id] of [
      ['bezug_typ', 'bezug_id'],
      ['objekt_art', 'objekt_id'],
      ['owner_kind', 'owner_id'],
    ])
      expect(of(table(`log(id!, ${type}, ${id})`))).toMatchObject([
        [`log.${id}:reference`, { when: { [type as string]: 'User' } }, 0.5],
      ])
    expect(of(table('log(id!, user_art, user_id)'))).toEqual([
      ['log.user_id:reference', { dataset: 'shop', field: 'users.id' }, 0.85],
    ])
    const kinds = listed.map((each) => ({ ...each, name: each.name.replace('type', 'kind') }))
    expect(of({ ...log, columns: kinds })).toMatchObject([
      ['log.owner_id>users:reference', { when: { owner_kind: 'user' } }, 0.85],
      ['log.owner_id>orders:reference', { when: { owner_kind: 'order' } }, 0.85],
    ])
    expect(of({ ...log, columns: listed })).toEqual([
      ['log.owner_id>users:reference', { dataset: 'shop', field: 'users.id', when: { owner_type: 'user' } }, 0.85],
      ['log.owner_id>orders:reference', { dataset: 'shop', field: 'orders.id', when: { owner_type: 'order' } }, 0.85],
    ])
  })

  it('are proposed where a column has the very name of the key of one other table', () => {
    const badges = 'badges(badge_code!, user_id>users)'
    const of = (...tables: string[]) =>
      Object.keys(proposed(users, ...tables)).filter((id) => id.endsWith(':reference'))
    expect(of(badges, 'scans(id!, badge_code, remarks)')).toEqual(['scans.badge_code:reference'])
    expect(of('cars(plate!, user_id>users)', 'fines(id!, plate)')).toEqual(['fines.plate:reference'])
    expect(of('members(id!, card_code*, user_id>users)', 'doors(id!, card_code)')).toEqual([
      'doors.card_code:reference',
    ])
    // not where several tables have such a key, where any table may have one, or where it is the key of the row
    expect(of(badges, 'locks(badge_code!)', 'scans(id!, badge_code)')).toEqual([])
    expect(of('rates(code!)', 'scans(id!, code)')).toEqual([])
    expect(of('letters(email!)', 'scans(id!, email)')).toEqual([])
  })

  it('lead to the number of a table rather than to its key, where the column is named like a number', () => {
    const of = (members: string, column: string) =>
      draftDataset(
        { collections: [table(members), table(`dues(id!, ${column}, remark)`)] },
        { key: 'shop' },
      ).proposals.filter(({ kind }) => kind === 'reference')
    expect(of('members(id!, nr*, email*)', 'member_no')).toMatchObject([{ references: { field: 'members.nr' } }])
    expect(of('members(id!, member_number*, email*)', 'member_no')).toMatchObject([
      { references: { field: 'members.member_number' } },
    ])
    expect(of('members(id!, legacy_id*, email*)', 'legacy_member_id')).toMatchObject([
      { references: { field: 'members.legacy_id' } },
    ])
    expect(of('members(id!, external_ref*, email*)', 'member_ref')).toMatchObject([
      { references: { field: 'members.external_ref' } },
    ])
    // with two numbers nothing says which; an id leaves no doubt
    expect(of('members(id!, nr*, old_no*, email*)', 'member_no')).toEqual([])
    expect(of('members(id!, nr*, email*)', 'member_id')).toMatchObject([{ references: { field: 'members.id' } }])
  })
})
