import { describe, expect, it } from 'vitest'
import type { Catalogue, CatalogueCollection, Column, ForeignKey } from '../../model/catalogue.js'
import { parseDataset } from '../../model/dataset.js'
import { draftDataset } from './draft-dataset.js'

const table = (name: string, columns: Column[], more: Partial<CatalogueCollection> = {}): CatalogueCollection => ({
  name,
  columns,
  primaryKey: [],
  uniqueKeys: [],
  foreignKeys: [],
  indexes: [],
  ...more,
})
const column = (name: string, more: Partial<Column> = {}): Column => ({ name, type: '', nullable: true, ...more })
const key = (name: string, columns: string[], collection: string, to: string[], schema?: string): ForeignKey => ({
  name,
  columns,
  references: { ...(schema && { schema }), collection, columns: to },
  onDelete: 'no action',
})

const catalogue: Catalogue = {
  collections: [
    table(
      'customer',
      [
        column('id', { kind: 'integer' }),
        column('email', { kind: 'string', length: 80 }),
        column('tags', { kind: 'string', array: true }),
        column('balance', { kind: 'decimal' }),
        column('seen', { kind: 'timestamp' }),
        column('profile', { kind: 'object' }),
        column('region', { kind: 'integer' }),
        column('photo'),
      ],
      { primaryKey: ['id'], foreignKeys: [key('in_region', ['region'], 'region', ['id'], 'geo')] },
    ),
    table(
      'order_line',
      [
        column('year', { kind: 'integer' }),
        column('number', { kind: 'integer' }),
        column('buyer', { kind: 'integer' }),
      ],
      {
        primaryKey: ['year', 'number'],
        foreignKeys: [
          key('of_order', ['year', 'number'], 'orders', ['year', 'number']),
          key('bought_by', ['buyer'], 'customer', ['id']),
          key('bought_by_again', ['buyer'], 'customer', ['id']),
          key('to_partition', ['buyer'], 'customer_2024', ['id']),
          key('dotted', ['buyer'], 'orders', ['the.year']),
        ],
      },
    ),
    table('orders', [column('year'), column('number'), column('the.year')], { primaryKey: ['year', 'number'] }),
  ],
}

describe('draftDataset', () => {
  const { dataset, proposals, skipped } = draftDataset(catalogue, { key: 'shop' })

  it('describes tables, keys, types and lengths, and leaves out a type that would change a value', () => {
    expect(dataset).toMatchObject({ service_key: 'shop', name: 'shop' })
    expect(dataset.collections[0]).toEqual(
      parseDataset({
        service_key: 'shop',
        collections: [
          {
            name: 'customer',
            fields: [
              { name: 'id', service_meta: { primary_key: true, data_type: 'integer' } },
              { name: 'email', service_meta: { data_type: 'string', length: 80 } },
              { name: 'tags', service_meta: { data_type: 'string[]' } },
              { name: 'balance' },
              { name: 'seen' },
              { name: 'profile', service_meta: { data_type: 'object' } },
              { name: 'region', service_meta: { data_type: 'integer' } },
              { name: 'photo' },
            ],
          },
        ],
      }).value.collections[0],
    )
  })

  it('adds a reference at the column of a foreign key, once, without a direction, with a group for several columns', () => {
    const [year, number, buyer] = dataset.collections[1]!.fields.map(({ service_meta }) => service_meta?.references)
    expect(year).toEqual([{ dataset: 'shop', field: 'orders.year', group: 'of_order' }])
    expect(number).toEqual([{ dataset: 'shop', field: 'orders.number', group: 'of_order' }])
    expect(buyer).toEqual([{ dataset: 'shop', field: 'customer.id' }])
  })

  it('lists the foreign keys it left out, each with a reason', () => {
    expect(skipped).toEqual([
      { collection: 'customer', foreignKey: 'in_region', reason: expect.stringContaining('"geo"') },
      { collection: 'order_line', foreignKey: 'to_partition', reason: expect.stringContaining('"customer_2024"') },
      { collection: 'order_line', foreignKey: 'dotted', reason: expect.stringContaining('"the.year"') },
    ])
  })

  it('proposes categories and adds none to the dataset', () => {
    expect(proposals).toContainEqual(
      expect.objectContaining({ id: 'customer.email:category', category: 'user.contact.email' }),
    )
    expect(JSON.stringify(dataset)).not.toContain('user.')
  })

  it('is a dataset in stored form, and parses to itself', () => {
    const named = draftDataset(catalogue, { key: 'shop', name: 'The shop' }).dataset
    expect(named.collections[0]!.fields[1]!.service_meta.length).toBe(80)
    expect(parseDataset(named)).toEqual({ value: named, warnings: [] })
  })

  it('skips views, says why, and proposes nothing for them', () => {
    const id = [column('id', { kind: 'integer' }), column('email', { kind: 'string' })]
    const { dataset, proposals } = draftDataset(
      {
        collections: [
          table('customer', id, { primaryKey: ['id'] }),
          table('active', id, { view: { writable: true, shows: ['customer'] } }),
          table('totals', id, { view: { writable: false, shows: ['customer', 'crm.lead'] } }),
          table('frozen', id, { view: { writable: false, shows: ['customer'], stored: true } }),
          table('leads', id, { view: { writable: true, shows: ['crm.lead'] } }),
          table('elsewhere', id, { view: { writable: false } }),
        ],
      },
      { key: 'shop' },
    )
    const skipped = dataset.collections.filter(({ service_meta }) => service_meta?.skip_processing)
    expect(skipped).toMatchObject([
      { name: 'active', description: expect.stringContaining("a view of 'customer'") },
      { name: 'totals', description: expect.stringContaining('cannot be written') },
      { name: 'frozen', description: expect.stringContaining('refresh it after erasures') },
    ])
    expect(proposals.filter(({ kind }) => kind === 'skip').map(({ id }) => id)).toEqual([
      'active:skip',
      'totals:skip',
      'frozen:skip',
    ])
    expect(proposals.filter(({ collection }) => collection === 'active')).toHaveLength(1)
    expect(proposals.map(({ id }) => id)).toContain('leads.email:category')
  })

  it('describes nothing as nothing, and says what may be misspelled', () => {
    const summary =
      "The connection of 'empty' shows no table or collection: check the names of its database and schema, and what its user may see."
    expect(draftDataset({ collections: [] }, { key: 'empty' })).toEqual({
      dataset: parseDataset({ service_key: 'empty' }).value,
      proposals: [],
      skipped: [],
      open: { summary, references: [] },
      otherSchemas: [],
    })
  })
})

it('marks computed columns as read-only, except keys', () => {
  const generated = { kind: 'string', generated: true } as const
  const columns = [column('id', { kind: 'integer', generated: true }), column('full_name', generated)]
  const { dataset } = draftDataset(
    { collections: [table('customer', columns, { primaryKey: ['id'] })] },
    { key: 'shop' },
  )
  expect(dataset.collections[0]?.fields).toMatchObject([
    { name: 'id', service_meta: { primary_key: true, read_only: false } },
    { name: 'full_name', service_meta: { primary_key: false, read_only: true } },
  ])
})
