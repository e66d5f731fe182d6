import { expect, it } from 'vitest'
import { sameWhileEqual } from './same-while-equal.js'

it('gives back the object of before while it is equal, for each name alone', () => {
  const same = sameWhileEqual()
  const first = { fields: [{ name: 'id' }] }
  expect(same('a', first)).toBe(first)
  expect(same('a', structuredClone(first))).toBe(first)
  const other = structuredClone(first)
  expect(same('b', other)).toBe(other)
  const changed = { fields: [{ name: 'email' }] }
  expect(same('a', changed)).toBe(changed)
  expect(same('a', structuredClone(first))).not.toBe(first)
})
