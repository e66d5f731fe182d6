import { setMaxListeners } from 'node:events'
import type { ActionContext } from '../actions/action-context.js'
import type { MailSettings } from '../actions/mail/request-mails.js'
import { manualUploadActions } from '../actions/manual/manual-upload-actions.js'
import { erasureReplay } from '../actions/proof/erasure-replay.js'
import { legalHoldActions } from '../actions/proof/legal-hold-actions.js'
import type { CancelOptions } from '../actions/requests/cancellation-actions.js'
import { policyOf } from '../actions/requests/check-submission.js'
import { completionWrites } from '../actions/requests/completion-writes.js'
import { linkActions } from '../actions/requests/download-link.js'
import { invalidState, requestRow } from '../actions/requests/move-request.js'
import { openPersonalData } from '../actions/requests/personal-data.js'
import { requestActions } from '../actions/requests/request-actions.js'
import { type LinkSettings, type RequestCaller, requestContext } from '../actions/requests/request-context.js'
import type { ServiceKeys } from '../actions/service-keys.js'
import { tookEffect } from '../actions/until-written.js'
import { policyWebhooks } from '../actions/webhooks/policy-webhooks.js'
import { webhookResumeActions } from '../actions/webhooks/webhook-resume-actions.js'
import { memoize } from '../async/memoize.js'
import { untilAborted } from '../async/until-aborted.js'
import type { Abortable } from '../async/within-seconds.js'
import { PrivacyError } from '../errors.js'
import type { Identity } from '../model/identity.js'
import type { Policy } from '../model/policy.js'
import { type PrivacyRequest, parseSubmission, type RequestStatus } from '../model/privacy-request.js'
import type { Blobs } from '../ports/blobs.js'
import type { Mailer } from '../ports/mailer.js'
import type { Queue } from '../ports/queue.js'
import type { PrivacyRequestRow } from '../ports/rows.js'
import { planHash } from '../results/proof/plan-hash.js'
import { type PackageTextOf, packageText } from '../rules/package/package-text.js'
import type { Plan } from '../rules/plan/plan.js'
import { planMermaid } from '../rules/plan/plan-mermaid.js'
import { planText } from '../rules/plan/plan-text.js'
import { unverifiedProperties, verifiedProperties } from '../rules/request/proven-properties.js'
import type { OpenConnections } from './connect/open-connections.js'
import { forgetReleases } from './erase/subject-lock.js'
import { manualInputActions } from './manual/manual-input-actions.js'
import { packageActions } from './package/package-actions.js'
import { discardRun } from './run/discard-run.js'
import { eventChannel } from './run/event-channel.js'
import { outbox } from './run/outbox.js'
import { planningSource } from './run/planning-source.js'
import { prepare } from './run/prepare.js'
import { retention } from './run/retention.js'
import type { RunOptions } from './run/run-options.js'
import { settledRequest } from './run/settled-request.js'
import { doChores, startUpkeep } from './run/start-upkeep.js'
import { runIfClaimed, startWorker, waitingRequests } from './run/start-worker.js'
import { reviewedPlan, storePlan } from './run/store-plan.js'
import type { WebhookSettings } from './webhooks/ask-webhook.js'
import { identitiesSoFar } from './webhooks/call-webhooks.js'

export interface RequestEngineOptions {
  readonly context: ActionContext
  readonly blobs: Blobs
  readonly queue: Queue
  readonly connections: OpenConnections
  readonly policy: (key: string) => Promise<Policy>
  readonly serviceKeys: ServiceKeys
  readonly inferIdentities: boolean
  /** False: what no description says about whose rows are is open. Default: true. */
  readonly inferOwners?: boolean
  readonly concurrency: number
  readonly maxRounds: number
  /** An erasure does not begin while there is something that nobody has decided on. Default: false. */
  readonly strictCoverage?: boolean
  readonly immediate: boolean
  readonly requireManualRequestApproval: boolean
  readonly subjectIdentityVerificationRequired?: boolean
  readonly codeTtlSeconds?: number
  readonly mailer?: Mailer | undefined
  /** Absent: no mails are written. */
  readonly mail?: MailSettings
  readonly links?: LinkSettings
  readonly rootClientId?: string | undefined
  readonly sweepSeconds: number
  readonly webhooks: WebhookSettings
  /** Default: English, whatever is asked for. */
  readonly packageText?: PackageTextOf
}

