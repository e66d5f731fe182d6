import type { RequestStatus } from '../model/privacy-request.js'

/** What can happen to a privacy request. */
export type RequestEvent = 'run' | 'complete' | 'fail' | 'retry'

/** Every change of status there is (§6). What is not listed is refused. */
const transitions: Readonly<Partial<Record<RequestStatus, Readonly<Partial<Record<RequestEvent, RequestStatus>>>>>> = {
  pending: { run: 'in_processing' },
  in_processing: { complete: 'complete', fail: 'error' },
  error: { retry: 'in_processing' },
}

/** The status after an event, or undefined where the event has no meaning. */
export function nextStatus(status: RequestStatus, event: RequestEvent): RequestStatus | undefined {
  return transitions[status]?.[event]
}
