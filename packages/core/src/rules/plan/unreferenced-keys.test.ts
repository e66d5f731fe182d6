import { describe, expect, it } from 'vitest'
import type { CatalogueCollection } from '../../model/catalogue.js'
import { parseDataset } from '../../model/dataset.js'
import { datasetGraph } from './dataset-graph.js'
import { unreferencedKeys } from './unreferenced-keys.js'

const live = (name: string, columns: string[], primaryKey: string[] = ['id']): CatalogueCollection => {
  const typed = columns.map((column) => ({ name: column, type: 'text', kind: 'string' as const, nullable: true }))
  return { name, primaryKey, uniqueKeys: [], foreignKeys: [], indexes: [], columns: typed }
}

function named(table: CatalogueCollection, fields: object[], owned: string[] = []): string[] {
  const { value: dataset } = parseDataset({ service_key: 'shop', collections: [{ name: table.name, fields }] })
  const catalogue = { collections: [table] }
  const graph = datasetGraph([{ dataset, connection: { key: 'db', disabled: false }, catalogue }])
  const none = { people: new Set<string>(), references: new Map(), entries: new Map(), findings: [] }
  return unreferencedKeys(graph, { ...none, owned: new Set(owned) }).map(
    ({ node, field }) => `${node.address}.${field}`,
  )
}

describe('foreign keys', () => {
  const customer = live('customer', ['id'])
  const references = { collection: 'customer', columns: ['id'] }
  const key = { name: 'gift', columns: ['gift_for'], references, onDelete: 'no action' as const }
  const order = { ...live('order', ['id', 'gift_for']), foreignKeys: [key] }

  function found(serviceMeta: object, isOwned = true): object[] {
    const collections = [
      { name: 'customer', fields: [{ name: 'id' }] },
      { name: 'order', fields: [{ name: 'id' }, { name: 'gift_for', service_meta: serviceMeta }] },
    ]
    const { value: dataset } = parseDataset({ service_key: 'shop', collections })
    const catalogue = { collections: [customer, order] }
    const graph = datasetGraph([{ dataset, connection: { key: 'db', disabled: false }, catalogue }])
    const none = { people: new Set<string>(), references: new Map(), entries: new Map(), findings: [] }
    const owned = new Set(isOwned ? ['shop:customer', 'shop:order'] : ['shop:order'])
    return unreferencedKeys(graph, { ...none, owned }).map(({ field, to, isForeignKey }) => ({
      field,
      to,
      isForeignKey,
    }))
  }

  it('to rows with an owner are named, whatever their columns are called', () => {
    expect(found({})).toEqual([{ field: 'gift_for', to: 'shop:customer', isForeignKey: true }])
  })

  it('are not named where they lead to nobody, or where the description says something of them', () => {
    expect(found({}, false)).toEqual([])
    expect(found({ reviewed: true })).toEqual([])
    expect(found({ references: [{ dataset: 'shop', field: 'customer.id', direction: 'none' }] })).toEqual([])
  })
})

describe('columns named like keys or addresses of people', () => {
  const visit = live('visit', ['id', 'patient_id', 'email', 'guide_id', 'complaint'])

  it('are named where nothing connects their table with a person, whether a field describes them or not', () => {
    const columns = ['shop:visit.patient_id', 'shop:visit.email']
    expect(named(visit, [])).toEqual(columns)
    expect(named(visit, [...visit.columns.map(({ name }) => ({ name }))])).toEqual(columns)
    expect(named(visit, [], ['shop:visit'])).toEqual([])
  })

  it.each([
    { service_meta: { reviewed: true } },
    { service_meta: { identity: 'patient' } },
    { service_meta: { references: [{ dataset: 'shop', field: 'customer.id', direction: 'none' }] } },
    { data_categories: ['user.unique_id'] },
  ])('are not named where the description says something of them: %j', (said) => {
    expect(named(visit, [{ name: 'patient_id', ...said }])).toEqual(['shop:visit.email'])
  })

  it('are named where a sample shows that they hold e-mail addresses, and be it in the key', () => {
    const newsletter = live('newsletter', ['_id', 'since'], ['_id'])
    const [id, since] = newsletter.columns as [object, object]
    const sampled = { ...newsletter, columns: [{ ...id, holds: 'email' as const }, since] } as CatalogueCollection
    expect(named(newsletter, [{ name: '_id' }])).toEqual([])
    expect(named(sampled, [{ name: '_id' }])).toEqual(['shop:newsletter._id'])
    expect(named(sampled, [{ name: '_id', service_meta: { identity: 'email' } }])).toEqual([])
    expect(named(sampled, [{ name: '_id', service_meta: { reviewed: true } }])).toEqual([])
  })

  it('are not named as the key of their own table', () => {
    expect(named(live('client', ['client_id'], ['client_id']), [])).toEqual([])
  })
})
