import { expect, test } from 'vitest'
import { isPrivacyError } from '../../errors.js'
import { need } from './need.js'

const ids = new Map([
  ['shop:orders', 0],
  ['shop:customer', 1],
])

test('gives the value of a key, 0 included', () => {
  expect([need(ids, 'shop:orders'), need(ids, 'shop:customer')]).toEqual([0, 1])
})

test('throws internal and names the key where there is no value', () => {
  try {
    need(ids, 'shop:cart')
    expect.unreachable()
  } catch (error) {
    expect(isPrivacyError(error, 'internal') && error.message).toBe("'shop:cart' should be known here, and is not.")
  }
})
