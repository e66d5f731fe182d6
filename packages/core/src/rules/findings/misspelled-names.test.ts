import { expect, test } from 'vitest'
import { parseDataset } from '../../model/dataset.js'
import { datasetGraph } from '../plan/dataset-graph.js'
import { slipIndex } from '../value/slip-index.js'
import { misspelledIdentities, similarKeys } from './misspelled-names.js'

/** A dataset with one collection, whose fields have these identities. */
const dataset = (key: string, identities: readonly string[], meta: object = {}) => ({
  dataset: parseDataset({
    service_key: key,
    collections: [
      {
        name: 'person',
        fields: identities.map((identity, at) => ({ name: `f${at}`, service_meta: { identity, ...meta } })),
      },
    ],
  }).value,
})

function found(...described: ReturnType<typeof dataset>[]): string[] {
  const graph = datasetGraph(described)
  return misspelledIdentities(graph)([...graph.nodes.values()]).map(
    ({ type, severity, loc, message }) =>
      `${severity} ${type} ${loc.join('/')} ${/almost like '([^']*)'/.exec(message)?.[1]}`,
  )
}

test.each([
  ['emial', 'email'],
  ['Email', 'email'],
  ['phone_numbr', 'phone_number'],
  ['userId', 'user_id'],
])("the identity '%s' is probably '%s'", (identity, meant) => {
  expect(found(dataset('shop', [identity]))).toEqual([`warning misspelled_identity shop/person/f0 ${meant}`])
  expect(found(dataset('shop', [identity], { reviewed: true }))).toEqual([])
})

test('usual identities, and ones that resemble nothing, give no finding', () => {
  expect(found(dataset('shop', ['email', 'phone_number', 'user_id', 'phone', 'driver_id', 'rider_id']))).toEqual([])
})

test('an identity is probably the one that is declared elsewhere', () => {
  const [shop, crm] = [dataset('shop', ['membership', 'membership']), dataset('crm', ['membreship'])]
  expect(found(shop, crm)).toEqual(['warning misspelled_identity crm/person/f0 membership'])
})

test('another dataset with almost the same key is named', () => {
  const keys = ['billing', 'biling', 'shop', 'shop_eu', 'shop_us']
  expect(similarKeys('dataset', 'biling', slipIndex(keys))).toMatchObject([
    { type: 'similar_key', severity: 'info', loc: ['biling'], message: expect.stringContaining("dataset 'billing'") },
  ])
  for (const key of ['shop', 'shop_eu', 'shop_us']) expect(similarKeys('dataset', key, slipIndex(keys))).toEqual([])
})
