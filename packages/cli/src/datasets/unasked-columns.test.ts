import { schemas } from '@habeas/core'
import { expect, it } from 'vitest'
import { unaskedColumns } from './unasked-columns.js'

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
  unaskedColumns(
    schemas.dataset.parse({ service_key: 'shop', collections: [{ name: 'visit', fields, ...collection }], ...more }),
    new Set(['shop:visit.note']),
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
