import { expect, it } from 'vitest'
import { type CatalogueCollection, enforcedKeys } from './catalogue.js'

const live: CatalogueCollection = {
  name: 'people',
  columns: [],
  primaryKey: ['id'],
  uniqueKeys: [['email']],
  foreignKeys: [],
  indexes: [],
}

it('takes keys for unique only where the server enforces them', () => {
  expect(enforcedKeys(live)).toEqual([['id'], ['email']])
  expect(enforcedKeys({ ...live, primaryKey: [] })).toEqual([['email']])
  expect(enforcedKeys({ ...live, keysEnforced: false })).toEqual([])
  expect(enforcedKeys(undefined)).toEqual([])
})
