import { describe, expect, it } from 'vitest'
import type { CatalogueCollection, ForeignKey } from '../../model/catalogue.js'
import { parseDataset } from '../../model/dataset.js'
import { type Coverage, coverageFindings } from './coverage.js'
import { datasetGraph } from './dataset-graph.js'
import type { Ownership } from './ownership.js'
import { unreferencedKeys } from './unreferenced-keys.js'

const live = (name: string, columns: string[], more: Partial<CatalogueCollection> = {}): CatalogueCollection => ({
  name,
  primaryKey: ['id'],
  uniqueKeys: [],
  foreignKeys: [],
  indexes: [],
  columns: columns.map((column) => ({ name: column, type: 'text', kind: 'string', nullable: true })),
  ...more,
})
const referencing = (collection: string, schema?: string): ForeignKey => ({
  name: `to_${collection}`,
  columns: ['other'],
  onDelete: 'no action',
  references: { collection, columns: ['id'], ...(schema && { schema }) },
})

interface Case {
  readonly collections: object[]
  readonly tables: CatalogueCollection[]
  readonly searched?: string[]
  readonly owned?: string[]
  /** A second dataset for the same database. */
  readonly beside?: object[]
}

const nobodys: Ownership = {
  owned: new Set(),
  people: new Set(),
  references: new Map(),
  entries: new Map(),
  findings: [],
}

function covered({ collections, tables, searched = ['customer'], owned = ['customer'], beside }: Case): Coverage {
  const connection = { key: 'db', disabled: false }
  const source = (key: string, each: object[]) => {
    return {
      dataset: parseDataset({ service_key: key, collections: each }).value,
      connection,
      catalogue: { collections: tables },
    }
  }
  const datasets = [source('shop', collections), ...(beside ? [source('more', beside)] : [])]
  const among = (names: string[]) => (address: string) => names.some((name) => address === `shop:${name}`)
  const graph = datasetGraph(datasets)
  const unreferenced = unreferencedKeys(graph, { ...nobodys, owned: new Set(owned.map((name) => `shop:${name}`)) })
  return coverageFindings(graph, { datasets, unreferenced, isSearched: among(searched), isOwned: among(owned) })
}

const id = { name: 'id', service_meta: { primary_key: true } }
const customer = (...fields: object[]) => ({ name: 'customer', fields: [id, ...fields] })
const types = ({ findings }: Coverage) => findings.map(({ type, loc }) => [type, ...loc])

describe('collections', () => {
  const refers = (name: string, field: string) => ({
    name,
    service_meta: { references: [{ dataset: 'shop', field, direction: 'from' }] },
  })
  const named = (...fields: object[]) => {
    const note = { name: 'note', fields: [id, refers('customer_id', 'customer.id'), ...fields] }
    const of = customer({ name: 'email', data_categories: ['user.contact.email'] })
    return covered({ collections: [of, note], tables: [], owned: ['customer', 'note'] })
  }

  it('without a category in any field are named, searched or not', () => {
    const found = named({ name: 'text' })
    expect(found.collections).toEqual(['shop:note'])
    expect(types(found)).toEqual([['undecided_collection', 'shop', 'note']])
  })
  it.each<[string, object[]]>([
    ['one field has a category', [{ name: 'text' }, { name: 'city', data_categories: ['user.contact.address.city'] }]],
    ['somebody has reviewed one', [{ name: 'text', service_meta: { reviewed: true } }, { name: 'length' }]],
    ['there are only keys and references', [refers('writer_id', 'customer.id')]],
  ])('are not named where %s', (_, fields) => {
    expect(named(...fields).collections).toEqual([])
  })

  it('are listed in the same order whatever the order of the description', () => {
    const bare = (name: string) => ({ name, fields: [id, { name: 'text' }] })
    const names = ['note', 'letter', 'card']
    const listed = [names, [...names].reverse()].map(
      (each) => covered({ collections: each.map(bare), tables: [], searched: [], owned: names }).collections,
    )
    expect(listed).toEqual([0, 1].map(() => ['shop:card', 'shop:letter', 'shop:note']))
  })
  it('are named where no field describes a column, unless the column is named itself', () => {
    const note = { name: 'note', fields: [id] }
    const given = { collections: [note], tables: [live('note', ['id', 'text'])], owned: ['note'] }
    expect(covered({ ...given, searched: [] })).toMatchObject({ columns: [], collections: ['shop:note'] })
    expect(covered({ ...given, searched: ['note'] })).toMatchObject({ columns: [{}], collections: [] })
  })
  it('that belong to nobody or are skipped are not named', () => {
    const country = { name: 'country', fields: [id, { name: 'iso' }] }
    const view = { name: 'view', fields: [id, { name: 'text' }], service_meta: { skip_processing: true } }
    expect(covered({ collections: [country, view], tables: [], owned: ['view'] }).collections).toEqual([])
  })
})

