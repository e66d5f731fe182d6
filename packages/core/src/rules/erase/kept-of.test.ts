import { expect, it } from 'vitest'
import { keptOf } from './kept-of.js'

const written = [{ outcome: 'erased' as const, rowCount: 1 }]
const masked = [{ outcome: 'masked' as const, rowCount: 2 }]
const keptCopies = [{ name: 'report', kind: 'materialized_view' as const }]

it('names the day until which a server holds what was erased, where anything was', () => {
  expect(keptOf(written, '2024-02-28T23:59:59.000Z', { keptDays: 8 })).toEqual({ keptUntil: '2024-03-07' })
  expect(keptOf(masked, '2024-12-31T00:00:00.000Z', { keptDays: 1 })).toEqual({ keptUntil: '2025-01-01' })
  expect(keptOf(written, undefined, { keptDays: 8 })).toEqual({})
  expect(keptOf(written, '2024-12-31T00:00:00.000Z', {})).toEqual({})
})

it('names copies where anything was erased', () => {
  expect(keptOf(masked, '2024-12-31T00:00:00.000Z', { keptCopies })).toEqual({ keptCopies })
  for (const [outcome, rowCount] of [['retained', 2] as const, ['erased', 0] as const]) {
    const kept = { keptDays: 1, keptCopies }
    expect(keptOf([{ outcome, rowCount }], '2024-12-31T00:00:00.000Z', kept)).toEqual({})
  }
})
