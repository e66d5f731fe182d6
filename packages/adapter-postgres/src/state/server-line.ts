import type { CompiledQuery } from 'kysely'
import { postgresErrors } from '../postgres-errors.js'
import type { PostgresPool, PostgresPoolClient } from './host-pool.js'
import { answerLost, sqlState, stateFailure } from './state-failure.js'

export interface StatementResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** The number of rows that were written or read. */
  readonly count: number
  /** What the server says that it has done, such as `COMMIT`. */
  readonly command: string
}

/** One client of the pool, which belongs to one caller for a while. */
export interface ServerLine {
  /** With `writes`, the error says so where the server may have carried the statement out. */
  send(statement: Pick<CompiledQuery, 'sql' | 'parameters'>, writes?: 'writes'): Promise<StatementResult>
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
    return await work({ send: (statement, writes) => send(client, statement, { breaks, writes }) })
  } finally {
    client.removeListener('error', breaks)
    client.release(broken)
  }
}

async function send(
  client: PostgresPoolClient,
  { sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>,
  { breaks, writes }: { readonly breaks: (failure: Error) => void; readonly writes: 'writes' | undefined },
): Promise<StatementResult> {
  try {
    const answer = await client.query(sql, [...parameters])
    // Of several statements in one text, the last one answers.
    const { rows, rowCount, command } = Array.isArray(answer) ? answer.at(-1) : answer
    return { rows: rows as StatementResult['rows'], count: rowCount ?? 0, command }
  } catch (error) {
    // After a refusal of the server its session stays usable, unless the server has ended the session.
    if (postgresErrors.isServers(Object(error)) && !/^(?:08|57P)/.test(sqlState(error) ?? '')) throw stateFailure(error)
    breaks(error instanceof Error ? error : new Error('The client failed.'))
    throw writes ? answerLost(error) : stateFailure(error)
  }
}
