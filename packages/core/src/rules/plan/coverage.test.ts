import { describe, expect, it } from 'vitest'
import { covered, customer, id, live, nobodys, types } from '../../../test/fixtures/covered-shop.js'
import { parseDataset } from '../../model/dataset.js'
import { coverageFindings } from './coverage.js'
import { datasetGraph } from './dataset-graph.js'
import { unreferencedKeys } from './unreferenced-keys.js'

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

it('nothing is named without a catalogue', () => {
  const dataset = parseDataset({ service_key: 'shop', collections: [customer({ name: 'size' })] }).value
  const datasets = [{ dataset }]
  const graph = datasetGraph(datasets)
  const unreferenced = unreferencedKeys(graph, nobodys)
  const found = coverageFindings(graph, { datasets, unreferenced, isSearched: () => true, isOwned: () => true })
  expect(Object.values(found)).toEqual([[], [], [], [], [], [], [], []])
})
