import { atMost } from '../../async/at-most.js'
import type { Policy } from '../../model/policy.js'
import type { RequestStatus } from '../../model/privacy-request.js'
import type { Queue } from '../../ports/queue.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Plan } from '../../rules/plan/plan.js'
import { isReady } from '../../rules/request/request-lifecycle.js'
import type { ActionContext } from '../action-context.js'
import { type MailSettings, type RequestMails, requestMails } from '../mail/request-mails.js'
import { inputMissing } from '../manual/input-missing.js'
import { notDone } from '../not-done.js'
import { auditActor } from '../proof/audit-actions.js'
import type { ServiceKeys } from '../service-keys.js'
import { moveOrRefuse, moveRequest, type RequestMove, requestRow } from './move-request.js'

export interface RequestActionOptions {
  readonly queue: Queue
  /** Rejects with `not_found` for an unknown key. */
  readonly policy: (key: string) => Promise<Policy>
  /** False: no hint is sent for a new request; it waits until the host runs it. */
  readonly immediate: boolean
  /** True: a request waits until a person approves or denies it. */
  readonly approvalRequired: boolean
  readonly serviceKeys: ServiceKeys
  readonly rootClientId?: string | undefined
  /** Absent: identities need no verification. */
  readonly verification?: VerificationSettings | undefined
  /** Absent: no mails are written. */
  readonly mail?: MailSettings | undefined
  /** Default: links are valid for a day, and mails contain none. */
  readonly links?: LinkSettings | undefined
  /**
   * The plan with which a request is approved: the one with the hash that the reviewer saw, or else the current one.
   */
  readonly planToApprove?: (id: string, planHash: string | undefined) => Promise<Plan>
  /** Called after a mail was put into the outbox. */
  readonly mailed?: () => void
  /** Called after a request was submitted. */
  readonly submitted?: (row: PrivacyRequestRow, policy: Policy) => void
  /** Called after a request has changed its status. */
  readonly changed?: (id: string, status: RequestStatus) => void
}

/** The caller on whose behalf an action runs; without it, the host calls. */
export interface RequestCaller {
  /** A client's id, or `subject` for the person of the request. */
  readonly caller?: string | undefined
}

/** How long an action waits for its hint to be sent. A server of hints that is away must not hold it up. */
const hintSeconds = 5

type MadeMove = Omit<RequestMove, 'actor'>

/** The context of every action on requests. */
export interface RequestContext extends ActionContext, Omit<RequestActionOptions, 'links'> {
  readonly links: LinkSettings
  readonly mails: RequestMails
  /** Sends the hint that a request can be run now. */
  tell(id: string): Promise<void>
  /** Starts the next step of a request that is new, or has just been verified or approved; gives its row after that. */
  proceed(row: PrivacyRequestRow, policy?: Policy): Promise<PrivacyRequestRow>
  /** The name of a caller in the audit trail. */
  actorOf(caller: string | undefined): string
  /**
   * Moves a request for a caller, repeating when other writes come first, and reports the new status. Rejects with
   * `invalid_state` where the status does not allow the event.
   */
  move(
    id: string,
    caller: string | undefined,
    made: MadeMove | ((row: PrivacyRequestRow) => MadeMove),
  ): Promise<PrivacyRequestRow>
}

export function requestContext(context: ActionContext, options: RequestActionOptions): RequestContext {
  const actorOf = (caller: string | undefined) => auditActor(caller, options.rootClientId)
  const tell = async (id: string) => {
    // The row is the job: a lost hint only delays the request until the worker looks for requests by itself.
    if (options.immediate) await atMost(options.queue.send(id), hintSeconds)
  }
  /** A request whose uploads are missing waits for them before anything runs. */
  const waitForInput = async (row: PrivacyRequestRow, known?: Policy): Promise<PrivacyRequestRow | undefined> => {
    const missingInput = await inputMissing(context.storage, row, known ?? (await options.policy(row.policyKey)))
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
    async proceed(row, policy) {
      if (!isReady(row, options.approvalRequired)) return row
      // If this fails now, the run finds the missing uploads.
      const waiting = await waitForInput(row, policy).catch(
        notDone(context, 'storage', 'look for missing uploads', row.id),
      )
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
  /** The public URL of the HTTP interface, without a slash at its end. */
  readonly publicUrl?: string | undefined
}
