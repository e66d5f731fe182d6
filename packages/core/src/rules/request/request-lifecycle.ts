import type { RequestStatus } from '../../model/privacy-request.js'

/** What the audit trail calls an event, and the changes of status it makes. */
type EventRule = readonly [action: string, moves: Readonly<Partial<Record<RequestStatus, RequestStatus>>>]

/** Every change of status there is (docs/requests.md), a line for each event. What is not listed is refused. */
const events = {
  verify: ['identity_verified', { identity_unverified: 'pending' }],
  approve: ['request_approved', { pending: 'approved' }],
  deny: ['request_denied', { pending: 'denied' }],
  run: ['run_started', { pending: 'in_processing', approved: 'in_processing' }],
  needInput: [
    'input_requested',
    { pending: 'requires_input', approved: 'requires_input', in_processing: 'requires_input' },
  ],
  pause: ['request_paused', { in_processing: 'paused' }],
  resume: ['request_resumed', { requires_input: 'in_processing', paused: 'in_processing' }],
  expire: ['request_expired', { paused: 'error' }],
  replan: ['plan_changed', { approved: 'pending', in_processing: 'pending' }],
  complete: ['request_completed', { in_processing: 'complete' }],
  fail: ['request_failed', { in_processing: 'error' }],
  retry: ['request_retried', { error: 'in_processing' }],
  cancel: ['request_canceled', endingIn('canceled')],
} as const satisfies Readonly<Record<string, EventRule>>

/** What can happen to a privacy request. */
export type RequestEvent = keyof typeof events

export const requestEvents = Object.keys(events) as readonly RequestEvent[]

/** From every status that is not an end. */
function endingIn(status: RequestStatus): EventRule[1] {
  return {
    identity_unverified: status,
    pending: status,
    approved: status,
    in_processing: status,
    requires_input: status,
    paused: status,
    error: status,
  }
}

/** What can be done about a request in a status, for people whose event was refused. */
export const nextSteps: Readonly<Record<RequestStatus, string>> = {
  identity_unverified: 'the identity has to be verified first',
  pending: 'it waits for its approval, or for its run where none is required',
  approved: 'it waits for its run',
  denied: 'it has ended, so submit a new one',
  in_processing: 'wait until its run has ended, or cancel it',
  requires_input: 'it waits for what people have to look up',
  paused: 'it waits for what `actionRequired` or `legalHolds` names',
  complete: 'it has ended, so submit a new one',
  error: 'retry it, or cancel it',
  canceled: 'it has ended, so submit a new one',
}

/** The status after an event, or undefined where the event has no meaning. */
export function nextStatus(status: RequestStatus, event: RequestEvent): RequestStatus | undefined {
  const [, moves]: EventRule = events[event]
  return moves[status]
}

/** A word for the audit trail. */
export function auditAction(event: RequestEvent): string {
  return events[event][0]
}

/** Whether nothing can happen to a request any more. */
export function isEnd(status: RequestStatus): boolean {
  return nextStatus(status, 'cancel') === undefined
}

/** Statuses in which a request waits for nobody but a worker. */
export function readyStatuses(approvalRequired: boolean): readonly RequestStatus[] {
  return approvalRequired ? ['approved'] : ['approved', 'pending']
}
