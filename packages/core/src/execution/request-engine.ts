import { setMaxListeners } from 'node:events'
import type { ActionContext } from '../actions/action-context.js'
import { failureWatch } from '../actions/failure-watch.js'
import type { MailSettings } from '../actions/mail/request-mails.js'
import { manualUploadActions } from '../actions/manual/manual-upload-actions.js'
import { notDone } from '../actions/not-done.js'
import { erasureReplay } from '../actions/proof/erasure-replay.js'
import { legalHoldActions } from '../actions/proof/legal-hold-actions.js'
import type { CancelOptions } from '../actions/requests/cancellation-actions.js'
import { completionWrites } from '../actions/requests/completion-writes.js'
import { linkActions } from '../actions/requests/download-link.js'
import { requestActions } from '../actions/requests/request-actions.js'
import { type LinkSettings, type RequestCaller, requestContext } from '../actions/requests/request-context.js'
import type { ServiceKeys } from '../actions/service-keys.js'
import { webhookResumeActions } from '../actions/webhooks/webhook-resume-actions.js'
import type { Ready } from '../actions/while-open.js'
import { atMost } from '../async/at-most.js'
import { memoize } from '../async/memoize.js'
import { ongoingWork } from '../async/ongoing-work.js'
import type { Abortable } from '../async/within-seconds.js'
import { PrivacyError } from '../errors.js'
import type { Policy } from '../model/policy.js'
import type { PrivacyRequest, RequestStatus } from '../model/privacy-request.js'
import type { Blobs } from '../ports/blobs.js'
import type { Mailer } from '../ports/mailer.js'
import type { Queue } from '../ports/queue.js'
import type { PrivacyRequestRow } from '../ports/rows.js'
import type { Telemetry } from '../ports/telemetry.js'
import { type PackageTextOf, packageText } from '../rules/package/package-text.js'
import type { Plan } from '../rules/plan/plan.js'
import { actionOf } from '../rules/policy/action-of.js'
import type { OpenConnections } from './connect/open-connections.js'
import { forgetReleases } from './erase/subject-lock.js'
import { manualInputActions } from './manual/manual-input-actions.js'
import { packageActions } from './package/package-actions.js'
import { discardRun } from './run/discard-run.js'
import { type EventChannel, eventChannel } from './run/event-channel.js'
import { defaultLeaseSeconds, type LeaseOptions } from './run/hold-lease.js'
import { outbox } from './run/outbox.js'
import { planningSource } from './run/planning-source.js'
import { prepare } from './run/prepare.js'
import { requestRuns } from './run/request-runs.js'
import { retention } from './run/retention.js'
import { reviewActions } from './run/review-actions.js'
import type { RunOptions } from './run/run-options.js'
import { settledRequest } from './run/settled-request.js'
import { runIfClaimed } from './run/start-worker.js'
import type { Chore } from './run/upkeep.js'
import { observeRequests } from './watch/observe-requests.js'
import { noTelemetry } from './watch/safe-telemetry.js'
import { serviceHealth } from './watch/service-health.js'
import { watchedQueue } from './watch/watched-queue.js'
import type { WebhookSettings } from './webhooks/ask-webhook.js'

