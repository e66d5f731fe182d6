import { expect, it } from 'vitest'
import { counted, countedRows } from './counted-rows.js'

it('one is counted in the singular', () => {
  expect([0, 1, 2, 21].map(countedRows)).toEqual(['0 rows', '1 row', '2 rows', '21 rows'])
  expect([0, 0.1, 1].map((count) => counted(count, 'second'))).toEqual(['0 seconds', '0.1 seconds', '1 second'])
  expect([1, 6].map((count) => counted(count, 'entry', 'entries'))).toEqual(['1 entry', '6 entries'])
})
