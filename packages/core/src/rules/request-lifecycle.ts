import type { RequestStatus } from '../model/privacy-request.js'

/** What can happen to a privacy request. */
export type RequestEvent = 'run' | 'complete' | 'fail' | 'retry' | 'cancel'

/** Every change of status there is (§6). What is not listed is refused. */
const transitions: Readonly<Record<RequestStatus, Readonly<Partial<Record<RequestEvent, RequestStatus>>>>> = {
  identity_unverified: { cancel: 'canceled' },
  pending: { run: 'in_processing', cancel: 'canceled' },
  approved: { cancel: 'canceled' },
  denied: {},
  in_processing: { complete: 'complete', fail: 'error', cancel: 'canceled' },
  requires_input: { cancel: 'canceled' },
  paused: { cancel: 'canceled' },
  complete: {},
  error: { retry: 'in_processing', cancel: 'canceled' },
  canceled: {},
}

/** What can be done about a request in a status, for people whose event was refused. */
export const wayOut: Readonly<Record<RequestStatus, string>> = {
  identity_unverified: 'the identity has to be verified first',
  pending: 'it waits for its run',
  approved: 'it waits for its run',
  denied: 'it has ended, so submit a new one',
  in_processing: 'wait until its run has ended, or cancel it',
  requires_input: 'it waits for what people have to look up',
  paused: 'it waits for what `actionRequired` names',
  complete: 'it has ended, so submit a new one',
  error: 'retry it, or cancel it',
  canceled: 'it has ended, so submit a new one',
}

/** The status after an event, or undefined where the event has no meaning. */
export function nextStatus(status: RequestStatus, event: RequestEvent): RequestStatus | undefined {
  return transitions[status][event]
}
