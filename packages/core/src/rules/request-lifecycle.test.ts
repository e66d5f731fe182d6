import { describe, expect, it } from 'vitest'
import { requestStatuses } from '../model/privacy-request.js'
import { nextStatus, type RequestEvent, wayOut } from './request-lifecycle.js'

const moves: Record<string, string> = {
  'pending run': 'in_processing',
  'in_processing complete': 'complete',
  'in_processing fail': 'error',
  'error retry': 'in_processing',
  'identity_unverified cancel': 'canceled',
  'pending cancel': 'canceled',
  'approved cancel': 'canceled',
  'in_processing cancel': 'canceled',
  'requires_input cancel': 'canceled',
  'paused cancel': 'canceled',
  'error cancel': 'canceled',
}
const events = Object.keys({ run: 0, complete: 0, fail: 0, retry: 0, cancel: 0 } satisfies Record<RequestEvent, 0>)

describe('every status and every event', () => {
  it.each(requestStatuses.flatMap((status) => events.map((event) => [status, event as RequestEvent] as const)))(
    '%s, %s',
    (status, event) => {
      expect(nextStatus(status, event)).toBe(moves[`${status} ${event}`])
    },
  )
})

it('leaves nothing to happen to what has ended, and says what to do about everything', () => {
  const ended = requestStatuses.filter((status) => events.every((event) => !nextStatus(status, event as RequestEvent)))
  expect(ended).toEqual(['denied', 'complete', 'canceled'])
  expect(Object.keys(wayOut).sort()).toEqual([...requestStatuses].sort())
})
