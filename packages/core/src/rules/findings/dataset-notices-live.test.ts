import { describe, expect, test } from 'vitest'
import { customer, type Fields, findings, places, shop } from '../../../test/fixtures/dataset-findings.js'
import type { Catalogue, Column } from '../../model/catalogue.js'
import { parseDataset } from '../../model/dataset.js'
import type { ValueKind } from '../../model/value.js'

describe('findings about a dataset and its live schema', () => {
  test('contradictions between the live schema and the description', () => {
    const column = (name: string) => ({ name, type: 'text', nullable: true })
    const table = { uniqueKeys: [], foreignKeys: [], indexes: [] }
    const catalogue: Catalogue = {
      collections: [
        {
          ...table,
          name: 'customer',
          primaryKey: ['uid'],
          hidesRows: true as const,
          keepsHistoryDays: 8,
          columns: [column('uid'), column('id'), column('phone')],
        },
      ],
    }
    const orders: Fields = { id: { meta: { primary_key: true, identity: 'order' } } }
    expect(places(findings([shop({ customer, orders })], { catalogue }))).toEqual([
      'warning primary_key_differs shop/customer',
      'warning hidden_rows shop/customer',
      'info history_kept shop/customer',
      'warning missing_column shop/customer/email',
      'info undescribed_column shop/customer/uid',
      'info undescribed_column shop/customer/phone',
      'warning missing_collection shop/orders',
    ])
  })

  test('missing_collection names the nearest known name', () => {
    const table = { primaryKey: ['id'], uniqueKeys: [], foreignKeys: [], indexes: [], columns: [] }
    const collections = ['order', 'customers'].map((name) => ({ ...table, name }))
    const found = findings([shop({ customer })], { catalogue: { collections } })
    expect(found.map(({ message }) => message)).toContain(
      "'shop:customer' is described, but its database has no such table: correct the name, such as to 'customers', set 'skip_processing', or remove it.",
    )
  })

  test('missing_collection names no table that is described, however near its name is', () => {
    const table = { primaryKey: ['id'], uniqueKeys: [], foreignKeys: [], indexes: [], columns: [] }
    const collections = ['order', 'customers'].map((name) => ({ ...table, name }))
    const found = findings([shop({ customer, customers: customer })], { catalogue: { collections } })
    const [missing] = found.filter(({ type }) => type === 'missing_collection')
    expect(missing?.loc).toEqual(['shop', 'customer'])
    expect(missing?.message).not.toContain("'customers'")
  })

  test('empty_connection: the database shows nothing', () => {
    const found = findings([shop({})], { catalogue: { collections: [] } })
    expect(found).toEqual([
      {
        ...{ type: 'empty_connection', severity: 'warning', loc: ['shop'] },
        message:
          "The connection of 'shop' shows no table or collection: check the names of its database and schema, and what its user may see.",
      },
    ])
  })

  test('hidden_rows and history_kept speak of no database in particular', () => {
    const table = { name: 'customer', primaryKey: ['id'], uniqueKeys: [], foreignKeys: [], indexes: [] }
    const columns = ['id', 'email'].map((name) => ({ name, type: 'text', nullable: false }))
    const collections = [{ ...table, columns, hidesRows: true as const, keepsHistoryDays: 14 }]
    expect(findings([shop({ customer })], { catalogue: { collections } }).map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^The database may hide rows of 'shop:customer', or mask values .* Let this user see every row/,
      ),
      expect.stringMatching(
        /^The database keeps the old values of a row of 'shop:customer' for 14 days .* names the day\./,
      ),
    ])
  })

  test('column_without_members: fields inside a column that holds no objects', () => {
    const column = (name: string, kind?: ValueKind) => ({
      name,
      type: `a ${kind}`,
      nullable: true,
      ...(kind && { kind }),
    })
    const inside = (name: string) => ({ name, fields: [{ name: 'a', fields: [{ name: 'b' }] }, { name: 'c' }] })
    const names = ['text', 'row', 'numbers', 'json', 'list', 'gone']
    const described = parseDataset({
      service_key: 'shop',
      collections: [
        { name: 'log', fields: [{ name: 'id', service_meta: { identity: 'email' } }, ...names.map(inside)] },
      ],
    }).value
    const columns = [
      ...[column('id', 'string'), column('text', 'string'), column('row'), column('json', 'object')],
      ...[
        { ...column('numbers', 'integer'), array: true },
        { ...column('list', 'object'), array: true },
      ],
    ]
    const table = { name: 'log', columns, primaryKey: ['id'], uniqueKeys: [], foreignKeys: [], indexes: [] }
    expect(places(findings([described], { catalogue: { collections: [table] } }))).toEqual([
      'warning column_without_members shop/log/text',
      'warning column_without_members shop/log/row',
      'warning column_without_members shop/log/numbers',
      'warning missing_column shop/log/gone',
    ])
    const documents = { ...table, schemaless: true }
    expect(places(findings([described], { catalogue: { collections: [documents] } }))).toEqual([])
  })

  test('missing_column: members that the type of an object does not list', () => {
    const member = (name: string, members?: Column[]): Column => ({
      ...{ name, type: members ? 'STRUCT' : 'STRING', nullable: true, kind: members ? 'object' : 'string' },
      ...(members && { members }),
    })
    const user = member('user', [
      member('note'),
      member('home', [member('city')]),
      { ...member('data'), kind: 'object' },
    ])
    const fields = [
      { name: 'Note' },
      { name: 'note' },
      { name: 'home', fields: [{ name: 'city' }, { name: 'zip' }] },
      { name: 'data', fields: [{ name: 'anything' }] },
    ]
    const described = parseDataset({
      service_key: 'shop',
      collections: [
        {
          name: 'log',
          fields: [
            { name: 'id', service_meta: { identity: 'email' } },
            { name: 'user', fields },
          ],
        },
      ],
    }).value
    const table = {
      name: 'log',
      columns: [member('id'), user],
      primaryKey: ['id'],
      uniqueKeys: [],
      foreignKeys: [],
      indexes: [],
    }
    expect(places(findings([described], { catalogue: { collections: [table] } }))).toEqual([
      'warning missing_column shop/log/user.Note',
      'warning missing_column shop/log/user.home.zip',
    ])
  })
})
