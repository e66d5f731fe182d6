import { expect, it } from 'vitest'
import type { Catalogue } from '../../model/catalogue.js'
import { declaredCatalogue } from './declared-catalogue.js'

const catalogue: Catalogue = {
  collections: [
    {
      name: 'customer',
      columns: [
        { name: 'id', type: 'integer', kind: 'integer', nullable: false },
        { name: 'contact', type: 'json', kind: 'object', nullable: true },
      ],
      primaryKey: ['id'],
      uniqueKeys: [],
      foreignKeys: [],
      indexes: [['id']],
    },
  ],
}

it('keeps a catalogue whose connector can do everything', () => {
  expect(declaredCatalogue(catalogue, { nestedFields: true })).toEqual(catalogue)
})

it('says that keys are not enforced where the server does not enforce any', () => {
  const [collection] = declaredCatalogue(catalogue, { nestedFields: true, enforcedKeys: false }).collections
  expect(collection).toEqual({ ...catalogue.collections[0], keysEnforced: false })
})

it('has no columns with members where the connector cannot read by them', () => {
  const [collection] = declaredCatalogue(catalogue, { nestedFields: false }).collections
  expect(collection?.columns).toEqual([
    { name: 'id', type: 'integer', kind: 'integer', nullable: false },
    { name: 'contact', type: 'json', nullable: true },
  ])
})
