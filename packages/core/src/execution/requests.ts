import { setMaxListeners } from 'node:events'
import type { ActionContext } from '../actions/context.js'
import { openRequest, requestActions, requestRow } from '../actions/requests.js'
import { PrivacyError } from '../errors.js'
import type { Identity } from '../model/identity.js'
import type { Policy } from '../model/policy.js'
import { type PrivacyRequest, parseSubmission } from '../model/privacy-request.js'
import type { Blobs } from '../ports/blobs.js'
import type { Queue } from '../ports/queue.js'
import type { Plan } from '../rules/plan.js'
import { planMermaid } from '../rules/plan-mermaid.js'
import { planText } from '../rules/plan-text.js'
import type { OpenConnections } from './open-connections.js'
import { packageKey } from './packages.js'
import { planningSource } from './planning-source.js'
import { prepare } from './prepare.js'
import type { PrivacyEvent } from './progress.js'
import { remembered } from './remembered.js'
import { runRequest } from './run-request.js'
import { spoolRoom } from './spool.js'
import { runIfClaimed, startWorker } from './worker.js'

export interface RequestEngineOptions {
  readonly context: ActionContext
  readonly blobs: Blobs
  readonly queue: Queue
  readonly connections: OpenConnections
  readonly policy: (key: string) => Promise<Policy>
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

const final: readonly string[] = ['complete', 'error', 'denied', 'canceled']

/** Privacy requests with the engine that runs them. */
export function requestEngine(options: RequestEngineOptions) {
  const { context, blobs, queue, connections, policy } = options
  const stop = new AbortController()
  // Every read of every run listens to it.
  setMaxListeners(0, stop.signal)
  const listeners = new Set<(event: PrivacyEvent) => void>()
  const actions = requestActions(context, { queue, policy, immediate: options.immediate })
  const source = planningSource(context.storage)
  const remember = remembered<Plan>(16)
  const holder = context.runtime.newId()
  const emit = (event: PrivacyEvent) => {
    for (const listener of listeners) {
      try {
        listener(event)
      } catch {
        // A listener is a guest: what it does must not reach the run.
      }
    }
  }
  const plan = (asked: Policy, identities: readonly Identity[], fresh = false) =>
    prepare(asked, identities, {
      source,
      connections,
      identityOptions: { inferIdentities: options.inferIdentities },
      remember,
      fresh,
    })
  const run: Parameters<typeof startWorker>[0]['run'] = (row) =>
    runRequest(row, {
      context,
      blobs,
      connections,
      maxRounds: options.maxRounds,
      emit,
      signal: stop.signal,
      policy,
      // After a failure the database may have changed: a second attempt asks for the catalogue again.
      prepare: (asked, identities) => plan(asked, identities, row.finishedProcessingAt !== undefined),
    })
  const underway = new Set<Promise<void>>()
  const track = (work: Promise<void>): Promise<void> => {
    const settled: Promise<void> = work.catch(() => {}).finally(() => underway.delete(settled))
    underway.add(settled)
    return work
  }
  if (options.immediate) {
    const { concurrency, sweepSeconds } = options
    void track(startWorker({ context, queue, concurrency, sweepSeconds, signal: stop.signal, holder, run }))
  }
  const on = (listener: (event: PrivacyEvent) => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  return {
    ...actions,

    /** The plan for a policy and identities: what would be read, from where, in what order, and what not (§7.1). */
    async preview(input: { readonly policyKey: string; readonly identities: readonly Identity[] }): Promise<Preview> {
      const { value } = parseSubmission(input)
      const prepared = await plan(await policy(value.policyKey), value.identities, true)
      return { plan: prepared.plan, text: planText(prepared.plan), mermaid: planMermaid(prepared.plan) }
    },

    /** Runs what is ready here and now, for hosts that set `execution.immediate` to false. Resolves when it has ended. */
    async run(id?: string): Promise<void> {
      stop.signal.throwIfAborted()
      const where = { status: { in: ['pending', 'in_processing'] as const } }
      const waiting = context.storage.table('privacyRequest').find({ where })
      const ids = id === undefined ? (await waiting).map((row) => row.id) : [(await requestRow(context.storage, id)).id]
      for (const each of ids) await track(runIfClaimed(context, each, holder, run))
    },

    /** Resolves with the request once it has ended, well or not. Rejects when `signal` aborts. */
    async settled(id: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<PrivacyRequest> {
      signal?.throwIfAborted()
      let wake = () => {}
      const wakeUp = () => wake()
      const forget = on((event) => event.type === 'request' && event.requestId === id && wake())
      signal?.addEventListener('abort', wakeUp)
      let timer: NodeJS.Timeout | undefined
      try {
        for (;;) {
          const woken = new Promise<void>((resolve) => {
            wake = resolve
          })
          // Another process may run it, so the row is looked at now and then as well.
          timer = setTimeout(wake, 1_000)
          const request = await actions.get(id)
          if (final.includes(request.status)) return request
          await woken
          clearTimeout(timer)
          signal?.throwIfAborted()
        }
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', wakeUp)
        forget()
      }
    },

    /** The packages of a complete request: one per access rule, and what to call each. */
    async packages(id: string) {
      return (await requestRow(context.storage, id)).packages ?? []
    },

    /** A package's bytes, decrypted as they are read. `rule` may be left out when there is one package only. */
    async *readPackage(id: string, rule?: string): AsyncIterable<Uint8Array> {
      const row = await requestRow(context.storage, id)
      const files = row.packages ?? []
      const file =
        rule === undefined ? (files.length === 1 ? files[0] : undefined) : files.find((each) => each.rule === rule)
      if (!file) {
        const names = files.map((each) => each.rule).join(', ')
        const message =
          files.length === 0
            ? `Request '${id}' is ${row.status} and has no package: it has one when it is complete.`
            : `Say which package of request '${id}' is meant: there are ${names}.`
        throw new PrivacyError('not_found', message, { kind: 'package', id })
      }
      const { dataKey } = await openRequest(context, id)
      yield* spoolRoom({ blobs, runtime: context.runtime, dataKey }).readBlob(packageKey(id, file.rule))
    },

    /** The plan of the last run, as it was stored with the request. */
    async plan(id: string): Promise<Plan | undefined> {
      await requestRow(context.storage, id)
      return (await context.storage.table('requestPlan').get(id))?.plan as Plan | undefined
    },

    /** Hears of every change of a request while it runs here. Returns the function that ends it. */
    on,

    /** Stops listening and running; what runs ends in status `error` and may be retried. */
    async close(): Promise<void> {
      stop.abort(new PrivacyError('unavailable', 'The service was closed while the request ran.', {}))
      await Promise.all(underway)
    },
  }
}