describe('columns', () => {
  it('that no field describes are named with the category their name suggests, only in searched tables', () => {
    const tables = [live('customer', ['id', 'email', 'size']), live('orders', ['id', 'phone'])]
    const found = covered({ collections: [customer(), { name: 'orders', fields: [id] }], tables })
    expect(found.columns).toEqual([
      { address: 'shop:customer', column: 'email', described: false, proposal: 'user.contact.email' },
      { address: 'shop:customer', column: 'size', described: false },
    ])
    expect(found.findings).toEqual([])
  })

  it('with an open proposal are named, others are not', () => {
    const fields = [
      { name: 'phone' },
      { name: 'size' },
      { name: 'city', data_categories: ['user.contact.address.city'] },
      { name: 'street', service_meta: { reviewed: true } },
      { name: 'email', service_meta: { identity: 'email' } },
      { name: 'customer_id', service_meta: { references: [{ dataset: 'shop', field: 'customer.id' }] } },
      { name: 'address', fields: [{ name: 'zip', data_categories: ['user.contact.address'] }] },
    ]
    const columns = ['id', ...fields.map(({ name }) => name)]
    const found = covered({ collections: [customer(...fields)], tables: [live('customer', columns)] })
    expect(found.columns).toEqual([
      { address: 'shop:customer', column: 'phone', described: true, proposal: 'user.contact.phone_number' },
    ])
    expect(types(found)).toEqual([['undecided_category', 'shop', 'customer', 'phone']])
  })

  it('of free text are named where the rows have an owner', () => {
    const named = ['customer', 'orders', 'product']
    const collections = named.map((name) => ({ name, fields: [id, { name: 'note' }, { name: 'comment' }] }))
    const listed = { name: 'comment', type: '', nullable: true, kind: 'string' as const, values: ['good', 'bad'] }
    const tables = named.map((name) => {
      const table = live(name, ['id', 'note', 'comment'])
      return { ...table, columns: [...table.columns.slice(0, 2), listed] }
    })
    const found = covered({ collections, tables, searched: named, owned: ['customer', 'orders'] })
    expect(found.columns).toEqual(
      ['customer', 'orders'].map((name) => {
        return { address: `shop:${name}`, column: 'note', described: true, proposal: 'user' }
      }),
    )
  })

  it('are decided where the collection has a category', () => {
    const collections = [{ ...customer({ name: 'phone' }), data_categories: ['user'] }]
    expect(covered({ collections, tables: [live('customer', ['id', 'phone'])] }).columns).toEqual([])
  })

  it('mean a person’s name only in a table of people', () => {
    const collections = [customer({ name: 'name' }), { name: 'product', fields: [id, { name: 'name' }] }]
    const tables = [live('customer', ['id', 'name']), live('product', ['id', 'name'])]
    const { columns } = covered({ collections, tables, searched: ['customer', 'product'] })
    expect(columns.map(({ address }) => address)).toEqual(['shop:customer'])
  })
})

