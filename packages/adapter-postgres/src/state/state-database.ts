import { setTimeout as pause } from 'node:timers/promises'
import { PrivacyError } from '@habeas/core'
import type { HeldPool } from './host-pool.js'
import { migrate } from './migrate.js'
import { runTransaction, type Session } from './open-transaction.js'
import { withLine } from './server-line.js'
import { wasGivenUp } from './state-failure.js'

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
  const run: Session['run'] = async (statement) => {
    await ready()
    return repeated(() => withLine(pool, (line) => line.send(statement)))
  }
  return {
    schema,
    run,
    attempt: run,
    async transaction(work) {
      await ready()
      return repeated(() => withLine(pool, (line) => runTransaction(line, work)))
    },
    async close() {
      isClosed = true
      await close()
    },
  }
}

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
