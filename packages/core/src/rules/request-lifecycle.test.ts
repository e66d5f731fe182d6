import { expect, it } from 'vitest'
import { requestStatuses } from '../model/privacy-request.js'
import { nextStatus, type RequestEvent } from './request-lifecycle.js'

const moves: Record<string, string> = {
  'pending run': 'in_processing',
  'in_processing complete': 'complete',
  'in_processing fail': 'error',
  'error retry': 'in_processing',
}
const events: RequestEvent[] = ['run', 'complete', 'fail', 'retry']

it.each(requestStatuses.flatMap((status) => events.map((event) => [status, event] as const)))(
  '%s, %s',
  (status, event) => {
    expect(nextStatus(status, event)).toBe(moves[`${status} ${event}`])
  },
)