describe('tables', () => {
  it('that no dataset describes are named where they refer to rows with an owner', () => {
    const tables = [
      live('customer', ['id'], {
        incomingForeignKeys: [
          { name: 'far', schema: 'crm', collection: 'lead', columns: ['c'], references: ['id'], onDelete: 'cascade' },
        ],
      }),
      live('country', ['id']),
      live('visits', ['id', 'other'], { foreignKeys: [referencing('customer')] }),
      live('towns', ['id', 'other'], { foreignKeys: [referencing('country')] }),
      live('abroad', ['id', 'other'], { foreignKeys: [referencing('customer', 'elsewhere')] }),
      live('wishes', ['id', 'other'], { foreignKeys: [referencing('customer')] }),
    ]
    const found = covered({
      collections: [customer(), { name: 'country', fields: [id] }],
      beside: [{ name: 'wishes', fields: [id] }],
      tables,
    })
    expect(found.tables).toEqual([
      { dataset: 'shop', table: 'visits', foreignKey: 'to_customer', into: 'shop:customer' },
      { dataset: 'shop', table: 'crm.lead', foreignKey: 'far', into: 'shop:customer' },
    ])
    expect(types(found)).toEqual([
      ['undescribed_table', 'shop', 'visits'],
      ['undescribed_table', 'shop', 'crm.lead'],
    ])
  })

  it('that are named like the history of a searched one are named, once', () => {
    const tables = ['customer', 'customer_history', 'audit_customers', 'order_history', 'customer_groups', 'log'].map(
      (name) => live(name, ['id']),
    )
    const pointed = live('customers_log', ['id', 'other'], { foreignKeys: [referencing('customer')] })
    const view = live('customer_archive', ['id'], { view: { writable: false, shows: ['customer'] } })
    const found = covered({ collections: [customer()], tables: [...tables, pointed, view] })
    expect(found.histories).toEqual([
      { dataset: 'shop', table: 'customer_history', of: 'shop:customer' },
      { dataset: 'shop', table: 'audit_customers', of: 'shop:customer' },
    ])
    expect(found.tables.map(({ table }) => table)).toEqual(['customers_log'])
  })

  it('in which the server may hide rows are named', () => {
    const tables = [live('customer', ['id'], { hidesRows: true }), live('orders', ['id'], { hidesRows: true })]
    const found = covered({ collections: [customer(), { name: 'orders', fields: [id] }], tables })
    expect(found.hidden).toEqual(['shop:customer'])
  })
})

it('strategies that no rule asks for are named', () => {
  const hash = { masking_strategy: { strategy: 'hash' } }
  const fields = [
    { name: 'a', service_meta: hash },
    { name: 'b', service_meta: hash, data_categories: ['user.name'] },
    { name: 'c', service_meta: hash, fields: [{ name: 'd', data_categories: ['user.name'] }] },
    { name: 'e', service_meta: { masking_strategy: { strategy: 'preserve' } } },
  ]
  const found = covered({ collections: [customer(...fields)], tables: [live('customer', ['id', 'a', 'b', 'c', 'e'])] })
  expect(found.unmasked).toEqual([{ address: 'shop:customer', field: 'a' }])
  expect(types(found)).toEqual([['strategy_without_category', 'shop', 'customer', 'a']])
})

describe('columns named like keys of rows with an owner', () => {
  const tables = [
    live('app_customer', ['id'], { primaryKey: ['id'] }),
    live('app_note', ['id', 'customer_id', 'maker_id']),
  ]
  tables.push(live('app_team', ['id'], { primaryKey: ['id'] }), live('app_log', ['owner_id', 'owner_type', 'team_id']))
  const named = (name: string, ...fields: object[]) => ({ name, fields: [id, ...fields] })
  const beside = [named('app_customer'), named('app_team'), named('app_log')]
  const references = (field: object) =>
    covered({ collections: [...beside, named('app_note', field)], tables, owned: ['app_customer', 'app_log'] })

  it('are named where no reference is described, whatever the prefix of tables', () => {
    const found = references({ name: 'customer_id' })
    expect(found.references.map(({ node, field, to }) => [node.address, field, to])).toEqual([
      ['shop:app_note', 'customer_id', 'shop:app_customer'],
    ])
    expect(types(found)).toContainEqual(['undescribed_reference', 'shop', 'app_note', 'customer_id'])
  })

  it.each([
    { reviewed: true },
    { identity: 'customer' },
    { references: [{ dataset: 'shop', field: 'app_customer.id', direction: 'none' }] },
  ])('are not named where somebody has reviewed them: %j', (service_meta) => {
    expect(references({ name: 'customer_id', service_meta }).references).toEqual([])
  })
})

