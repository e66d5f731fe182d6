import { describe, expect, it } from 'vitest'
import { parseDataset } from '../../model/dataset.js'
import { declaredFields, effectiveQualifier } from './declared-fields.js'

const { value: dataset } = parseDataset({
  service_key: 'shop',
  data_categories: ['system'],
  data_qualifiers: ['aggregated'],
  collections: [
    {
      name: 'orders',
      data_categories: ['user.payment', 'system'],
      data_qualifiers: ['aggregated.anonymized'],
      fields: [
        {
          name: 'buyer',
          data_categories: ['user'],
          fields: [{ name: 'email', data_categories: ['user.contact.email'], data_qualifier: 'own' }],
        },
        { name: 'total' },
      ],
    },
  ],
})

describe('declaredFields', () => {
  it('adds up the declarations of dataset, collection, parent fields and field', () => {
    const collection = dataset.collections[0]
    if (!collection) throw new Error('no collection')
    const fields = declaredFields(dataset, collection)
    expect(
      fields.map(({ path, own, categories, qualifiers }) => [path.join('.'), own, categories, qualifiers]),
    ).toEqual([
      ['buyer', ['user'], ['system', 'user.payment', 'user'], ['aggregated', 'aggregated.anonymized']],
      [
        'buyer.email',
        ['user.contact.email'],
        ['system', 'user.payment', 'user', 'user.contact.email'],
        ['aggregated', 'aggregated.anonymized', 'own'],
      ],
      ['total', [], ['system', 'user.payment'], ['aggregated', 'aggregated.anonymized']],
    ])
    expect(fields[1]?.ancestors.map(({ name }) => name)).toEqual(['buyer'])
  })
})

const identified = 'aggregated.anonymized.unlinked_pseudonymized.pseudonymized.identified'

it.each([
  [[], identified],
  [['aggregated'], 'aggregated'],
  [['aggregated', identified, 'aggregated.anonymized'], identified],
  [['custom', 'aggregated.anonymized'], 'aggregated.anonymized'],
])('the effective qualifier of %j is %s', (qualifiers, effective) => {
  expect(effectiveQualifier(qualifiers)).toBe(effective)
})
