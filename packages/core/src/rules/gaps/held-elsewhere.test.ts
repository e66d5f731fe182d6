import { describe, expect, it } from 'vitest'
import { id, live, referencing } from '../../../test/fixtures/covered-shop.js'
import { atOnce } from '../../model/at-once.js'
import type { CatalogueCollection, ForeignKey } from '../../model/catalogue.js'
import { parseDataset } from '../../model/dataset.js'
import { descriptionGaps } from './description-gaps.js'

const email = { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } }
const customer = { name: 'customer', fields: [id, email] }
const waived = { waived: { reason: 'another team answers for it' } }
const over = (column: string, collection: string, schema?: string): ForeignKey => ({
  ...referencing(collection, schema),
  columns: [column],
})
const source = (key: string, schema: string, collections: object[], tables: CatalogueCollection[]) => {
  const { value: dataset } = parseDataset({ service_key: key, collections })
  return { dataset, connection: { key, disabled: false }, catalogue: { collections: tables, schema } }
}
const gapsOf = (...described: ReturnType<typeof source>[]) =>
  atOnce(descriptionGaps({ described, today: '2026-01-01', inferIdentities: true }))
const told = (...described: ReturnType<typeof source>[]) =>
  gapsOf(...described).map(({ dataset, kind, collection, field = '', path }) => [
    dataset,
    kind,
    collection,
    field,
    path,
  ])

describe('what holds rows of a table in another schema', () => {
  const held = live('customer', ['id', 'email'], {
    heldIn: [
      { schema: 'crm', collection: 'kid', as: 'child' },
      { schema: 'crm', collection: 'report', as: 'materialized view' },
    ],
  })
  const grandchild = live('grandchild', ['id'], { inheritsFrom: ['crm.kid'] })
  const shop = (collections: object[], ...more: CatalogueCollection[]) =>
    source('shop', 'public', collections, [held, ...more])
  const fields = [id, { name: 'email', data_categories: ['user.contact.email'] }]
  const kid = live('kid', ['id', 'email'], { inheritsFrom: ['public.customer'] })
  const report = live('report', ['id', 'email'], {
    view: { writable: false, shows: ['elsewhere.customer'], stored: true },
  })

  it('is named with its schema and what to do, and so is what is behind it', () => {
    expect(told(shop([customer], grandchild))).toEqual([
      ['shop', 'table', 'crm.kid', '', 'crm.kid inherits from shop:customer'],
      ['shop', 'table', 'crm.report', '', 'crm.report shows shop:customer'],
      ['shop', 'table', 'grandchild', '', 'grandchild inherits from crm.kid inherits from shop:customer'],
    ])
    expect(gapsOf(shop([customer]))[0]?.message).toBe(
      "Nobody has described 'crm.kid', and its rows lead to a person: describe it behind a connection of its own, whose db_schema is 'crm', or waive it in the dataset 'shop' with a reason (service_meta: {waived: {reason: …}}).",
    )
  })

  it('is not named once it is waived under its whole name, and what is behind it is', () => {
    const names = ['crm.kid', 'crm.report'].map((name) => ({ name, service_meta: waived }))
    expect(told(shop([customer, ...names]))).toEqual([])
    expect(told(shop([customer, ...names], grandchild)).map(([, , collection]) => collection)).toEqual(['grandchild'])
  })

  it('is asked for behind the connection that reads its schema, and not once it is described there', () => {
    expect(told(shop([customer]), source('crm', 'crm', [], [kid, report]))).toEqual([
      ['crm', 'table', 'kid', '', 'kid inherits from shop:customer'],
      ['crm', 'table', 'report', '', 'report shows shop:customer'],
    ])
    const described = [
      { name: 'kid', fields },
      { name: 'report', service_meta: { skip_processing: true } },
    ]
    expect(told(shop([customer]), source('crm', 'crm', described, [kid, report]))).toEqual([])
  })

  it('is another one where a table of its name lies in a third schema, or neither inherits nor keeps rows', () => {
    const described = [
      { name: 'kid', fields },
      { name: 'report', fields },
    ]
    const tables = [kid, report]
    const plain = tables.map(({ name }) => live(name, ['id', 'email']))
    for (const other of [source('crm', 'old', described, tables), source('crm', 'crm', described, plain)])
      expect(told(shop([customer]), other).map(([, , collection]) => collection)).toEqual(['crm.kid', 'crm.report'])
  })
})

describe('a table with a foreign key into another schema', () => {
  const pointed = live('customer', ['id', 'email'], {
    incomingForeignKeys: [
      { name: 'far', schema: 'crm', collection: 'account', columns: ['cid'], references: ['id'], onDelete: 'cascade' },
    ],
  })
  const ticket = live('ticket', ['id', 'acc'], { foreignKeys: [over('acc', 'account', 'crm')] })
  const ofShop = (...collections: object[]) =>
    told(source('shop', 'public', [customer, ...collections], [pointed, ticket]))
  const path = 'crm.account.cid → shop:customer'
  const account = { name: 'crm.account', service_meta: waived }
  const behind = ['shop', 'table', 'ticket', '', `ticket.acc → ${path}`]

  it('is named where the table there leads to a person, whether or not that is waived', () => {
    expect(ofShop()).toEqual([['shop', 'table', 'crm.account', '', path], behind])
    expect(ofShop(account)).toEqual([behind])
    const other = live('ticket', ['id', 'acc'], { foreignKeys: [over('acc', 'product', 'crm')] })
    expect(told(source('shop', 'public', [customer, account], [pointed, other]))).toEqual([])
  })

  it('may hold rows of people where it is described, until somebody has decided on the key', () => {
    const described = (meta: object) => ({ name: 'ticket', fields: [id, { name: 'acc', service_meta: meta }] })
    expect(ofShop(account, described({}))).toEqual([['shop', 'reference', 'ticket', 'acc', `shop:${behind[4]}`]])
    expect(ofShop(account, described(waived))).toEqual([])
  })
})
