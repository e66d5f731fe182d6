import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { BigQuery } from '@google-cloud/bigquery'
import type { PrivacyError } from '@habeas/core'
import { cancelledFailure, closedFailure, failure } from '@habeas/sql'
import { bigqueryFailure, statusOf } from './failures.js'
import type { SchemaField } from './live-column.js'
import type { NamedParameter } from './query-parameters.js'
import type { RawRow } from './row-values.js'

/** What a job runs, and how it is called in failures: `doing` completes "while …". */
export interface JobRequest {
  readonly query: string
  readonly parameters: readonly NamedParameter[]
  readonly doing: string
  readonly signal?: AbortSignal | undefined
  /** Default: one of its own. */
  readonly jobId?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** A job as the service describes it. */
export interface JobState {
  readonly status?: {
    readonly state?: string
    readonly errorResult?: { readonly reason?: string; readonly message?: string }
  }
  readonly configuration?: { readonly labels?: Readonly<Record<string, string>> }
  readonly statistics?: { readonly query?: DryRun }
}

/** What the service says of a job that it only plans. */
export interface DryRun {
  /** What the job would read. */
  readonly totalBytesProcessed?: string
  /** Views are resolved. Absent where the service does not say. */
  readonly referencedTables?: readonly {
    readonly projectId: string
    readonly datasetId: string
    readonly tableId: string
  }[]
}

/** One page of a result. */
export interface Page {
  readonly fields: readonly SchemaField[]
  readonly rows: readonly RawRow[]
}

export interface JobOptions {
  readonly labels: Readonly<Record<string, string>>
  readonly maximumBytesBilled?: string
  readonly jobTimeoutMs: number
  /** How long one call of the API may take. */
  readonly answerTimeoutMs: number
  /** Why nothing may be sent: secrets that are not checked would become part of addresses. */
  readonly lacking?: PrivacyError | undefined
}

/** Jobs of one project in one place. Whatever it rejects with is an error of the client, or a `PrivacyError`. */
export interface JobService {
  /** Any call of the REST API. */
  ask<Answer>(path: string, query?: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Answer>
  /** Begins a job and gives its id. Rejects with status 409 where another job has the id. */
  begin(request: JobRequest): Promise<string>
  /** The pages of a job's result, when it has ended well. A reader that stops early has the job cancelled. */
  pages(jobId: string, request: Pick<JobRequest, 'doing' | 'signal'>): AsyncGenerator<Page, void, undefined>
  /** Waits for the end of a job of one's own, and rejects where it failed. Who gives up waiting has it cancelled. */
  ended(jobId: string, request: Pick<JobRequest, 'doing' | 'signal'>): Promise<void>
  /** Undefined where there is no such job. */
  state(jobId: string, signal?: AbortSignal): Promise<JobState | undefined>
  cancel(jobId: string): Promise<void>
  /** Has a job planned and not run, which costs nothing. */
  dryRun(request: JobRequest): Promise<DryRun>
  close(): Promise<void>
}

/** Bytes of a page, roughly; the service itself gives no more than 10 MB. */
const pageBytes = 4 * 1024 * 1024
const firstPageRows = 50
const mostPageRows = 50_000
const cancelPatienceMs = 5_000
const pollMs = [50, 100, 200, 400, 800, 1_500]

export function jobService(
  client: BigQuery,
  locationOf: (ask: JobService['ask'], signal?: AbortSignal) => Promise<string | undefined>,
  options: JobOptions,
): JobService {
  const closing = new AbortController()
  // each call listens
  setMaxListeners(0, closing.signal)
  const running = new Set<string>()
  const cancellations = new Set<Promise<void>>()

  /** The client takes no signal: what it answers after one is not heard. */
  function request<Answer>(call: object, signal?: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        reject(closing.signal.aborted ? closedFailure() : cancelledFailure(signal?.reason))
      }
      const late = () => reject(unansweredFailure(options.answerTimeoutMs))
      const timer = setTimeout(late, options.answerTimeoutMs)
      if (closing.signal.aborted || signal?.aborted) return stop()
      closing.signal.addEventListener('abort', stop, { once: true })
      signal?.addEventListener('abort', stop, { once: true })
      const heard = plain<Answer>(call).finally(() => {
        clearTimeout(timer)
        closing.signal.removeEventListener('abort', stop)
        signal?.removeEventListener('abort', stop)
      })
      heard.then(resolve, reject)
    })
  }

  function plain<Answer>(call: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (options.lacking) return reject(options.lacking)
      client.request(call as Parameters<BigQuery['request']>[0], (error: unknown, answer: unknown) =>
        error ? reject(error) : resolve(answer as Answer),
      )
    })
  }

  const ask: JobService['ask'] = (uri, qs = {}, signal) => request({ uri, qs }, signal)

  async function inserted(
    job: JobRequest,
    more: { readonly dryRun?: true },
  ): Promise<JobState & { jobReference: { jobId: string } }> {
    const { query, parameters, signal, jobId = `habeas_${randomUUID()}`, labels } = job
    const location = await locationOf(ask, signal)
    const body = {
      jobReference: { jobId, ...(location !== undefined && { location }), projectId: client.projectId },
      configuration: {
        labels: { ...options.labels, ...labels },
        jobTimeoutMs: String(options.jobTimeoutMs),
        query: {
          query,
          useLegacySql: false,
          // a verification must read what is there
          useQueryCache: false,
          ...(parameters.length > 0 && { parameterMode: 'NAMED', queryParameters: parameters }),
          // what a job would cost is to be said even if it is too much
          ...(options.maximumBytesBilled !== undefined &&
            !more.dryRun && { maximumBytesBilled: options.maximumBytesBilled }),
        },
        ...more,
      },
    }
    return request({ method: 'POST', uri: '/jobs', json: body }, signal)
  }

  async function begin(job: JobRequest): Promise<string> {
    const jobId = job.jobId ?? `habeas_${randomUUID()}`
    running.add(jobId)
    try {
      const state = await inserted({ ...job, jobId }, {})
      const failed = state.status?.errorResult
      if (failed) throw errorOf(failed)
      return jobId
    } catch (error) {
      // the client repeats a call whose answer it did not get, and nobody else has this id
      if (statusOf(error) === 409 && job.jobId === undefined) return jobId
      // without an answer it is not known whether it began
      if (running.delete(jobId) && statusOf(error) === undefined) void cancelled(jobId)
      throw error
    }
  }

  async function cancelled(jobId: string): Promise<void> {
    running.delete(jobId)
    const work = (async () => {
      const location = await locationOf((uri, qs = {}) => plain({ uri, qs })).catch(() => undefined)
      await plain({ method: 'POST', uri: `/jobs/${jobId}/cancel`, qs: { ...(location !== undefined && { location }) } })
    })().then(
      () => {},
      () => {},
    )
    cancellations.add(work)
    await work
    cancellations.delete(work)
  }

  interface Results {
    readonly jobComplete?: boolean
    readonly schema?: { readonly fields?: readonly SchemaField[] }
    readonly rows?: readonly RawRow[]
    readonly pageToken?: string
  }

  async function results(jobId: string, query: object, signal: AbortSignal | undefined): Promise<Results> {
    const location = await locationOf(ask, signal)
    const qs = { ...query, 'formatOptions.useInt64Timestamp': true, ...(location !== undefined && { location }) }
    for (let turn = 0; ; turn++) {
      const answer = await ask<Results>(`/queries/${jobId}`, { ...qs, timeoutMs: 5_000 }, signal)
      if (answer.jobComplete !== false) return answer
      await delay(pollMs[Math.min(turn, pollMs.length - 1)], undefined, { ref: true })
    }
  }

  return {
    ask,
    begin,
    async *pages(jobId, { signal }) {
      let ended = false
      try {
        let fields: readonly SchemaField[] | undefined
        let token: string | undefined
        let maxResults = firstPageRows
        do {
          const page = await results(jobId, { maxResults, ...(token !== undefined && { pageToken: token }) }, signal)
          running.delete(jobId)
          fields ??= page.schema?.fields ?? []
          const rows = page.rows ?? []
          token = page.pageToken
          if (token !== undefined) maxResults = nextRows(rows)
          yield { fields, rows }
        } while (token !== undefined)
        ended = true
      } finally {
        if (!ended && running.has(jobId)) void cancelled(jobId)
      }
    },
    async ended(jobId, { signal }) {
      running.add(jobId)
      try {
        for (let turn = 0; ; turn++) {
          const state = await jobState(jobId, signal)
          if (!state) throw forgottenFailure()
          if (state.status?.state === 'DONE') {
            running.delete(jobId)
            if (state.status.errorResult) throw errorOf(state.status.errorResult)
            return
          }
          await delay(pollMs[Math.min(turn, pollMs.length - 1)])
        }
      } finally {
        if (running.has(jobId)) void cancelled(jobId)
      }
    },
    state: jobState,
    cancel: cancelled,
    async dryRun(job) {
      const state = await inserted(job, { dryRun: true })
      return state.statistics?.query ?? {}
    },
    async close() {
      closing.abort()
      const all = Promise.all([...[...running].map(cancelled), ...cancellations])
      // a service that is away must not keep anybody from closing
      await Promise.race([all, delay(cancelPatienceMs, undefined, { ref: false })])
    },
  }

  async function jobState(jobId: string, signal?: AbortSignal): Promise<JobState | undefined> {
    const location = await locationOf(ask, signal)
    try {
      return await ask<JobState>(`/jobs/${jobId}`, location === undefined ? {} : { location }, signal)
    } catch (error) {
      if (statusOf(error) === 404) return undefined
      throw error
    }
  }
}

/** Rows of the next page, from what those of the last one weigh. */
function nextRows(rows: readonly RawRow[]): number {
  const bytes = Math.max(1, JSON.stringify(rows).length / Math.max(1, rows.length))
  return Math.max(1, Math.min(mostPageRows, Math.floor(pageBytes / bytes)))
}

function unansweredFailure(afterMs: number): Error {
  const message = `BigQuery did not answer for ${afterMs / 1000} seconds: check the firewalls between.`
  return failure('timeout', message, undefined, 'transient')
}

function forgottenFailure(): Error {
  const message = 'BigQuery no longer knows a job that it began, so it is not known whether it wrote: retry.'
  return failure('other', message, undefined, 'transient')
}

/** The error of a job in the form of an answer's. */
function errorOf(result: { readonly reason?: string; readonly message?: string }): Error {
  return Object.assign(new Error(result.message ?? 'The job failed'), { errors: [result] })
}

/** What a call rejects with, for callers of the port. */
export async function explained<Result>(doing: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    throw bigqueryFailure(error, doing)
  }
}
