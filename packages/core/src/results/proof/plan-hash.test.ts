import { expect, it } from 'vitest'
import { planHash } from './plan-hash.js'

const planOf = (erasure: object, more: object = {}) => ({
  collections: [{ address: 'shop:customer', erasure }],
  ...more,
})

it('is the same for plans that do the same, whatever is remarked beside', () => {
  const hash = planHash(planOf({ how: 'mask' }))
  expect(planHash(planOf({ how: 'mask', keptDays: 14, referencedBy: 'orders_fkey' }))).toBe(hash)
  expect(planHash(planOf({ how: 'mask' }, { findings: [{ type: 'history_kept' }], found: {}, coverage: {} }))).toBe(
    hash,
  )
  expect(planHash(planOf({ how: 'delete' }))).not.toBe(hash)
})
