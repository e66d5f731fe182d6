import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { NamedParameter } from '../../src/query-parameters.js'
import type { Engine, Result } from './engine.js'
import { RestError } from './rest.js'

/** What the real service would refuse, before anything runs. */
export type Rule = (statement: string, job: JobBody) => RestError | undefined

export interface JobBody {
  readonly jobReference: { readonly jobId: string; readonly location?: string }
  readonly configuration: {
    readonly dryRun?: boolean
    readonly labels?: Readonly<Record<string, string>>
    readonly query: {
      readonly query: string
      readonly queryParameters?: readonly NamedParameter[]
      readonly maximumBytesBilled?: string
    }
  }
}

interface Job {
  readonly body: JobBody
  state: 'RUNNING' | 'DONE'
  error?: RestError
  result?: Result
  cancelled: boolean
}

export interface JobServer {
  /** For `apiEndpoint`. */
  readonly address: string
  /** Method and address of every request, in order. */
  readonly requests: readonly string[]
  /** Every job that has begun, in order. */
  readonly jobs: readonly JobBody[]
  /** Every job that was only planned, in order. */
  readonly planned: readonly JobBody[]
  /** Ids of jobs that were to be cancelled. */
  readonly cancelled: readonly string[]
  /** Rules beside those of every job. */
  readonly rules: Rule[]
  /** The tables that a job which is only planned is said to read. */
  referencedTables: readonly object[] | undefined
  /** How many answers about jobs that have begun get lost on their way. */
  loseAnswers: number
  /** Called before each statement of a script. */
  beforeStatement: ((statement: string) => Promise<void>) | undefined
  close(): Promise<void>
}

/**
 * A double of the jobs of BigQuery, over an engine for single statements: ids are given once, jobs run beside the caller,
 * are cancelled, planned without running, and scripts are transactions with snapshot isolation, one at a time.
 */