/** What a run would do, and nothing executed. `text` and `mermaid` say the same as `plan`, for people. */
export interface Preview {
  readonly plan: Plan
  readonly text: string
  readonly mermaid: string
}

/** What somebody looks at who has to approve a request or deny it. */
export interface Review extends Preview {
  /** To be given with the approval: a run that finds another plan then waits for another approval. */
  readonly planHash: string
  /** Names of properties that the person claims and nobody has checked: approving takes them for proven. */
  readonly unproven: readonly string[]
}

/** Privacy requests with the engine that runs them. */
export function requestEngine(options: RequestEngineOptions) {
  const { context, blobs, queue, connections, policy, immediate, serviceKeys } = options
  const { storage, runtime } = context
  const stop = new AbortController()
  /** Aborts once nothing runs any more. */
  const ended = new AbortController()
  // All reads of all runs listen to `stop`, and all who wait for a request listen to `ended`.
  setMaxListeners(0, stop.signal, ended.signal)
  const events = eventChannel()
  const approvalRequired = options.requireManualRequestApproval
  const changed = (requestId: string, status: RequestStatus) => events.emit({ type: 'request', requestId, status })
  const requests = requestContext(context, {
    ...{ queue, policy, immediate, approvalRequired, serviceKeys, rootClientId: options.rootClientId },
    changed,
    mail: options.mail,
    links: options.links,
    mailed: () => void track(sendMails()).catch(() => {}),
    planToApprove: async (id, hash) => (await lookedAt(id, hash)) ?? (await planNow(id)).plan,
    ...(options.subjectIdentityVerificationRequired && {
      verification: { codeTtlSeconds: options.codeTtlSeconds ?? 600 },
    }),
  })
  const post = options.mailer && outbox({ context, mailer: options.mailer, emit: events.emit, signal: stop.signal })
  const sendMails = async () => post?.send()
  const { cancel, submit, ...actions } = requestActions(requests)
  const replay = erasureReplay(requests, async (input, also) => {
    const { id } = await submit(input, { caller: 'system' }, { preVerified: true, also })
    return id
  })
  const { createDownloadLink } = linkActions(requests)
  const { releaseRequests, ...manual } = manualUploadActions(requests)
  const { expireRequests, ...halted } = webhookResumeActions(requests)
  const { manualInput, confirmErasure, actionNeeded } = manualInputActions(requests)
  const { settleHolds, ...holds } = legalHoldActions(requests)
  /** What becomes of requests that wait for people. */
  const waiting = [releaseRequests, expireRequests, settleHolds]
  const { sweep: destroyExpired } = retention({ context, blobs, signal: stop.signal, changed })
  const chores = [sendMails, ...waiting, destroyExpired, () => forgetReleases(storage, runtime.now())]
  const source = planningSource(storage)
  const remember = memoize<Plan>(16)
  const holder = runtime.newId()
  const plan: RunOptions['prepare'] = (asked, identities, { fresh, proven, derived = [] }) =>
    prepare(asked, identities, {
      source,
      connections,
      planOptions: {
        ...{ inferIdentities: options.inferIdentities, inferOwners: options.inferOwners ?? true },
        ...(proven && { proven }),
        ...(derived.length > 0 && { derived }),
      },
      remember,
      fresh,
    })
  /** The plan that a request would run with once it is approved. */
  const planNow = async (id: string, signal?: AbortSignal) => {
    const { policyKey } = await requestRow(storage, id)
    const { dataKey, identities: submitted } = await openPersonalData(context, id)
    const { pre_execution: webhooks } = await policyWebhooks(storage, policyKey)
    const { identities, derived } = await identitiesSoFar(webhooks, submitted, { context, requestId: id, dataKey })
    const applied = await policy(policyKey)
    return { ...(await untilAborted(plan(applied, identities, { fresh: true, derived }), signal)), applied }
  }
  const lookedAt = async (id: string, hash: string | undefined): Promise<Plan | undefined> => {
    const seen = (await storage.table('requestPlan').get(reviewedPlan(id)))?.plan as Plan | undefined
    return seen && (hash === undefined || planHash(seen) === hash) ? seen : undefined
  }
  const told = (made: Plan): Preview => ({ plan: made, text: planText(made), mermaid: planMermaid(made) })
  const { maxRounds, strictCoverage = false, webhooks, packageText: textsOf = packageText() } = options
  const given = { context, blobs, connections, policy, webhooks, serviceKeys, packageText: textsOf }
  const runOptions = { ...given, holder, approvalRequired, ...events, maxRounds, strictCoverage }
  const ending = {
    completing: (...end: [PrivacyRequestRow, Partial<PrivacyRequest>, { whateverHappens?: boolean }?]) =>
      completionWrites(requests, ...end),
    completed: () => void track(sendMails()).catch(() => {}),
  }
  const run = (id: string) => runIfClaimed(id, { ...runOptions, ...ending, stop: stop.signal, prepare: plan })
  const underway = new Set<Promise<unknown>>()
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    const settled: Promise<unknown> = work.catch(() => {}).finally(() => underway.delete(settled))
    underway.add(settled)
    return work
  }
  void track(startUpkeep({ everySeconds: options.sweepSeconds, signal: stop.signal, chores }))
  if (immediate) {
    const { concurrency, sweepSeconds } = options
    const worker = { storage, runtime, queue, concurrency, sweepSeconds, approvalRequired, signal: stop.signal, run }
    void track(startWorker(worker))
  }

  return {
    ...actions,
    ...packageActions(requests, blobs),
    submit: (input: unknown, by: RequestCaller = {}) => submit(input, by),
    /** What was erased, and what a backup brought back of it. */
    replay,
    createDownloadLink,
    ...manual,
    ...halted,
    manualInput,
    confirmErasure,
    actionNeeded,
    releaseRequests,
    holds,
    verificationRequired: options.subjectIdentityVerificationRequired === true,

    async cancel(id: string, cancellation: CancelOptions = {}): Promise<PrivacyRequest> {
      const request = await cancel(id, cancellation)
      if (request.status !== 'canceled') return request
      // It is canceled, whatever cannot be removed now: that lies encrypted, and a run that still stops removes it too.
      await track(discardRun(storage, blobs, id)).catch(() => {})
      return request
    },

    async preview(
      input: { readonly policyKey: string; readonly identities: readonly Identity[] },
      { signal }: Abortable = {},
    ): Promise<Preview> {
      signal?.throwIfAborted()
      const { value } = parseSubmission(input)
      // Where nobody looks at a request before it runs, only what the code proves finds anything.
      const isChecked = options.subjectIdentityVerificationRequired && !approvalRequired
      const proven = isChecked ? verifiedProperties({ unproven: unverifiedProperties(value.identities) }) : undefined
      const prepared = plan(await policyOf(value, policy), value.identities, { fresh: true, proven })
      const { plan: made } = await untilAborted(prepared, signal)
      return told(made)
    },

    async review(id: string, { signal }: Abortable = {}): Promise<Review> {
      signal?.throwIfAborted()
      const { unproven = [], reviewedAt } = await requestRow(storage, id)
      const { plan: made, applied } = await planNow(id, signal)
      // Two who look at the same time store the same plan.
      await tookEffect(() => storePlan((work) => storage.transaction(work), reviewedPlan(id), made, applied))
      return { ...told(made), planHash: planHash(made), unproven: reviewedAt === undefined ? unproven : [] }
    },

    async run(id?: string): Promise<void> {
      stop.signal.throwIfAborted()
      if (id === undefined) {
        await track(doChores(waiting))
        for (const each of await waitingRequests({ ...context, approvalRequired })) await track(run(each))
        await track(doChores(chores))
        return
      }
      await requestRow(storage, id)
      if (!(await track(run(id)))) throw invalidState(await requestRow(storage, id), 'run')
    },

    settled: (id: string, { signal }: Abortable = {}): Promise<PrivacyRequest> =>
      settledRequest(context, events, id, { signal, closed: ended.signal }),

    async plan(id: string): Promise<Plan | undefined> {
      await requestRow(storage, id)
      return (await storage.table('requestPlan').get(id))?.plan as Plan | undefined
    },

    on: events.on,

    async close(): Promise<void> {
      stop.abort(new PrivacyError('unavailable', 'The service was closed while the request ran.', {}))
      await Promise.all(underway)
      ended.abort()
    },
  }
}
