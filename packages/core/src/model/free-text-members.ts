import type { PrivacyRequest } from './privacy-request.js'

/** Members of a request that hold texts or lists of them. */
type TextMember = {
  [Name in keyof PrivacyRequest]-?: string extends TextOf<NonNullable<PrivacyRequest[Name]>> ? Name : never
}[keyof PrivacyRequest]

type TextOf<Value> = Value extends readonly (infer Item)[] ? Item : Value

/**
 * `free`: what somebody may have written about the person. It is destroyed together with the person's data. `plain`:
 * names, times, hashes and texts of the service, which stay.
 */
const texts: Readonly<Record<TextMember, 'free' | 'plain'>> = {
  id: 'plain',
  policyKey: 'plain',
  externalId: 'plain',
  createdAt: 'plain',
  requestedAt: 'plain',
  language: 'plain',
  dueDate: 'plain',
  extendedAt: 'plain',
  extensionReason: 'free',
  identityVerifiedAt: 'plain',
  unproven: 'plain',
  reviewedAt: 'plain',
  reviewedBy: 'plain',
  denialReason: 'free',
  startedProcessingAt: 'plain',
  finishedProcessingAt: 'plain',
  erasingSince: 'plain',
  pausedAt: 'plain',
  resumeBy: 'plain',
  canceledAt: 'plain',
  cancelReason: 'free',
  identityRemains: 'plain',
  unconfirmed: 'plain',
  approvedPlanHash: 'plain',
  legalHolds: 'plain',
  missingInput: 'plain',
  failure: 'plain',
  destroyedAt: 'plain',
}

/** The members that retention removes (docs/decisions/014-reasons-are-personal.md). */
export const freeTextMembers = (Object.keys(texts) as TextMember[]).filter((name) => texts[name] === 'free')
