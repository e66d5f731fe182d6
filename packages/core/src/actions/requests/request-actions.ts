import { semaphore } from '../../async/semaphore.js'
import { type Acceptance, type AcceptanceInput, acceptanceOf, withAcceptance } from '../../model/acceptance.js'
import type { AuditEntry } from '../../model/audit-entry.js'
import { isPlainObject } from '../../model/clean-input.js'
import type { ErasureReceipt } from '../../model/erasure-receipt.js'
import type { Identity } from '../../model/identity.js'
import type { Warning } from '../../model/parse-input.js'
import {
  type ExecutionLog,
  type PrivacyRequest,
  parseAcceptance,
  parseSubmission,
  type RequestStatus,
  type UnknownMembers,
} from '../../model/privacy-request.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Storage, Where } from '../../ports/storage.js'
import { acceptanceWarnings } from '../../rules/findings/acceptance-issues.js'
import { acceptedByName, type OpenDecisions, openDecisions } from '../../rules/plan/open-decisions.js'
import type { Plan } from '../../rules/plan/plan.js'
import { unverifiedProperties } from '../../rules/request/proven-properties.js'
import { receiptOf } from '../mail/request-notifications.js'
import { emptyPage, inOrder, listIssues, type Page, type Paging, readPage, refuseIssues } from '../paging.js'
import { auditActions, noEntries, writeAudited } from '../proof/audit-actions.js'
import { evidenceActions } from '../proof/evidence-actions.js'
import { readReceipt } from '../proof/store-receipt.js'
import { cancellationActions } from './cancellation-actions.js'
import { callersKey, policyOf, refuseContrary, refuseUnknown } from './check-submission.js'
import { dueDate } from './due-date.js'
import { extensionActions } from './extension-actions.js'
import { identityHashes } from './identity-hashes.js'
import {
  invalidState,
  type RequestMove,
  requestRow,
  requestSubject,
  requestWithMails,
  storedUntil,
} from './move-request.js'
import { openPersonalData, sealPersonalData } from './personal-data.js'
import type { RequestCaller, RequestContext } from './request-context.js'
import { type RequestExportOptions, requestCsv } from './request-csv.js'
import { type RequestListOptions, requestQuery } from './request-query.js'
import { reviewActions } from './review-actions.js'
import { showRequests, showWith, showWritten } from './show-requests.js'
import { submittedMembers } from './submitted-members.js'
import { verificationActions } from './verification-actions.js'
import { verificationCodes } from './verification-codes.js'

export type SubmittedRequest = PrivacyRequest & { readonly warnings: readonly Warning[] }

export interface RetryOptions extends RequestCaller, AcceptanceInput {}

function accepting(submission: AcceptanceInput): { accepted?: Acceptance } {
  const accepted = acceptanceOf(submission)
  return Object.keys(accepted).length > 0 ? { accepted } : {}
}

/**
 * The events that may accept open decisions, by status. In any other status the event itself is refused, whatever is
 * accepted.
 */
const statusEvents: { readonly [Status in RequestStatus]?: 'retry' | 'resume' } = { error: 'retry', paused: 'resume' }

/** The trail names what was accepted. A name that the plan of the last run does not know is refused. */
function acceptingMove(
  event: 'retry' | 'resume',
  said: Acceptance,
  plan: Plan | undefined,
  namedFor: (row: PrivacyRequestRow) => Partial<OpenDecisions>,
) {
  return (row: PrivacyRequestRow): Pick<RequestMove, 'event' | 'changes' | 'detail'> => {
    const named = namedFor(row)
    if (plan && event === statusEvents[row.status]) refuseUnknown('acceptance', said, plan, named)
    const accepted = acceptedByName(said, named)
    if (Object.keys(accepted).length === 0) return { event, changes: {} }
    const changes = { accepted: withAcceptance(row.accepted, accepted) }
    return { event, changes, detail: { accepted: JSON.stringify(accepted) } }
  }
}

/** The open decisions named by a request that waits for one. */
function namedAtPause({ actionRequired }: PrivacyRequestRow): Partial<OpenDecisions> {
  return acceptedByName(acceptanceOf(actionRequired?.accept ?? {}), {}) as Partial<OpenDecisions>
}