it('nothing is named without a catalogue', () => {
  const dataset = parseDataset({ service_key: 'shop', collections: [customer({ name: 'size' })] }).value
  const datasets = [{ dataset }]
  const graph = datasetGraph(datasets)
  const unreferenced = unreferencedKeys(graph, nobodys)
  const found = coverageFindings(graph, { datasets, unreferenced, isSearched: () => true, isOwned: () => true })
  expect(Object.values(found)).toEqual([[], [], [], [], [], [], [], []])
})

describe('members of described columns', () => {
  const text = (name: string) => ({ name, type: '', kind: 'string' as const, nullable: true })
  const object = (name: string, ...members: string[]) => ({
    ...{ name, type: '', kind: 'object' as const, nullable: true },
    members: members.map(text),
  })
  const table = () => ({
    ...live('customer', ['id']),
    columns: [text('id'), object('name', 'first', 'last'), object('shipTo', 'name', 'floor')],
  })
  const named = (...fields: object[]) => covered({ collections: [customer(...fields)], tables: [table()] }).columns

  it('that no field describes are named, with the category that their names suggest', () => {
    const shipTo = { name: 'shipTo', fields: [{ name: 'name' }] }
    expect(named({ name: 'name' }, shipTo)).toEqual([
      { address: 'shop:customer', column: 'shipTo.name', described: true, proposal: 'user.name' },
      { address: 'shop:customer', column: 'name.first', described: false, proposal: 'user.name' },
      { address: 'shop:customer', column: 'name.last', described: false, proposal: 'user.name' },
      { address: 'shop:customer', column: 'shipTo.floor', described: false },
    ])
  })

  it('are not named where the column is decided as a whole, or each of them is', () => {
    const given = { data_categories: ['user.name'] }
    const reviewed = { service_meta: { reviewed: true } }
    const shipTo = { name: 'shipTo', fields: [{ name: 'name', ...given }, { name: 'floor' }] }
    expect(named({ name: 'name', ...given }, shipTo)).toEqual([])
    expect(named({ name: 'name', ...reviewed }, { name: 'shipTo', ...reviewed })).toEqual([])
  })
})

describe('tables that no dataset describes, without a foreign key,', () => {
  const described = [customer({ name: 'email', service_meta: { identity: 'email' } })]
  const tablesOf = (...tables: CatalogueCollection[]) =>
    covered({ collections: described, tables: [live('customer', ['id', 'email']), ...tables] })

  it('are named where a column or a member is named like the key of rows with an owner, or like an e-mail address', () => {
    const members = [{ name: 'customerId', type: '', nullable: true }]
    const reviews = { ...live('reviews', ['id']), columns: [{ name: 'by', type: '', nullable: true, members }] }
    const found = tablesOf(live('posts', ['id', 'customer_id']), live('letters', ['id', 'sent_to_email']), reviews)
    expect(found.tables).toEqual([
      { dataset: 'shop', table: 'posts', column: 'customer_id', into: 'shop:customer' },
      { dataset: 'shop', table: 'letters', column: 'sent_to_email' },
      { dataset: 'shop', table: 'reviews', column: 'by.customerId', into: 'shop:customer' },
    ])
    expect(found.findings.map(({ message }) => message)).toContain(
      "The table 'posts' has 'customer_id', which is named like a key of 'shop:customer', and no dataset describes it: its data about people is neither found nor erased.",
    )
  })

  it('are not named otherwise, nor where nothing that is described has an owner', () => {
    expect(tablesOf(live('countries', ['id', 'name'])).tables).toEqual([])
    const tables = [live('customer', ['id']), live('posts', ['id', 'customer_id'])]
    expect(covered({ collections: described, tables, owned: [] }).tables).toEqual([])
  })
})
