import { expect, it } from 'vitest'
import { costText, refusedSteps } from './plan-cost.js'

it('names each step with its bytes, and what is not known', () => {
  const costs = [
    { address: 'web:visit', find: 10_485_760, count: 0, write: 3 * 1024 ** 4, readAgain: null },
    { address: 'web:page', find: 512 },
  ]
  expect(costText(costs).slice(2)).toEqual([
    '- web:visit: finding 10 MiB, counting undecided rows 0 bytes, writing a batch 3 TiB, reading it again unknown',
    '- web:page: finding 512 bytes',
  ])
  expect(costText([])).toEqual([])
})

it('says which steps the server would refuse, and what to do', () => {
  const cost = { address: 'web:visit', find: 1_000, write: 2_001, readAgain: 2_000, most: 2_000 }
  expect(refusedSteps(cost)).toEqual(['writing a batch'])
  expect(costText([cost]).at(-1)).toMatch(/more than 2 KiB may not be billed: writing a batch; raise the limit/)
  expect(refusedSteps({ address: 'web:visit', find: 1_000 })).toEqual([])
})