/** The open decisions of a failed run: those of its plan, and those of the rows it found. */
function namedByRun(plan: Plan | undefined, { results = [] }: PrivacyRequestRow): Partial<OpenDecisions> {
  const named = plan && openDecisions(plan)
  const found = results.flatMap(({ undecided = [] }) => undecided.map(({ reference }) => reference))
  return { ...named, undecided: [...new Set([...(named?.undecided ?? []), ...found])] }
}

/** More at once are not faster, and what each of them holds until it is stored would fill the memory of the process. */
const submissionsAtOnce = 32

/** Options for requests that the service submits itself. */
interface SubmitOptions {
  /** True: the identities need no verification, and no mail about the request is sent. */
  readonly preVerified?: boolean
  /** Writes that are stored together with the request, or not at all. */
  readonly also?: (within: Storage) => Promise<void>
}

/**
 * Privacy requests as callers see them; the engine runs them. Every action rejects with `not_found` for an unknown id.
 */
export function requestActions(context: RequestContext) {
  const { storage, runtime } = context
  const permits = semaphore(submissionsAtOnce)
  const requests = storage.table('privacyRequest')
  const audit = auditActions(context)
  const identities = identityHashes(context.serviceKeys)
  /** Ids of the requests with this value in an identity. */
  const requestsOf = async (value: Identity[string]): Promise<readonly string[]> => {
    const where = { identityHash: { equals: await identities.hash(value) } }
    return (await storage.table('requestIdentity').find({ where })).map(({ requestId }) => requestId)
  }

  /** Read only where something is accepted. */
  const lastPlan = async (id: string, accepted: Acceptance): Promise<Plan | undefined> => {
    if (Object.keys(accepted).length === 0) return undefined
    return (await storage.table('requestPlan').get(id))?.plan as Plan | undefined
  }
  const codes = verificationCodes(context)
  const { approve, deny } = reviewActions(context)
  const { extendDeadline } = extensionActions(context)
  const { cancel } = cancellationActions(context)
  const { verify, resend } = verificationActions(context, codes)

  return {
    approve,
    deny,
    verify,
    resend,
    extendDeadline,
    cancel,
    ...evidenceActions(context),

    async submit(
      input: unknown,
      { caller, ignoreUnknown }: RequestCaller & UnknownMembers = {},
      { preVerified = false, also }: SubmitOptions = {},
    ): Promise<SubmittedRequest> {
      const { value: submission, warnings } = parseSubmission(input, { ignoreUnknown })
      using _permit = await permits.acquire()
      const policy = await policyOf(submission, context.policy)
      refuseContrary(policy, submission)
      const encryptionKey = callersKey(submission)
      const isVerified = preVerified || !context.verification
      if (!isVerified)
        codes.check(submission.identities, isPlainObject(input) && input['identity'] ? 'identity' : 'identities')
      const id = `pri_${runtime.newId()}`
      const createdAt = runtime.now().toISOString()
      const requestedAt = submission.requestedAt ?? createdAt
      const { execution_timeframe: timeframe } = policy
      const dated = { requestedAt, ...(timeframe !== undefined && { timeframe }) }
      const unproven = isVerified ? [] : unverifiedProperties(submission.identities)
      const status = isVerified ? 'pending' : 'identity_unverified'
      const { accepted } = accepting(submission)
      const warned = acceptanceWarnings(accepted ?? {}, submission.identities)
      const row: PrivacyRequestRow = {
        id,
        version: 1,
        status,
        ...storedUntil({ status }, context),
        policyKey: policy.service_key,
        ...submittedMembers(submission),
        createdAt,
        ...dated,
        ...dueDate(dated, context.options.timeZone),
        ...(unproven.length > 0 && { unproven }),
        ...(accepted && { accepted }),
        encrypted: encryptionKey !== undefined,
        ...(preVerified && { mailsSuppressed: true as const }),
        // Another process on the same storage may have other options.
        ...(context.approvalRequired && { needsReview: true }),
      }
      const { row: key, dataKey } = await sealPersonalData(context, id, submission.identities, encryptionKey)
      const opened = { dataKey, identities: submission.identities }
      const hashed = await identities.rows(runtime, id, submission.identities)
      const issued = isVerified ? undefined : await codes.issue(row, opened)
      const mails = issued?.mails ?? (await context.mails.compose(row, [receiptOf(row, context.options)], { opened }))
      const entry = {
        actor: context.actorOf(caller),
        action: 'request_submitted',
        subject: requestSubject(id),
        detail: {
          to: row.status,
          policy: row.policyKey,
          ...(accepted && { accepted: JSON.stringify(accepted) }),
        },
      }
      let submitted = row
      const submit = (storage: Storage) =>
        writeAudited({ storage, runtime }, noEntries, entry, (auditHead) => {
          submitted = { ...row, auditHead }
          return [
            { kind: 'privacyRequest', insert: [submitted] },
            { kind: 'requestKey', insert: [key] },
            { kind: 'requestIdentity', insert: hashed },
            { kind: 'verificationCode', insert: issued ? [issued.code] : [] },
            { kind: 'outboxMail', insert: mails },
          ]
        })
      if (!also) await submit(storage)
      else {
        await storage.transaction(async (within) => {
          await submit(within)
          await also(within)
        })
      }
      if (mails.length > 0) context.mailed?.()
      context.submitted?.(row, policy)
      const proceeded = await context.proceed(submitted, policy)
      return { ...showWith(context, proceeded, mails), warnings: [...warnings, ...warned] }
    },

    async get(id: string): Promise<PrivacyRequest> {
      const { row, mails } = await requestWithMails(storage, id)
      return showWith(context, row, mails)
    },

    async list(options: RequestListOptions = {}): Promise<Page<PrivacyRequest>> {
      const { where: asked, orderBy } = requestQuery(options, runtime.now())
      const ids = options.identity === undefined ? undefined : await requestsOf(options.identity)
      if (ids?.length === 0) return emptyPage(options)
      const where: Where<'privacyRequest'> = ids ? { ...asked, id: { ...asked.id, in: ids } } : asked
      const { items, ...page } = await readPage(inOrder(requests, orderBy), where, options, (row) => row)
      return { ...page, items: await showRequests(context, items) }
    },

    async exportCsv(options: RequestExportOptions = {}): Promise<AsyncIterable<string>> {
      const { identities: _, ...filters } = options
      requestQuery(filters, runtime.now())
      const ids = options.identity === undefined ? undefined : await requestsOf(options.identity)
      return requestCsv(context, options, ids)
    },

    async identities(id: string): Promise<readonly Identity[]> {
      await requestRow(storage, id)
      return (await openPersonalData(context, id)).identities
    },

    async retry(id: string, { caller, ...options }: RetryOptions = {}): Promise<PrivacyRequest> {
      const accepted = parseAcceptance(options)
      const plan = await lastPlan(id, accepted)
      const move = acceptingMove('retry', accepted, plan, (row) => namedByRun(plan, row))
      const row = await context.move(id, caller, move)
      await context.tell(id)
      return showWritten(context, row)
    },

    async accept(id: string, input: AcceptanceInput, { caller }: RequestCaller = {}): Promise<PrivacyRequest> {
      const accepted = parseAcceptance(input)
      const move = acceptingMove('resume', accepted, await lastPlan(id, accepted), namedAtPause)
      const row = await context.move(id, caller, (current) => {
        if (current.status !== 'paused' || !current.actionRequired?.accept)
          throw invalidState(current, 'resume', 'accept')
        return move(current)
      })
      await context.tell(id)
      return showWritten(context, row)
    },

    async log(id: string, paging: Paging = {}): Promise<Page<ExecutionLog>> {
      refuseIssues(listIssues(paging))
      await requestRow(storage, id)
      const entries = inOrder(storage.table('executionLog'), [{ field: 'createdAt' }])
      return readPage(entries, { requestId: { equals: id } }, paging, ({ version, ...entry }) => entry)
    },

    receipt: (id: string): Promise<ErasureReceipt> => readReceipt(storage, id),

    async auditTrail(id: string, paging: Paging = {}): Promise<Page<AuditEntry>> {
      refuseIssues(listIssues(paging))
      await requestRow(storage, id)
      return audit.list({ ...paging, subject: requestSubject(id) })
    },
  }
}