export interface RequestEngineOptions extends LeaseOptions {
  readonly context: ActionContext
  readonly blobs: Blobs
  readonly queue: Queue
  readonly connections: OpenConnections
  /** Default: its own. */
  readonly events?: EventChannel
  /** Default: none. */
  readonly telemetry?: Telemetry | undefined
  readonly policy: (key: string) => Promise<Policy>
  readonly serviceKeys: ServiceKeys
  /** Nothing runs before this has resolved. */
  readonly ready?: Ready
  readonly inferIdentities: boolean
  /** False: what no description says about whose rows are is open. Default: true. */
  readonly inferOwners?: boolean
  readonly concurrency: number
  readonly maxConcurrentPerConnection?: number | undefined
  readonly maxRounds: number
  /** An erasure does not begin while there is something that nobody has decided on. Default: false. */
  readonly strictCoverage?: boolean
  /** How long a run that fails because of something that may pass is repeated. Default: 0, not at all. */
  readonly retryMinutes?: number
  /** Default: 1. */
  readonly retryDelaySeconds?: number
  /** How long closing waits for runs to hand their requests back. Default: 10. */
  readonly closeSeconds?: number
  readonly immediate: boolean
  /** Default: true. */
  readonly inProcess?: boolean
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

/** Wires what answers privacy requests: the actions on them, their runs, and the upkeep beside these. */
export function requestEngine(options: RequestEngineOptions) {
  const { blobs, connections, policy, immediate, serviceKeys, ready, events = eventChannel() } = options
  const { telemetry = noTelemetry } = options
  const { storage, runtime, failures = failureWatch(events.emit, runtime) } = options.context
  const context = { ...options.context, failures }
  const queue = watchedQueue(options.queue, failures)
  const { inferIdentities, inferOwners = true, maxRounds, strictCoverage = false, webhooks } = options
  const { requireManualRequestApproval: approvalRequired, subjectIdentityVerificationRequired } = options
  const stop = new AbortController()
  /** Aborts once nothing runs any more. */
  const ended = new AbortController()
  // Every read of every run listens to `stop`, and every caller that waits for a request listens to `ended`.
  setMaxListeners(0, stop.signal, ended.signal)
  const work = ongoingWork()
  const { watch } = failures
  const changed = (requestId: string, status: RequestStatus) => events.emit({ type: 'request', requestId, status })
  const post = options.mailer && outbox({ context, mailer: options.mailer, emit: events.emit, signal: stop.signal })
  const sendMails = async () => post?.send() ?? 0
  const sendMailsSoon = () => void work.track(watch({ part: 'mails', doing: 'send mails' }, sendMails))

  const remember = memoize<Plan>(16)
  const source = planningSource(storage)
  const plan: RunOptions['prepare'] = (asked, identities, { fresh, proven, derived }) =>
    prepare(asked, identities, {
      source,
      connections,
      planOptions: { inferIdentities, inferOwners, proven, derived },
      remember,
      fresh,
    })
  const provenOnly = subjectIdentityVerificationRequired === true && !approvalRequired
  const { planToApprove, ...reviews } = reviewActions(context, { policy, plan, connections, provenOnly })

  const requests = requestContext(context, {
    queue,
    policy,
    immediate,
    approvalRequired,
    serviceKeys,
    rootClientId: options.rootClientId,
    changed,
    submitted: ({ id, status }, policy) =>
      events.emit({ type: 'request', requestId: id, status, step: 'submitted', actionType: actionOf(policy) }),
    mail: options.mail,
    links: options.links,
    mailed: sendMailsSoon,
    planToApprove,
    verification: subjectIdentityVerificationRequired ? { codeTtlSeconds: options.codeTtlSeconds ?? 600 } : undefined,
  })
  const { cancel, submit, ...actions } = requestActions(requests)
  const replay = erasureReplay(requests, async (input, also) => {
    const { id } = await submit(input, { caller: 'system' }, { preVerified: true, also })
    return id
  })
  const { createDownloadLink } = linkActions(requests)
  const { releaseRequests, ...manual } = manualUploadActions(requests)
  const { manualInput, confirmErasure, actionNeeded } = manualInputActions(requests)
  const { expireRequests, ...halted } = webhookResumeActions(requests)
  const { settleHolds, ...holds } = legalHoldActions(requests)
  const { sweep: destroyExpired } = retention({ context, blobs, signal: stop.signal, changed })

  const runOptions = {
    ...events,
    telemetry,
    context,
    blobs,
    connections,
    policy,
    webhooks,
    maxRounds,
    strictCoverage,
    approvalRequired,
    packageText: options.packageText ?? packageText(),
    holder: runtime.newId(),
    prepare: plan,
    stop: stop.signal,
    completing: (...end: Parameters<RunOptions['completing']>) => completionWrites(requests, ...end),
    completed: sendMailsSoon,
    leaseSeconds: options.leaseSeconds,
    retryMinutes: options.retryMinutes ?? 0,
    retryDelaySeconds: options.retryDelaySeconds ?? 1,
    lookAgain: ({ id, retry, lane }: PrivacyRequestRow) =>
      void queue.send(id, { ...(lane && { lane }), ...(retry && { notBefore: new Date(retry.at) }) }),
  }
  const moveWaiting: readonly Chore[] = [
    { name: 'missing uploads', counts: 'requestsMoved', do: releaseRequests },
    { name: 'halted requests', counts: 'requestsMoved', do: expireRequests },
    { name: 'legal holds', counts: 'requestsMoved', do: settleHolds },
  ]
  const chores: readonly Chore[] = [
    { name: 'mails', counts: 'mailsSent', do: sendMails },
    ...moveWaiting,
    { name: 'retention', counts: 'requestsDestroyed', do: destroyExpired },
    { name: 'released locks', do: () => forgetReleases(storage, runtime.now()) },
  ]
  const { loops, ...runs } = requestRuns({
    storage,
    runtime,
    queue,
    immediate,
    inProcess: options.inProcess ?? true,
    holder: runOptions.holder,
    leaseSeconds: options.leaseSeconds ?? defaultLeaseSeconds,
    approvalRequired,
    concurrency: options.concurrency,
    maxConcurrentPerConnection: options.maxConcurrentPerConnection,
    sweepSeconds: options.sweepSeconds,
    signal: stop.signal,
    watch,
    work,
    async run(id, { waits, permit, stop: ending = stop.signal }) {
      await ready?.()
      return runIfClaimed(id, { ...runOptions, stop: ending, waits, permit })
    },
    moveWaiting,
    chores,
    ready,
  })

  const unobserve = observeRequests(telemetry, context, approvalRequired)
  const health = serviceHealth({
    storage,
    runtime,
    blobs,
    queue: options.queue,
    check: async () => ready?.(),
    failures,
    loops,
  })

  return {
    health,
    ...actions,
    ...packageActions(requests, blobs),
    manualInput,
    confirmErasure,
    actionNeeded,
    ...manual,
    ...halted,
    ...reviews,
    ...runs,
    submit: (input: unknown, by: RequestCaller = {}) => submit(input, by),
    /** What was erased, and what a backup brought back of it. */
    replay,
    createDownloadLink,
    releaseRequests,
    holds,
    verificationRequired: subjectIdentityVerificationRequired === true,

    async cancel(id: string, cancellation: CancelOptions = {}): Promise<PrivacyRequest> {
      const request = await cancel(id, cancellation)
      if (request.status !== 'canceled') return request
      // It is canceled, whatever cannot be removed now. Its spools are encrypted, and a run that still stops removes them.
      await work
        .track(discardRun(storage, blobs, id))
        .catch(notDone(context, 'blobs', 'remove what a run has left', id))
      return request
    },

    settled: (id: string, { signal }: Abortable = {}): Promise<PrivacyRequest> =>
      settledRequest(context, events, id, { signal, closed: ended.signal }),

    on: events.on,

    async close(): Promise<void> {
      unobserve()
      stop.abort(new PrivacyError('unavailable', 'The service was closed while the request ran.', {}))
      // The lease of a run that does not stop in time ends by itself, and another process takes its request over.
      await atMost(work.settled(), options.closeSeconds ?? 10)
      ended.abort()
    },
  }
}
