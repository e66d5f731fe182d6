import { setMaxListeners } from 'node:events'
import type { ActionContext } from '../actions/context.js'
import type { Abortable } from '../actions/deadline.js'
import { invalidState, requestRow } from '../actions/request-rows.js'
import { type CancelOptions, requestActions } from '../actions/requests.js'
import type { ServiceKeys } from '../actions/service-keys.js'
import { policyOf } from '../actions/submission.js'
import { PrivacyError } from '../errors.js'
import type { Identity } from '../model/identity.js'
import type { Policy } from '../model/policy.js'
import { type PackageFile, type PrivacyRequest, parseSubmission } from '../model/privacy-request.js'
import type { Blobs } from '../ports/blobs.js'
import type { Queue } from '../ports/queue.js'
import type { Plan } from '../rules/plan.js'
import { planMermaid } from '../rules/plan-mermaid.js'
import { planText } from '../rules/plan-text.js'
import { discardRun } from './discard-run.js'
import { eventChannel } from './event-channel.js'
import type { OpenConnections } from './open-connections.js'
import { planningSource } from './planning-source.js'
import { prepare } from './prepare.js'
import { remembered } from './remembered.js'
import { type RequestPackage, requestPackage } from './request-package.js'
import { settledRequest } from './settled.js'
import { untilAborted } from './until-aborted.js'
import { runIfClaimed, startWorker, waitingRequests } from './worker.js'

export interface RequestEngineOptions {
  readonly context: ActionContext
  readonly blobs: Blobs
  readonly queue: Queue
  readonly connections: OpenConnections
  readonly policy: (key: string) => Promise<Policy>
  readonly serviceKeys: ServiceKeys
  readonly inferIdentities: boolean
  readonly concurrency: number
  readonly maxRounds: number
  readonly immediate: boolean
  readonly sweepSeconds: number
}

/** What a run would do, and nothing executed. `text` and `mermaid` say the same as `plan`, for people. */
export interface Preview {
  readonly plan: Plan
  readonly text: string
  readonly mermaid: string
}

/** Privacy requests with the engine that runs them. */
export function requestEngine(options: RequestEngineOptions) {
  const { context, blobs, queue, connections, policy, immediate, serviceKeys } = options
  const { storage, runtime } = context
  const stop = new AbortController()
  // Every read of every run listens to it.
  setMaxListeners(0, stop.signal)
  const events = eventChannel()
  const { cancel, ...actions } = requestActions(context, { queue, policy, immediate, serviceKeys })
  const source = planningSource(storage)
  const remember = remembered<Plan>(16)
  const holder = runtime.newId()
  const plan = (asked: Policy, identities: readonly Identity[], { fresh }: { readonly fresh: boolean }) =>
    prepare(asked, identities, {
      source,
      connections,
      identityOptions: { inferIdentities: options.inferIdentities },
      remember,
      fresh,
    })
  const runOptions = { context, blobs, connections, policy, holder, ...events, maxRounds: options.maxRounds }
  const run = (id: string) => runIfClaimed(id, { ...runOptions, stop: stop.signal, prepare: plan })
  const underway = new Set<Promise<unknown>>()
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    const settled: Promise<unknown> = work.catch(() => {}).finally(() => underway.delete(settled))
    underway.add(settled)
    return work
  }
  if (immediate) {
    const { concurrency, sweepSeconds } = options
    void track(startWorker({ storage, queue, concurrency, sweepSeconds, signal: stop.signal, run }))
  }

  return {
    ...actions,

    /**
     * Ends a request that is not wanted any more, for good, and whatever runs for it; what it has read is removed.
     * Exactly one of several callers succeeds; rejects with `invalid_state` when it has ended already.
     */
    async cancel(id: string, cancellation: CancelOptions = {}): Promise<PrivacyRequest> {
      const request = await cancel(id, cancellation)
      events.emit({ type: 'request', requestId: id, status: request.status })
      // It is canceled, whatever cannot be removed now: that lies encrypted, and a run that still stops removes it too.
      await track(discardRun(storage, blobs, id)).catch(() => {})
      return request
    },

    /**
     * The plan for a policy and identities: what would be read, from where, in what order, and what not (§7.1). Waits for
     * live catalogues until `signal` aborts.
     */
    async preview(
      input: { readonly policyKey: string; readonly identities: readonly Identity[] },
      { signal }: Abortable = {},
    ): Promise<Preview> {
      signal?.throwIfAborted()
      const { value } = parseSubmission(input)
      const prepared = plan(await policyOf(value, policy), value.identities, { fresh: true })
      const { plan: made } = await untilAborted(prepared, signal)
      return { plan: made, text: planText(made), mermaid: planMermaid(made) }
    },

    /**
     * Runs what is ready here and now, for hosts that set `execution.immediate` to false. Resolves when it has ended.
     * With an id, rejects with `invalid_state` when that request cannot be run, or is being run.
     */
    async run(id?: string): Promise<void> {
      stop.signal.throwIfAborted()
      if (id === undefined) {
        for (const each of await waitingRequests(storage)) await track(run(each))
        return
      }
      await requestRow(storage, id)
      if (!(await track(run(id)))) throw invalidState(await requestRow(storage, id), 'run')
    },

    /** Resolves with the request once it has ended, well or not. Rejects when `signal` aborts. */
    settled: (id: string, { signal }: Abortable = {}): Promise<PrivacyRequest> =>
      settledRequest(storage, events, id, signal),

    /** The packages of a complete request, one per access rule. */
    async packages(id: string): Promise<readonly PackageFile[]> {
      return (await requestRow(storage, id)).packages ?? []
    },

    /**
     * A package with its name, kind and size; `rule` may be left out when there is one only. Rejects with `not_found` when
     * there is none, naming those there are, and with `gone` once it was removed.
     */
    package: (id: string, { rule }: { readonly rule?: string | undefined } = {}): Promise<RequestPackage> =>
      requestPackage({ context, blobs }, id, rule),

    /** The bytes of `package` alone, for whoever writes them to a file. */
    async *readPackage(id: string, rule?: string): AsyncIterable<Uint8Array> {
      yield* (await requestPackage({ context, blobs }, id, rule)).stream
    },

    /** The plan of the last run, as it was stored with the request. */
    async plan(id: string): Promise<Plan | undefined> {
      await requestRow(storage, id)
      return (await storage.table('requestPlan').get(id))?.plan as Plan | undefined
    },

    /** Hears of every change of a request while it runs here. Returns the function that ends it. */
    on: events.on,

    /** Stops listening and running; what runs ends in status `error` and may be retried. */
    async close(): Promise<void> {
      stop.abort(new PrivacyError('unavailable', 'The service was closed while the request ran.', {}))
      await Promise.all(underway)
    },
  }
}
