import type { PrivacyRequest } from '../../model/privacy-request.js'
import { type Deadline, type DeadlineFacts, deadline } from '../../rules/request/deadline.js'

type Dated = Pick<PrivacyRequest, 'timeframe' | 'requestedAt' | 'identityVerifiedAt' | 'extendedAt' | 'extensionReason'>

/** The source of a request's deadline; undefined where its policy had no timeframe. */
export function deadlineFacts(request: Dated, timeZone: string | undefined): DeadlineFacts | undefined {
  const { timeframe, requestedAt, identityVerifiedAt, extendedAt, extensionReason = '' } = request
  if (timeframe === undefined) return undefined
  return {
    timeframe,
    receivedAt: requestedAt,
    events: [
      ...(identityVerifiedAt === undefined ? [] : [{ type: 'identity_verified' as const, at: identityVerifiedAt }]),
      ...(extendedAt === undefined ? [] : [{ type: 'extended' as const, at: extendedAt, reason: extensionReason }]),
    ],
    ...(timeZone !== undefined && { timeZone }),
  }
}

export function deadlineOf(request: Dated, timeZone: string | undefined): Deadline | undefined {
  const facts = deadlineFacts(request, timeZone)
  return facts && deadline(facts)
}

/** The member that rows are listed by. */
export function dueDate(request: Dated, timeZone: string | undefined): { readonly dueDate?: string } {
  const due = deadlineOf(request, timeZone)
  return due ? { dueDate: due.dueAt } : {}
}
