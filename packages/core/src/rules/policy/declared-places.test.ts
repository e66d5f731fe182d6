import { expect, it } from 'vitest'
import { parseDataset } from '../../model/dataset.js'
import { declaredPlaces, groupPlaces, placeText } from './declared-places.js'

const placesOf = (dataset: object) => declaredPlaces(parseDataset({ service_key: 'd', ...dataset }).value)
const texts = (dataset: object) =>
  placesOf(dataset).map((place) => [placeText('d', place), place.categories.join(' '), place.qualifiers.join(' ')])

const field = (name: string, ...data_categories: string[]) => ({ name, data_categories })

it('has a field that says what it holds, with what it inherits', () => {
  const collections = [
    { name: 'c', data_categories: ['b'], fields: [{ ...field('f', 'c'), data_qualifier: 'aggregated' }] },
  ]
  expect(texts({ data_categories: ['a'], collections })).toEqual([["field 'd:c.f'", 'a b c', 'aggregated']])
})

it('has one place for all fields that add nothing', () => {
  const fields = [field('f'), field('g'), { name: 'h', fields: [field('i')] }]
  expect(
    texts({
      data_categories: ['a'],
      collections: [
        { name: 'c', fields },
        { name: 'd', fields },
      ],
    }),
  ).toEqual([["dataset 'd'", 'a', '']])
  expect(texts({ collections: [{ name: 'c', data_categories: ['a'], fields }] })).toEqual([
    ["collection 'd:c'", 'a', ''],
  ])
  const nested = { ...field('n', 'a'), fields }
  expect(texts({ collections: [{ name: 'c', fields: [nested] }] })).toEqual([["field 'd:c.n'", 'a', '']])
})

it('leaves out a level to which every field adds something', () => {
  const collections = [{ name: 'c', fields: [field('f', 'b'), { name: 'g', data_qualifier: 'aggregated' }] }]
  expect(texts({ data_categories: ['a'], collections })).toEqual([
    ["field 'd:c.f'", 'a b', ''],
    ["field 'd:c.g'", 'a', 'aggregated'],
  ])
})

it('has a dataset without collections, and a collection without fields', () => {
  expect(texts({ data_categories: ['a', 'a'] })).toEqual([["dataset 'd'", 'a', '']])
  expect(texts({ collections: [{ name: 'c', data_qualifiers: ['aggregated'] }] })).toEqual([
    ["collection 'd:c'", '', 'aggregated'],
  ])
})

it('has a dataset of which nothing is said, or nothing of some fields', () => {
  expect(texts({})).toEqual([["dataset 'd'", '', '']])
  expect(texts({ collections: [{ name: 'c', fields: [field('f')] }] })).toEqual([["dataset 'd'", '', '']])
  const fields = [field('f'), { ...field('g'), data_qualifier: 'aggregated' }]
  expect(texts({ collections: [{ name: 'c', fields }] })).toEqual([
    ["dataset 'd'", '', ''],
    ["field 'd:c.g'", '', 'aggregated'],
  ])
})

it('knows its position in the document', () => {
  const fields = [field('f'), { name: 'n', fields: [field('m'), field('o', 'a')] }]
  const place = placesOf({ collections: [{ name: 'b' }, { name: 'c', fields }] }).at(-1)
  expect(place).toMatchObject({ field: 'n.o', path: ['collections', 1, 'fields', 1, 'fields', 1] })
})

it('groups places that hold the same', () => {
  const fields = [field('f', 'a'), field('g', 'a'), { ...field('h', 'a'), data_qualifier: 'aggregated' }]
  const groups = groupPlaces(placesOf({ collections: [{ name: 'c', fields }] }), new Map())
  expect(
    groups.map(({ qualifier, places }) => [qualifier.split('.').at(-1), places.map((each) => each.field)]),
  ).toEqual([
    ['identified', ['f', 'g']],
    ['aggregated', ['h']],
  ])
})
