import { setTimeout as delay } from 'node:timers/promises'
import type { ClientSession, MongoClient } from 'mongodb'
import { MongoError } from 'mongodb'
import { durable } from './durable.js'
import { Meanwhile } from './erase-batch.js'
import { isConflict } from './mongo-failures.js'
import { foundNoAnswer } from './within-time.js'

/** How often documents may turn out to be changed by others while they are written. */
const mostAttempts = 8
const longestPauseMs = 2_000

export interface Patience {
  /** How long to wait for transactions of others. */
  readonly patienceMs: number
}

export interface Times extends Patience {
  readonly writeTimeoutMs: number
}

export interface TransactionOptions extends Times {
  /** Takes everything back. */
  readonly rollBack: boolean
  readonly signal: AbortSignal
  /** Gives a command up that is not answered in time. */
  readonly within: <Result>(command: Promise<Result>) => Promise<Result>
}

/** Runs work that takes effect together or not at all. What the server ended because of others is run again. */
export async function inTransaction(
  client: MongoClient,
  work: (session: ClientSession) => Promise<void>,
  { writeTimeoutMs, patienceMs, rollBack, signal, within }: TransactionOptions,
): Promise<void> {
  await repeated(
    async () => {
      const session = client.startSession()
      let isSilent = false
      try {
        session.startTransaction({
          readConcern: { level: 'snapshot' },
          writeConcern: durable(writeTimeoutMs),
          readPreference: 'primary',
          maxCommitTimeMS: writeTimeoutMs,
        })
        await work(session)
        signal.throwIfAborted()
        if (rollBack) await within(session.abortTransaction())
        else await within(committed(session))
      } catch (error) {
        isSilent = foundNoAnswer(error)
        throw error
      } finally {
        // takes back what has not been committed; a silent server does so when the time of the transaction is over
        const ending = session.endSession().catch(() => {})
        if (!isSilent) await ending
      }
    },
    { signal, patienceMs },
  )
}

/**
 * Repeats work that others got in the way of, after a pause that grows and is not the same for two. The transaction of a
 * process that was killed holds its documents until the server ends it, so that a conflict is waited out.
 */
export async function repeated(
  work: () => Promise<void>,
  { signal, patienceMs }: Patience & { readonly signal: AbortSignal },
): Promise<void> {
  const until = performance.now() + patienceMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const again = isConflict(error) ? performance.now() < until : error instanceof Meanwhile && attempt < mostAttempts
      if (!again || signal.aborted) throw error
      await delay(Math.min(longestPauseMs, 10 * 2 ** attempt) * (0.5 + Math.random()), undefined, { signal })
    }
  }
}

/** A commit may be sent again, where nobody knows whether it arrived. */
async function committed(session: ClientSession): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await session.commitTransaction()
      return
    } catch (error) {
      const isUnknown = error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult')
      if (!isUnknown || attempt === 3) throw error
    }
  }
}
