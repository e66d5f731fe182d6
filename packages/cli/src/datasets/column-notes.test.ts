import { schemas } from '@habeas/core'
import { expect, it } from 'vitest'
import { columnNotes } from './column-notes.js'

const columns = [
  { name: 'id', service_meta: { primary_key: true } },
  { name: 'email', service_meta: { identity: 'email' } },
  { name: 'name', data_categories: ['user.name'] },
  { name: 'doctor_id', service_meta: { references: [{ dataset: 'shop', field: 'doctor.id' }] } },
  { name: 'starts_at' },
  { name: 'status' },
  { name: 'room', service_meta: { reviewed: true } },
  { name: 'note' },
]
const unasked = (more: object = {}, collection: object = {}, fields: readonly object[] = columns) =>
  columnNotes(
    schemas.dataset.parse({ service_key: 'shop', collections: [{ name: 'visit', fields, ...collection }], ...more }),
    { told: new Set(['shop:visit.note']), erases: true },
  )

it('names the columns of personal rows that have no category, but not what is decided or told already', () => {
  expect(unasked()).toEqual([
    "'shop:visit' has columns without a category, for which no request asks: 'starts_at', 'status'.",
  ])
})

it.each<[string, object, object, readonly object[]]>([
  ['of a dataset with a category', { data_categories: ['user'] }, {}, columns],
  ['of a collection with a category', {}, { data_categories: ['user'] }, columns],
  ['of a collection that is not searched', {}, { service_meta: { skip_processing: true } }, columns],
  ['of a collection of nobody', {}, { service_meta: { owner: [] } }, columns],
  ['of a collection without personal data', {}, {}, [{ name: 'id' }, { name: 'price' }]],
])('names nothing %s', (_, dataset, collection, fields) => {
  expect(unasked(dataset, collection, fields)).toEqual([])
})

it('names documents of unknown content in rows that nothing connects with a person', () => {
  const documents = [
    { name: 'id', service_meta: { primary_key: true } },
    { name: 'payload', service_meta: { data_type: 'object' } },
    { name: 'seen', service_meta: { data_type: 'object', reviewed: true } },
    { name: 'known', service_meta: { data_type: 'object' }, fields: [{ name: 'size' }] },
  ]
  expect(unasked({}, {}, documents)).toEqual([
    "'shop:visit' has documents of which nobody has said what they hold, and nothing connects it with a person: 'payload'.",
  ])
  const linked = { name: 'doctor_id', service_meta: { references: [{ dataset: 'shop', field: 'doctor.id' }] } }
  expect(unasked({}, {}, [...documents, linked])).toEqual([])
})

it('names keys that name a person and that an erasure keeps', () => {
  const email = (meta: object = {}) => [
    { name: 'email', service_meta: { primary_key: true, identity: 'email', ...meta } },
  ]
  expect(unasked({}, {}, email())).toEqual([
    "An erasure keeps 'email' of 'shop:visit', which is a key and names the person: erase: delete on the collection, or a masking_strategy on the field, erases it.",
  ])
  expect(unasked({}, { service_meta: { erase: 'delete' } }, email())).toEqual([])
  expect(unasked({}, {}, email({ masking_strategy: { strategy: 'hash' } }))).toEqual([])
})
