import type { PrivacyEvent } from '../../model/privacy-event.js'
import type { Telemetry } from '../../ports/telemetry.js'
import { metrics } from './metrics.js'

type RequestEvent = Extract<PrivacyEvent, { type: 'request' }>

/** Counts what events tell. */
export function countEvents({ record }: Telemetry): (event: PrivacyEvent) => void {
  return (event) => {
    if ('code' in event && event.code !== undefined) {
      record(metrics.failures, 1, { part: event.type === 'service' ? event.part : event.type, code: event.code })
    }
    if (event.type === 'request') countRequest(event, record)
    if (event.type !== 'collection' || event.status !== 'complete' || !event.rowCount) return
    record(event.actionType === 'erasure' ? metrics.erased : metrics.found, event.rowCount)
  }
}

/** How a run has ended: the status that it gave to the request, or else what becomes of the request now. */
export function outcomeOf({ step = 'changed', status }: Pick<RequestEvent, 'step' | 'status'>): string {
  return step === 'ended' ? status : step
}

function countRequest(
  { step = 'changed', status, durationMs, actionType }: RequestEvent,
  record: Telemetry['record'],
): void {
  if (step === 'submitted' || step === 'changed' || step === 'ended') record(metrics.requests, 1, { status })
  if (step === 'retrying') record(metrics.retries, 1)
  if (step === 'taken_over') record(metrics.takeovers, 1)
  if (durationMs === undefined) return
  const about = { outcome: outcomeOf({ step, status }), ...(actionType && { action: actionType }) }
  record(metrics.duration, durationMs / 1_000, about)
}
