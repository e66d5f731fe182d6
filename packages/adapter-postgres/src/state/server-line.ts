import type { CompiledQuery } from 'kysely'
import { postgresErrors } from '../postgres-errors.js'
import type { PostgresPool, PostgresPoolClient } from './host-pool.js'
import { sqlState, stateFailure } from './state-failure.js'

export interface StatementResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** The number of rows that were written or read. */
  readonly count: number
  /** What the server says that it has done, such as `COMMIT`. */
  readonly command: string
}

/** One client of the pool, which belongs to one caller for a while. */
export interface ServerLine {
  send(statement: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<StatementResult>
}

/** Takes a client from the pool while `work` runs. The pool does not use it again where its state is unknown. */
export async function withLine<Result>(
  pool: PostgresPool,
  work: (line: ServerLine) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => {
    throw stateFailure(error)
  })
  let broken: Error | undefined
  const breaks = (failure: Error) => {
    broken = failure
  }
  // Between two statements nobody else listens, and without a listener a server that goes away would end the process.
  client.on('error', breaks)
  try {
    return await work({ send: (statement) => send(client, statement, breaks) })
  } finally {
    client.removeListener('error', breaks)
    client.release(broken)
  }
}

async function send(
  client: PostgresPoolClient,
  { sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>,
  breaks: (failure: Error) => void,
): Promise<StatementResult> {
  try {
    const { rows, rowCount, command } = await client.query(sql, [...parameters])
    return { rows: rows as StatementResult['rows'], count: rowCount ?? 0, command }
  } catch (error) {
    // After a refusal of the server its session stays usable, unless the server has ended the session.
    if (!postgresErrors.isServers(Object(error)) || /^(?:08|57P)/.test(sqlState(error) ?? '')) {
      breaks(error instanceof Error ? error : new Error('The client failed.'))
    }
    throw stateFailure(error)
  }
}
