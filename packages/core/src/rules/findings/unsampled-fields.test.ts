import { expect, test } from 'vitest'
import type { CatalogueCollection, Column } from '../../model/catalogue.js'
import { parseDataset } from '../../model/dataset.js'
import { datasetGraph } from '../plan/dataset-graph.js'
import { liveFindings } from './live-findings.js'

const text = (name: string): Column => ({ name, type: 'string', kind: 'string', nullable: true })
const object = (name: string, members?: readonly Column[]): Column => ({
  ...{ name, type: 'object', kind: 'object', nullable: true },
  ...(members && { members }),
})

const columns = [text('_id'), text('email'), object('home', [text('street'), object('geo')]), object('map')]

const { value: dataset } = parseDataset({
  service_key: 'shop',
  collections: [
    {
      name: 'users',
      fields: [
        { name: '_id' },
        { name: 'emial', service_meta: { identity: 'email' } },
        { name: 'birthday' },
        { name: 'home', fields: [{ name: 'stret' }, { name: 'geo', fields: [{ name: 'lat' }] }] },
        { name: 'hme', fields: [{ name: 'street' }] },
        { name: 'map', fields: [{ name: 'anything' }] },
      ],
    },
  ],
})

function found(live: Partial<CatalogueCollection>) {
  const users = { name: 'users', columns, primaryKey: [], uniqueKeys: [], foreignKeys: [], indexes: [], ...live }
  const graph = datasetGraph([
    { dataset, connection: { key: 'shop', disabled: false }, catalogue: { collections: [users] } },
  ])
  return liveFindings(graph, [...graph.nodes.keys()], graph.edges).filter(({ type }) => type !== 'undescribed_column')
}

const told = (live: Partial<CatalogueCollection>) =>
  found(live).map(({ type, severity, loc }) => `${severity} ${type} ${loc.join('/')}`)

test('a field that no sampled document has is named, with the known name that is near', () => {
  expect(told({ schemaless: true, sampled: 200 })).toEqual([
    'error unsampled_field shop/users/emial',
    'info unsampled_field shop/users/birthday',
    'warning unsampled_field shop/users/home.stret',
    'info unsampled_field shop/users/hme',
  ])
  const [emial, birthday] = found({ schemaless: true, sampled: 200 })
  expect(emial?.message).toContain(
    "none of the 200 sampled documents has it: correct its name if it is misspelt: the nearest known name is 'email'.",
  )
  expect(birthday?.message).not.toContain('nearest')
})

test('nothing is said where no document was sampled', () => {
  for (const sampled of [undefined, 0])
    expect(told({ schemaless: true, ...(sampled !== undefined && { sampled }) })).toEqual([])
})

test('the columns of a table are all there are: a missing one is named with the near name as well', () => {
  const messages = found({}).map(({ type, message }) => `${type} ${/known name is '(\w+)'/.exec(message)?.[1]}`)
  expect(messages).toEqual([
    'missing_column email',
    'missing_column undefined',
    'missing_column street',
    'missing_column undefined',
  ])
})

test('a column that is searched by its members and holds plain values in some documents is named', () => {
  const from = { references: [{ dataset: 'shop', field: 'users._id', direction: 'from' as const }] }
  const names = ['by', 'of', 'gone', 'whole', 'other']
  const inside = (name: string) => ({
    name,
    fields: [{ name: '_id', ...(name !== 'other' && { service_meta: from }) }],
  })
  const described = parseDataset({
    service_key: 'shop',
    collections: [
      { name: 'users', fields: [{ name: '_id' }, { name: 'email', service_meta: { identity: 'email' } }] },
      { name: 'log', fields: names.map(inside) },
    ],
  }).value
  const column = (name: string, type: string, more: Partial<Column> = {}): Column => ({
    ...{ name, type, nullable: true },
    ...more,
  })
  const log: CatalogueCollection = {
    ...{ name: 'log', primaryKey: [], uniqueKeys: [], foreignKeys: [], indexes: [], schemaless: true },
    columns: [
      column('by', 'int or object, in 3 of 3 documents'),
      column('of', 'int, in 3 of 3 documents', { kind: 'integer' }),
      column('gone', 'null, in 0 of 3 documents'),
      column('whole', 'object, in 3 of 3 documents', { kind: 'object' }),
      column('other', 'int or object, in 3 of 3 documents'),
    ],
  }
  const named = (sampled: number) => {
    const catalogue = { collections: [{ ...log, sampled }] }
    const graph = datasetGraph([{ dataset: described, connection: { key: 'shop', disabled: false }, catalogue }])
    return liveFindings(graph, [...graph.nodes.keys()], graph.edges)
      .filter(({ type }) => type === 'column_without_members')
      .map(({ severity, loc }) => `${severity} ${loc.join('/')}`)
  }
  expect(named(3)).toEqual(['warning shop/log/by._id', 'warning shop/log/of._id'])
  expect(named(0)).toEqual([])
})

