import { expect, it } from 'vitest'
import { keptUntil } from './kept-until.js'

const written = [{ outcome: 'erased' as const, rowCount: 1 }]

it('names the day until which a server holds what was erased, where anything was', () => {
  expect(keptUntil(written, '2024-02-28T23:59:59.000Z', 8)).toEqual({ keptUntil: '2024-03-07' })
  expect(keptUntil([{ outcome: 'masked', rowCount: 2 }], '2024-12-31T00:00:00.000Z', 1)).toEqual({
    keptUntil: '2025-01-01',
  })
  expect(keptUntil([{ outcome: 'retained', rowCount: 2 }], '2024-12-31T00:00:00.000Z', 1)).toEqual({})
  expect(keptUntil([{ outcome: 'erased', rowCount: 0 }], '2024-12-31T00:00:00.000Z', 1)).toEqual({})
  expect(keptUntil(written, undefined, 8)).toEqual({})
  expect(keptUntil(written, '2024-12-31T00:00:00.000Z', undefined)).toEqual({})
})
