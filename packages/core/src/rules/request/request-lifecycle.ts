import type { PrivacyRequest, RequestStatus } from '../../model/privacy-request.js'

/** The name of an event in the audit trail, and its changes of status. */
type EventRule = readonly [action: string, moves: Readonly<Partial<Record<RequestStatus, RequestStatus>>>]

/** Every change of status (docs/requests.md), one line for each event. All others are refused. */
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

/** The events of a privacy request. */
export type RequestEvent = keyof typeof events

export const requestEvents = Object.keys(events) as readonly RequestEvent[]

/** Moves every status that is not final to the given one. */
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

/** What a refusal needs to know of a request, besides its status. */
export type WaitingFor = Pick<PrivacyRequest, 'status' | 'legalHolds' | 'actionRequired'>

/** For people whose call was refused: what the request waits for, and what can be called now. */
export function nextStep({ status, legalHolds, actionRequired }: WaitingFor): string {
  if (status !== 'paused') return nextSteps[status]
  if (legalHolds) return 'a legal hold has to be released first (`holds.release`), or call `cancel`'
  if (!actionRequired) return 'the policy webhook that has halted it answers first (`resume`), or call `cancel`'
  if (actionRequired.accept) return 'answer what `actionRequired` names and call `accept`, or call `cancel`'
  const answer = actionRequired.step === 'erasure' ? 'confirmErasure' : 'manualInput'
  return `it waits for people, as \`actionRequired\` says (\`${answer}\`), or call \`cancel\``
}

const ended = 'it has ended, so submit a new one'
const nextSteps: Readonly<Record<Exclude<RequestStatus, 'paused'>, string>> = {
  identity_unverified: 'the identity has to be verified first (`verify`), or call `cancel`',
  pending: 'it waits for its approval (`approve`, `deny`), or for its run where none is required, or call `cancel`',
  approved: 'it waits for its run, or call `cancel`',
  denied: ended,
  in_processing: 'wait until its run has ended, or call `cancel`',
  requires_input: 'it waits for data that people look up and upload (`resumeFromRequiresInput`), or call `cancel`',
  complete: ended,
  error: 'call `retry`, or `cancel`',
  canceled: ended,
}

/** The status after an event. Undefined where the event is not allowed. */
export function nextStatus(status: RequestStatus, event: RequestEvent): RequestStatus | undefined {
  const [, moves]: EventRule = events[event]
  return moves[status]
}

/** The name of an event in the audit trail. */
export function auditAction(event: RequestEvent): string {
  return events[event][0]
}

/** Whether a status is final. */
export function isEnd(status: RequestStatus): boolean {
  return nextStatus(status, 'cancel') === undefined
}

/** Statuses in which a request waits only for a worker. */
export function readyStatuses(approvalRequired: boolean): readonly RequestStatus[] {
  return approvalRequired ? ['approved'] : ['approved', 'pending']
}

/** Whether a request waits only for a worker. Some wait for a review where others need none. */
export function isReady(
  { status, needsReview = false }: { readonly status: RequestStatus; readonly needsReview?: boolean },
  approvalRequired: boolean,
): boolean {
  return readyStatuses(approvalRequired || needsReview).includes(status)
}
