import { isOutcomeUnknown, PrivacyError } from '@habeas/core'
import { CompiledQuery } from 'kysely'
import type { ServerLine, StatementResult } from './server-line.js'
import { wasGivenUp } from './state-failure.js'

/**
 * A process that hangs must not keep others from the rows of its transaction. After this time the server ends the
 * transaction, well before another process may take over the work.
 */
const begin = `begin isolation level read committed;
  select set_config('idle_in_transaction_session_timeout', '30s', true), txid_current()::text as id`

/** The line broke off while a transaction was committed. The server knows under its id whether it was. */
export class LostCommit<Result> extends Error {
  readonly id: string
  /** What the transaction gives, where it was committed. */
  readonly result: Result

  constructor(id: string, result: Result, cause: unknown) {
    super('The answer to a COMMIT was lost.', { cause })
    this.id = id
    this.result = result
  }
}

/**
 * Runs `work` in a transaction. Rejects with the server's error when the server ended it because of another transaction, and
 * with `LostCommit` where nobody has said whether it was committed.
 */
export async function runTransaction<Result>(
  line: ServerLine,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  let givenUp: unknown
  const listening: ServerLine = {
    async send(statement) {
      try {
        return await line.send(statement)
      } catch (error) {
        if (wasGivenUp(error)) givenUp = error
        throw error
      }
    },
  }
  const { rows } = await line.send(CompiledQuery.raw(begin))
  const id = String(rows[0]?.['id'])
  let result: Result
  try {
    result = await whileOpen(listening, 0, work)
    // `work` may have caught the error, but nothing that it wrote was kept.
    if (givenUp !== undefined) throw givenUp
  } catch (error) {
    await line.send(CompiledQuery.raw('rollback')).catch(() => {})
    throw givenUp ?? error
  }
  const { command } = await line.send(CompiledQuery.raw('commit'), 'writes').catch((error: unknown) => {
    throw isOutcomeUnknown(error) ? new LostCommit(id, result, error) : error
  })
  if (command === 'COMMIT') return result
  throw new PrivacyError('internal', 'A transaction went on after one of its statements had failed: nothing was kept.')
}

async function whileOpen<Result>(
  line: ServerLine,
  depth: number,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  let ended = false
  let inner: Promise<unknown> = Promise.resolve()
  const check = () => {
    if (ended) throw new PrivacyError('internal', 'This transaction has ended: await every write inside its work.')
  }
  const transaction: Session['transaction'] = (innerWork) => {
    // Savepoints have to be nested, so that one waits for the other where they are side by side.
    const result = inner.then(() => {
      check()
      return runSavepoint(line, depth + 1, innerWork)
    })
    inner = result.catch(() => {})
    return result
  }
  try {
    return await work({
      async run(statement) {
        check()
        return line.send(statement)
      },
      // Nothing of it is done before COMMIT.
      async change(statement) {
        check()
        return line.send(statement)
      },
      attempt: (statement) => transaction((session) => session.run(statement)),
      transaction,
    })
  } finally {
    ended = true
  }
}

async function runSavepoint<Result>(
  line: ServerLine,
  depth: number,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const name = `habeas_${depth}`
  await line.send(CompiledQuery.raw(`savepoint ${name}`))
  try {
    const result = await whileOpen(line, depth, work)
    await line.send(CompiledQuery.raw(`release savepoint ${name}`))
    return result
  } catch (error) {
    await line.send(CompiledQuery.raw(`rollback to savepoint ${name}; release savepoint ${name}`)).catch(() => {})
    throw error
  }
}

/** Where statements run: each by itself, or within one transaction. */
export interface Session {
  run(statement: CompiledQuery): Promise<StatementResult>
  /** Runs a statement that writes. The error says so where its answer was lost. */
  change(statement: CompiledQuery): Promise<StatementResult>
  /** Does the same. If it fails, the transaction is as it was before the statement, and stays usable. */
  attempt(statement: CompiledQuery): Promise<StatementResult>
  /**
   * Runs `work` so that all of it takes effect or nothing. Inside another transaction it is a savepoint. `work` runs again
   * when the server ended the outermost transaction because of another one.
   */
  transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result>
}
