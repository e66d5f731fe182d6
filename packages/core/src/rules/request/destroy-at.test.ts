import { expect, it } from 'vitest'
import { requestStatuses } from '../../model/privacy-request.js'
import { destroyAt } from './destroy-at.js'

const now = new Date('2026-01-01T00:00:00Z')
const periods = { linkSeconds: 3_600, unverifiedDays: 7, errorDays: 30 }
const file = { rule: 'r', format: 'json' as const, name: 'n', mediaType: 'application/json', size: 1 }

const kept: Record<string, string> = {
  identity_unverified: '2026-01-08T00:00:00.000Z',
  denied: '2026-01-01T00:00:00.000Z',
  canceled: '2026-01-01T00:00:00.000Z',
  error: '2026-01-31T00:00:00.000Z',
  complete: '2026-01-01T00:00:00.000Z',
}

it.each(requestStatuses)('is set for a request that is %s', (status) => {
  expect(destroyAt({ status }, now, periods)).toBe(kept[status])
})

it('a request with packages is destroyed when its link has expired', () => {
  expect(destroyAt({ status: 'complete', packages: [file] }, now, periods)).toBe('2026-01-01T01:00:00.000Z')
})

it('a failed erasure that has begun is not destroyed before it has gone on to its end', () => {
  expect(destroyAt({ status: 'error', erasingSince: '2025-12-31T00:00:00Z' }, now, periods)).toBeUndefined()
})