export async function openJobServer(engine: Engine, rules: readonly Rule[] = []): Promise<JobServer> {
  const jobs = new Map<string, Job>()
  let scripts: Promise<unknown> = Promise.resolve()
  const server: JobServer = {
    address: '',
    requests: [],
    jobs: [],
    planned: [],
    cancelled: [],
    rules: [...rules],
    beforeStatement: undefined,
    loseAnswers: 0,
    referencedTables: undefined,
    close,
  }

  const http = createServer((request, response) => {
    void answer(request).then(
      (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      (error: unknown) => {
        const failed = error instanceof RestError ? error : new RestError(500, 'internalError', String(error))
        response.writeHead(failed.status, { 'content-type': 'application/json' }).end(JSON.stringify(failed.body))
      },
    )
  })
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve)
  })
  const { port } = http.address() as AddressInfo
  return Object.assign(server, { address: `http://127.0.0.1:${port}` })

  async function close(): Promise<void> {
    http.closeAllConnections()
    await new Promise((resolve) => {
      http.close(resolve)
    })
  }

  async function answer(request: IncomingMessage): Promise<unknown> {
    ;(server.requests as string[]).push(`${request.method} ${request.url}`)
    const url = new URL(request.url ?? '/', 'http://double')
    const path = url.pathname.replace(/^\/bigquery\/v2/, '')
    const [, jobId = '', cancel] = /^\/projects\/[^/]+\/jobs\/([^/]+)(\/cancel)?$/.exec(path) ?? []
    const [, queryId] = /^\/projects\/[^/]+\/queries\/([^/]+)$/.exec(path) ?? []
    if (request.method === 'POST' && path.endsWith('/jobs')) return insert(JSON.parse(await bodyOf(request)))
    // a job is known where it runs only
    const place = url.searchParams.get('location')
    const jobOf = (id: string) => jobIn(id, place)
    if (cancel) {
      const job = jobOf(jobId)
      job.cancelled = true
      ;(server.cancelled as string[]).push(jobId)
      return { job: resourceOf(job) }
    }
    if (jobId) return resourceOf(jobOf(jobId))
    if (queryId) return results(jobOf(queryId), url.searchParams)
    return engine.answer(request.method ?? 'GET', `${path}${url.search}`)
  }

  function jobIn(id: string, place: string | null): Job {
    const job = jobs.get(id)
    if (!job || (job.body.jobReference.location ?? null) !== place)
      throw new RestError(404, 'notFound', `Not found: Job ${id}`)
    return job
  }

  function insert(body: JobBody): unknown {
    const { jobReference, configuration } = body
    const statements = statementsOf(configuration.query.query)
    for (const statement of statements) {
      for (const rule of server.rules) {
        const refused = rule(statement, body)
        if (refused) throw refused
      }
    }
    if (configuration.dryRun) {
      ;(server.planned as JobBody[]).push(body)
      const { query, queryParameters = [] } = configuration.query
      const totalBytesProcessed = String(engine.bytes?.(query, queryParameters) ?? 0)
      const { referencedTables } = server
      return {
        jobReference,
        status: { state: 'DONE' },
        statistics: { totalBytesProcessed, query: { referencedTables, totalBytesProcessed } },
      }
    }
    if (jobs.has(jobReference.jobId)) {
      throw new RestError(409, 'duplicate', `Already Exists: Job ${jobReference.jobId}`)
    }
    const job: Job = { body, state: 'RUNNING', cancelled: false }
    jobs.set(jobReference.jobId, job)
    ;(server.jobs as JobBody[]).push(body)
    void (statements.length === 1 || engine.isolates ? run(job, statements) : inTurn(job, statements)).then(
      () => {
        job.state = 'DONE'
      },
      (error: unknown) => {
        job.error = error instanceof RestError ? error : new RestError(500, 'internalError', String(error))
        job.state = 'DONE'
      },
    )
    if (server.loseAnswers > 0) {
      server.loseAnswers -= 1
      throw new RestError(503, 'backendError', 'Try again')
    }
    return resourceOf(job)
  }

  function inTurn(job: Job, statements: readonly string[]): Promise<void> {
    const mine = scripts.then(() => run(job, statements))
    scripts = mine.catch(() => {})
    return mine
  }

  async function run(job: Job, statements: readonly string[]): Promise<void> {
    const parameters = job.body.configuration.query.queryParameters ?? []
    let transaction: Awaited<ReturnType<Engine['begin']>> | undefined
    let affected = 0
    try {
      for (const statement of statements) {
        if (statements.length > 1) await server.beforeStatement?.(statement)
        if (job.cancelled)
          throw new RestError(499, 'stopped', 'Job execution was cancelled: User requested cancellation')
        if (statement === 'begin transaction') transaction = await engine.begin()
        else if (statement === 'commit transaction' || statement === 'rollback transaction') {
          await (statement === 'commit transaction' ? transaction?.commit() : transaction?.rollBack())
          transaction = undefined
        } else {
          const [, table] = /^(?:update|delete from) ((?:`[^`]+`\.?)+)/.exec(statement) ?? []
          if (table) await transaction?.writes(table)
          const used = parameters.filter(({ name }) => new RegExp(`@${name}\\b`).test(statement))
          job.result = await (transaction?.run ?? engine.run)(
            statement.replaceAll('@@row_count', String(affected)),
            used,
          )
          affected = job.result.affected
        }
      }
    } catch (error) {
      await transaction?.rollBack()
      throw error
    }
  }

  function resourceOf({ body, state, error }: Job): unknown {
    const status = { state, ...(error && { errorResult: { reason: error.reason, message: error.message } }) }
    return { ...body, status, statistics: {} }
  }

  async function results(job: Job, query: URLSearchParams): Promise<unknown> {
    if (job.state === 'RUNNING') return { jobComplete: false }
    if (job.error) throw new RestError(400, job.error.reason, job.error.message)
    const from = Number(query.get('pageToken') ?? 0)
    const most = Number(query.get('maxResults') ?? 10_000)
    const { fields = [], total = 0 } = job.result ?? {}
    const rows = (await job.result?.rows(from, most)) ?? []
    const more = from + rows.length < total
    return {
      jobComplete: true,
      schema: { fields },
      rows,
      totalRows: String(total),
      ...(more && { pageToken: String(from + rows.length) }),
    }
  }
}

/** The statements of a script; no text stands in them, as values are parameters. */
function statementsOf(query: string): string[] {
  return query.endsWith(';') ? query.slice(0, -1).split(';\n') : [query]
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
