import type { Identity } from '@habeas/core'
import { describe, expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { type ErasedShop, from, kept, key, plain, shopWorld, tableWith } from './described-erasure.js'

const ann = { email: 'ann@example.com' }
const email = field('email', { identity: 'email' })
const phone = field('phone', { identity: 'phone_number' })

const erased = async (collections: readonly object[], database: ErasedShop['database'], ...identities: Identity[]) =>
  erasedOver('postgres', collections, database, ...identities)

const erasedOver = async (
  type: string,
  collections: readonly object[],
  database: ErasedShop['database'],
  ...identities: Identity[]
) => {
  await using world = await shopWorld({ database, collections, type })
  const end = await world.erase(...(identities.length > 0 ? identities : [ann]))
  expect([end.status, end.failure]).toEqual(['complete', undefined])
  const receipt = await world.privacy.requests.receipt(end.id)
  expect(receipt.identityRemains).toEqual(end.identityRemains)
  return { remains: end.identityRemains, isErased: await world.privacy.isErased(ann) }
}

const customers = tableWith({ id: 'integer', email: 'string', name: 'string' }, [[1, ann.email, 'Ann']])
const customer = collection('customer', [key, email, field('name')])

describe('an identity is reported to remain', () => {
  test('nowhere, where a row of which nothing is erased was found by something else and holds no identity', async () => {
    const visits = collection('visit', [key, from('customer_id', 'customer.id'), kept(email), plain('page')])
    const visit = (held: string | null) =>
      tableWith({ id: 'integer', customer_id: 'integer', email: 'string', page: 'string' }, [[5, 1, held, '/']])
    const clone = () => structuredClone(customers)
    const photos = collection('photo', [key, from('visit_id', 'visit.id'), field('name')])
    const photo = tableWith({ id: 'integer', visit_id: 'integer', name: 'string' }, [[7, 5, 'me.png']])
    const none = await erased([customer, visits, photos], { customer: clone(), visit: visit(null), photo })
    expect(none).toEqual({ remains: undefined, isErased: true })
    const held = await erased([customer, visits, photos], {
      customer: clone(),
      visit: visit('ANN@example.com'),
      photo: structuredClone(photo),
    })
    expect(held).toEqual({ remains: ['shop:visit.email'], isErased: false })
  })

  test('in a computed column only where the text stays of which it is computed', async () => {
    const mail = tableWith({ id: 'integer', email: 'string', folded: 'string', backup: 'string', copied: 'string' }, [
      [2, 'ANN@example.com', ann.email, null, null],
    ])
    const computed = (name: string) => (name === 'folded' || name === 'copied' ? { generated: true as const } : {})
    const database = {
      mail: { ...mail, columns: (mail.columns ?? []).map((column) => ({ ...column, ...computed(column.name) })) },
    }
    const identity = (name: string, categories?: readonly string[]) => field(name, { identity: 'email' }, categories)
    const erasing = [collection('mail', [key, identity('email'), identity('folded', [])])]
    expect(await erased(erasing, structuredClone(database))).toEqual({ remains: undefined, isErased: true })
    const keeping = [collection('mail', [key, kept(identity('email')), identity('folded', []), field('backup')])]
    const row = { ...mail.rows[0], backup: 'x' }
    const left = await erased(keeping, structuredClone({ mail: { ...database.mail, rows: [row] } }))
    expect(left).toEqual({ remains: ['shop:mail.email', 'shop:mail.folded'], isErased: false })
  })

  test('in the field that holds it, not in every field by which rows were searched for', async () => {
    const mails = collection('mail', [key, kept(email), field('backup', { identity: 'email' }, []), plain('code')])
    const opened = collection('opened', [key, from('mail_id', 'mail.id'), field('device')])
    const remains = await erased([customer, mails, opened], {
      customer: structuredClone(customers),
      mail: tableWith({ id: 'integer', email: 'string', backup: 'string', code: 'string' }, [
        [2, null, ann.email, 'x'],
      ]),
      opened: tableWith({ id: 'integer', mail_id: 'integer', device: 'string' }, [[3, 2, 'phone']]),
    })
    expect(remains).toEqual({ remains: ['shop:mail.backup'], isErased: false })
  })

  test('in each field that holds one of several identities', async () => {
    const cards = collection('card', [key, kept(email), kept(phone)], { owner: ['email'] })
    const used = collection('used', [key, from('card_id', 'card.id'), field('place')])
    const remains = await erased(
      [customer, cards, used],
      {
        customer: structuredClone(customers),
        card: tableWith({ id: 'integer', email: 'string', phone: 'string' }, [[2, ann.email, '555']]),
        used: tableWith({ id: 'integer', card_id: 'integer', place: 'string' }, [[3, 2, 'Köln']]),
      },
      ann,
      { phone_number: '555' },
    )
    expect(remains).toEqual({ remains: ['shop:card.email', 'shop:card.phone'], isErased: false })
  })

  test('in the member of an object that stays, and not in the one that goes', async () => {
    const contact = {
      name: 'contact',
      data_categories: [],
      service_meta: { data_type: 'object' },
      fields: [field('mail', { identity: 'email' }), field('backup', { identity: 'email' }, [])],
    }
    const document = { mail: ann.email, backup: ann.email }
    const remains = await erasedOver('mongodb', [collection('customer', [key, contact])], {
      customer: { schemaless: true, columns: [], primaryKey: ['id'], rows: [{ id: 1, contact: document }] },
    })
    expect(remains).toEqual({ remains: ['shop:customer.contact.backup'], isErased: false })
  })

  test.each([
    ['a key', {}, 'key'],
    ['what a reference leads to', {}, 'key'],
    ['kept by a retention', { retain: { reason: 'tax law' } }, 'tax law'],
  ])('in a field of a masked row that is %s', async (what, meta, reason) => {
    const login = field('email', { identity: 'email', ...meta })
    const keys = [what === 'a key' ? 'email' : 'id']
    await using world = await shopWorld({
      database: {
        account: tableWith(
          { id: 'integer', email: 'string', name: 'string' },
          [
            [1, ann.email, 'Ann'],
            [2, 'bob@example.com', 'Bob'],
          ],
          { keys },
        ),
        session: tableWith({ id: 'integer', login: 'string', device: 'string' }, [
          [10, ann.email, 'hers'],
          [11, 'bob@example.com', 'his'],
        ]),
      },
      collections: [
        collection('account', [plain('id'), login, field('name')]),
        ...(what === 'what a reference leads to'
          ? [collection('session', [key, from('login', 'account.email'), field('device')])]
          : []),
      ],
    })
    const end = await world.erase(ann)
    // What refers to it stays as well.
    const remains = ['shop:account.email', ...(what === 'what a reference leads to' ? ['shop:session.login'] : [])]
    expect([end.status, end.failure, end.identityRemains]).toEqual(['complete', undefined, remains])
    const receipt = await world.privacy.requests.receipt(end.id)
    expect(receipt.identityRemains).toEqual(remains)
    expect(receipt.collections.find((each) => each.collection === 'account')?.fields).toContainEqual(
      expect.objectContaining({ field: 'email', outcome: 'retained', reason }),
    )
    const { request } = await world.privacy.requests.exportEvidence(end.id)
    expect(request.identityRemains).toEqual(remains)
    expect(world.rows()['account']).toEqual([
      { id: 1, email: ann.email, name: null },
      { id: 2, email: 'bob@example.com', name: 'Bob' },
    ])
    const goes = what === 'what a reference leads to' ? null : 'hers'
    expect(world.rows()['session']?.map(({ device }) => device)).toEqual([goes, 'his'])
    expect(await world.privacy.isErased(ann)).toBe(false)
  })

  test.each([
    ['kept in the row itself', field('billing_email', { retain: { reason: 'tax' } }), {}],
    ['in an order that is kept', field('billing_email'), { retain: { reason: 'tax' } }],
  ])('in a field that is no identity, %s', async (_, billing, meta) => {
    const orders = collection('orders', [key, from('customer_id', 'customer.id'), billing, field('street')], meta)
    const remains = await erased([customer, orders], {
      customer: structuredClone(customers),
      orders: tableWith({ id: 'integer', customer_id: 'integer', billing_email: 'string', street: 'string' }, [
        [4, 1, 'Ann@Example.com', 'Lane'],
      ]),
    })
    expect(remains).toEqual({ remains: ['shop:orders.billing_email'], isErased: false })
  })

  test('nowhere, where the rows that hold it are erased', async () => {
    expect(await erased([customer], { customer: structuredClone(customers) })).toEqual({
      remains: undefined,
      isErased: true,
    })
  })
})
