import { expect, it } from 'vitest'
import { acceptingOptions } from './request-acceptance.js'
import { gapLines } from './request-gaps.js'

it('says each kind of gap that there is, and no other', () => {
  const coverage = { tables: [], columns: ['shop:customer.note'], hidden: ['shop:visit'], filtered: [] }
  expect(gapLines(coverage)).toEqual([
    "Nobody has decided on columns: shop:customer.note. 'habeas plan' says more.",
    "The database may hide rows, or mask values, of: shop:visit. 'habeas plan' says more.",
  ])
  expect(gapLines(null)).toEqual([])
})

it('names the options that accept what a paused request asks for', () => {
  const accept = { accept_unsearched: ['shop:a', 'shop:b'], accept_undecided: null, accept_unconfirmed: [] }
  expect(acceptingOptions(accept)).toBe(' To leave it, submit again with --accept-unsearched shop:a shop:b.')
  expect(acceptingOptions(null)).toBe('')
})
