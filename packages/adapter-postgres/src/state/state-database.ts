import { setTimeout as pause } from 'node:timers/promises'
import { PrivacyError } from '@habeas/core'
import { CompiledQuery } from 'kysely'
import type { HeldPool, PostgresPool } from './host-pool.js'
import { migrate } from './migrate.js'
import { LostCommit, runTransaction, type Session } from './open-transaction.js'
import { withLine } from './server-line.js'
import { stateFailure, wasGivenUp } from './state-failure.js'

/** The database of the state. Its tables are created, or brought up to date, before its first statement. */
export interface StateDatabase extends Session {
  readonly schema: string
  close(): Promise<void>
}

const mostAttempts = 10

export function openState({ pool, schema, close }: HeldPool): StateDatabase {
  let prepared: Promise<void> | undefined
  let isClosed = false

  const ready = (): Promise<void> => {
    if (isClosed) {
      const message = 'The storage in PostgreSQL was closed while it was in use.'
      return Promise.reject(new PrivacyError('unavailable', message, { reason: 'cancelled' }))
    }
    // Where the server could not be reached, the next call tries again.
    prepared ??= withLine(pool, (line) => migrate(line, schema)).catch((error: unknown) => {
      prepared = undefined
      throw error
    })
    return prepared
  }
  const change: Session['change'] = async (statement) => {
    await ready()
    return repeated(() => withLine(pool, (line) => line.send(statement, 'writes')))
  }
  return {
    schema,
    async run(statement) {
      await ready()
      return repeated(() => withLine(pool, (line) => line.send(statement)))
    },
    change,
    attempt: change,
    async transaction(work) {
      await ready()
      return repeated(() => withLine(pool, (line) => runTransaction(line, work)).catch((error) => settled(pool, error)))
    },
    async close() {
      isClosed = true
      await close()
    },
  }
}

/** Asks the server how a transaction ended whose COMMIT got no answer, and gives its result where it was committed. */
async function settled<Result>(pool: PostgresPool, error: unknown): Promise<Result> {
  if (!(error instanceof LostCommit)) throw error
  const status = CompiledQuery.raw('select txid_status($1::bigint) as status', [error.id])
  for (const wait of waitsForStatus) {
    await pause(wait)
    const { rows } = await withLine(pool, (line) => line.send(status)).catch(() => ({ rows: [] }))
    const [known] = rows as readonly { readonly status?: unknown }[]
    if (known?.status === 'committed') return error.result
    if (known?.status === 'aborted') throw stateFailure((error.cause as PrivacyError).cause)
  }
  throw error.cause
}

/** In milliseconds: a server that has just restarted is back before the caller gives up. */
const waitsForStatus = [0, 100, 500, 1_500]

/** Repeats work that the server ended because of another transaction, each time after a longer pause. */
async function repeated<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!wasGivenUp(error)) throw error
      if (attempt === mostAttempts) {
        const message = 'Transactions keep waiting for each other: run this one again.'
        throw new PrivacyError('conflict', message, { kind: 'transaction', id: 'deadlock' }, { cause: error })
      }
      await pause(Math.random() * 10 * 2 ** attempt)
    }
  }
}
