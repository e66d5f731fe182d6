import type { Policy } from '../../model/policy.js'
import type { RequestStatus } from '../../model/privacy-request.js'
import type { Queue } from '../../ports/queue.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Plan } from '../../rules/plan/plan.js'
import { readyStatuses } from '../../rules/request/request-lifecycle.js'
import type { ActionContext } from '../action-context.js'
import { type MailSettings, type RequestMails, requestMails } from '../mail/request-mails.js'
import { inputMissing } from '../manual/input-missing.js'
import { auditActor } from '../proof/audit-actions.js'
import type { ServiceKeys } from '../service-keys.js'
import { moveOrRefuse, moveRequest, type RequestMove, requestRow } from './move-request.js'

export interface RequestActionOptions {
  readonly queue: Queue
  /** Rejects with `not_found` when there is none. */
  readonly policy: (key: string) => Promise<Policy>
  /** False: nobody is told of a new request, it waits to be run. */
  readonly immediate: boolean
  /** True: a request waits for somebody to approve or deny it. */
  readonly approvalRequired: boolean
  readonly serviceKeys: ServiceKeys
  readonly rootClientId?: string | undefined
  /** Absent: nobody has to verify anything. */
  readonly verification?: VerificationSettings | undefined
  /** Absent: no mails are written. */
  readonly mail?: MailSettings | undefined
  /** Default: links for a day, and none in mails. */
  readonly links?: LinkSettings | undefined
  /** The plan that a request is approved with: the one somebody looked at, or else the one of now. */
  readonly planToApprove?: (id: string, planHash: string | undefined) => Promise<Plan>
  /** Told after a mail was put into the outbox. */
  readonly mailed?: () => void
  /** Told after a request has changed its status. */
  readonly changed?: (id: string, status: RequestStatus) => void
}

/** On whose behalf something is done to a request; without it, the host's own. */
export interface RequestCaller {
  /** A client's id, or `subject` for the person it is about. */
  readonly caller?: string | undefined
}

type MadeMove = Omit<RequestMove, 'actor'>

/** What every action on requests is given. */
export interface RequestContext extends ActionContext, Omit<RequestActionOptions, 'links'> {
  readonly links: LinkSettings
  readonly mails: RequestMails
  /** Says that a request can be run now. */
  tell(id: string): Promise<void>
  /** Sees to whatever comes next for a request that is new, or has just been verified or approved; gives it as it is then. */
  proceed(row: PrivacyRequestRow): Promise<PrivacyRequestRow>
  /** What the audit trail calls a caller. */
  actorOf(caller: string | undefined): string
  /** Moves a request for a caller, whoever else writes to it, and says so; rejects with `invalid_state` where it has no meaning. */
  move(
    id: string,
    caller: string | undefined,
    made: MadeMove | ((row: PrivacyRequestRow) => MadeMove),
  ): Promise<PrivacyRequestRow>
}

export function requestContext(context: ActionContext, options: RequestActionOptions): RequestContext {
  const actorOf = (caller: string | undefined) => auditActor(caller, options.rootClientId)
  const tell = async (id: string) => {
    // The row is the job: a hint that is lost costs the time until the worker looks around by itself.
    if (options.immediate) await options.queue.send(id).catch(() => {})
  }
  /** A request that lacks what people have to look up waits for it, before anything is run. */
  const waitForInput = async (row: PrivacyRequestRow): Promise<PrivacyRequestRow | undefined> => {
    const missingInput = await inputMissing(context.storage, row, await options.policy(row.policyKey))
    if (missingInput.length === 0) return undefined
    const moved = await moveRequest(context, row, { event: 'needInput', actor: 'system', changes: { missingInput } })
    if (moved) options.changed?.(row.id, moved.status)
    return moved ?? requestRow(context.storage, row.id)
  }
  return {
    ...context,
    ...options,
    mails: requestMails(context, options.mail),
    links: options.links ?? { ttlSeconds: 86_400 },
    actorOf,
    tell,
    async proceed(row) {
      if (!readyStatuses(options.approvalRequired).includes(row.status)) return row
      // What cannot be found out now, its run finds out.
      const waiting = await waitForInput(row).catch(() => undefined)
      if (!waiting) await tell(row.id)
      return waiting ?? row
    },
    async move(id, caller, made) {
      const moveOf = (row: PrivacyRequestRow): RequestMove => ({
        ...(typeof made === 'function' ? made(row) : made),
        actor: actorOf(caller),
      })
      const moved = await moveOrRefuse(context, id, moveOf)
      options.changed?.(id, moved.status)
      return moved
    },
  }
}

export interface VerificationSettings {
  readonly codeTtlSeconds: number
}

export interface LinkSettings {
  readonly ttlSeconds: number
  /** Where the HTTP interface is mounted, as people reach it; without a slash at its end. */
  readonly publicUrl?: string | undefined
}