test('an object around a field by which documents are searched is named where some hold a list there', () => {
  const mixed: Column = {
    ...{ name: 'by', type: 'array or object, in 3 of 3 documents', kind: 'object', nullable: true, array: true },
    ...{ orObject: true, members: [text('email')] },
  }
  const foundIn = (column: Column, meta: object, inner: object = { identity: 'email' }) => {
    const fields = [{ name: 'by', service_meta: meta, fields: [{ name: 'email', service_meta: inner }] }]
    const { value } = parseDataset({ service_key: 'notes', collections: [{ name: 'notes', fields }] })
    const live = {
      ...{ name: 'notes', columns: [column], primaryKey: [], uniqueKeys: [], foreignKeys: [], indexes: [] },
      ...{ schemaless: true as const, sampled: 3 },
    }
    const connection = { key: 'shop', disabled: false }
    const graph = datasetGraph([{ dataset: value, connection, catalogue: { collections: [live] } }])
    return liveFindings(graph, [...graph.nodes.keys()], graph.edges).map(
      ({ type, severity, loc, message }) => `${severity} ${type} ${loc.join('/')} ${message}`,
    )
  }
  const start =
    "warning column_with_lists notes/notes/by 'notes:notes' is searched by 'by.email', but 'by' is array or object, in 3 of 3 documents: "
  const undecided = `${start}documents with a list there are undecided where that leaves open whose they are. Say 'data_type: object[]' on 'by' where its elements may belong to several people, or store an object in all of them.`
  expect(foundIn(mixed, { data_type: 'object' })).toEqual([undecided])
  expect(foundIn(mixed, {})).toEqual([undecided])
  expect(foundIn(mixed, { data_type: 'object[]' })).toEqual([
    `${start}the object of such a document is taken for a list with one element, so its fields do not decide whose the rest of the document is. Store lists in all of them.`,
  ])
  const { orObject: _, ...lists } = mixed
  expect(foundIn(lists, { data_type: 'object' })).toEqual([undecided])
  for (const meta of [{}, { data_type: 'object[]' }]) expect(foundIn(lists, meta)).toEqual([])
  expect(foundIn(mixed, {}, {})).toEqual([])
  expect(foundIn(mixed, { data_type: 'object[]', return_all_elements: true })).toEqual([])
})

test('a field by which documents are searched is named where some hold an object in its place', () => {
  const fields = [{ name: 'owner', service_meta: { references: [{ dataset: 'shop', field: 'users._id' }] } }]
  const { value: notes } = parseDataset({ service_key: 'notes', collections: [{ name: 'notes', fields }] })
  const owner: Column = {
    name: 'owner',
    type: 'int or object, in 2 of 2 documents',
    nullable: true,
    members: [text('_id')],
  }
  const live = {
    name: 'notes',
    columns: [owner],
    primaryKey: [],
    uniqueKeys: [],
    foreignKeys: [],
    indexes: [],
    schemaless: true as const,
    sampled: 2,
  }
  const connection = { key: 'shop', disabled: false }
  const graph = datasetGraph([{ dataset: notes, connection, catalogue: { collections: [live] } }])
  expect(liveFindings(graph, [...graph.nodes.keys()], graph.edges).map(({ type, message }) => [type, message])).toEqual(
    [
      [
        'column_with_members',
        "'notes:notes' is searched by 'owner', but 'owner' is int or object, in 2 of 2 documents: documents in which it holds an object are not found by it. Store the value itself in all of them, or describe the member that has it.",
      ],
    ],
  )
})

test('a dotted name of a member is a mistake, unless a column has that very name', () => {
  const described = (field: object) =>
    parseDataset({ service_key: 'shop', collections: [{ name: 'users', fields: [{ name: '_id' }, field] }] }).value
  const foundIn = (field: object, live: Partial<CatalogueCollection>) => {
    const users = { name: 'users', columns, primaryKey: [], uniqueKeys: [], foreignKeys: [], indexes: [], ...live }
    const catalogue = { collections: [users] }
    const graph = datasetGraph([{ dataset: described(field), connection: { key: 'shop', disabled: false }, catalogue }])
    return liveFindings(graph, [...graph.nodes.keys()], graph.edges)
      .filter(({ type }) => type !== 'undescribed_column')
      .map(({ type, severity, message }) => `${severity} ${type} ${message}`)
  }
  const documents = { schemaless: true as const, sampled: 200 }
  const said =
    "warning dotted_field 'shop:users' describes the field 'home.street', which it does not have: 'home' is an object. Describe 'street' under `fields` of 'home', otherwise nothing of it is delivered or erased."
  const street = { name: 'home.street' }
  expect(foundIn(street, {})).toEqual([said])
  expect(foundIn(street, documents)).toEqual([
    `${said} Say 'reviewed: true' on it where other documents have a name with this dot in it.`,
  ])
  const nested = { name: 'home', fields: [{ name: 'geo.lat' }] }
  expect(foundIn(nested, {})).toEqual([expect.stringContaining("Describe 'lat' under `fields` of 'home.geo'")])
  const named = [...columns, text('home.street')]
  for (const live of [{ columns: named }, { columns: named, ...documents }]) expect(foundIn(street, live)).toEqual([])
  const reviewed = { ...street, service_meta: { reviewed: true } }
  expect(foundIn(reviewed, documents)).toEqual([expect.stringContaining('info unsampled_field')])
  expect(foundIn({ name: 'email.street' }, documents)).toEqual([expect.stringContaining('info unsampled_field')])
})
