import { type Acceptance, type AcceptanceInput, acceptanceOf, withAcceptance } from '../../model/acceptance.js'
import { type PrivacyRequest, parseApproval, parseReason } from '../../model/privacy-request.js'
import type { Storage } from '../../ports/storage.js'
import { acceptedByName, openDecisions } from '../../rules/plan/open-decisions.js'
import { type Decision, reviewOf } from '../mail/request-notifications.js'
import { refuseUnknown } from './check-submission.js'
import { requestRow } from './move-request.js'
import type { RequestCaller, RequestContext } from './request-context.js'
import { showWritten } from './show-requests.js'

export interface ApproveOptions extends RequestCaller, AcceptanceInput {
  /** Hash of the plan that the reviewer saw. When the run finds another plan, the request waits for approval again. */
  readonly planHash?: string | undefined
}

export interface DenyOptions extends RequestCaller {
  /** Mailed to the person. Free text, at most 1,000 characters. */
  readonly reason?: string | undefined
}

/** The decisions of reviewers about requests that wait for them (docs/requests.md). */
export function reviewActions(context: RequestContext) {
  const stamp = (caller: string | undefined) => ({
    reviewedAt: context.runtime.now().toISOString(),
    reviewedBy: caller ?? 'host',
  })

  /** Writes the mail about a decision together with the decision. */
  async function mailOf(id: string, decision: Decision) {
    const row = await requestRow(context.storage, id)
    // A decision that does not apply sends no mail.
    if (row.status !== 'pending') return async () => {}
    const mails = await context.mails.compose(row, [reviewOf(id, decision)])
    return async (within: Storage) => within.table('outboxMail').insertMany(mails)
  }

  /**
   * `true` accepts the open decisions of the plan that is approved, and none that another run finds. An unknown name is
   * refused.
   */
  async function acceptedOf(id: string, planHash: string | undefined, said: AcceptanceInput): Promise<Acceptance> {
    const accepted = acceptanceOf(said)
    if (Object.keys(accepted).length === 0) return accepted
    const { status } = await requestRow(context.storage, id)
    // In any other status the approval itself is refused below.
    const plan = status === 'pending' ? await context.planToApprove?.(id, planHash) : undefined
    if (!plan) return acceptedByName(accepted, {})
    refuseUnknown('approval', accepted, plan)
    return acceptedByName(accepted, openDecisions(plan))
  }

  return {
    async approve(id: string, { caller, ...options }: ApproveOptions = {}): Promise<PrivacyRequest> {
      const { planHash, ...said } = parseApproval(options)
      const accepted = await acceptedOf(id, planHash, said)
      const also = await mailOf(id, { decision: 'approved' })
      const row = await context.move(id, caller, (current) => ({
        event: 'approve',
        drop: ['needsReview', 'approvedPlanHash'],
        changes: {
          ...stamp(caller),
          ...(planHash !== undefined && { approvedPlanHash: planHash }),
          ...(Object.keys(accepted).length > 0 && { accepted: withAcceptance(current.accepted, accepted) }),
        },
        detail: {
          ...(planHash !== undefined && { planHash }),
          ...(Object.keys(accepted).length > 0 && { accepted: JSON.stringify(accepted) }),
        },
        also,
      }))
      context.mailed?.()
      return showWritten(context, await context.proceed(row))
    },

    async deny(id: string, { caller, ...options }: DenyOptions = {}): Promise<PrivacyRequest> {
      const { reason } = parseReason('denial', options)
      const row = await context.move(id, caller, {
        event: 'deny',
        drop: ['needsReview'],
        changes: { ...stamp(caller), ...(reason !== undefined && { denialReason: reason }) },
        also: await mailOf(id, { decision: 'denied', reason }),
      })
      context.mailed?.()
      return showWritten(context, row)
    },
  }
}
