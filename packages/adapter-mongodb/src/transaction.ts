import { setTimeout as delay } from 'node:timers/promises'
import type { ClientSession, MongoClient } from 'mongodb'
import { MongoError } from 'mongodb'
import { Meanwhile } from './erase-batch.js'
import { isConflict } from './mongo-failures.js'

const mostAttempts = 8

export interface TransactionOptions {
  readonly writeTimeoutMs: number
  /** Takes everything back. */
  readonly rollBack: boolean
  readonly signal: AbortSignal
}

/** Runs work that takes effect together or not at all. What the server ended because of others is run again. */
export async function inTransaction(
  client: MongoClient,
  work: (session: ClientSession) => Promise<void>,
  { writeTimeoutMs, rollBack, signal }: TransactionOptions,
): Promise<void> {
  await repeated(async () => {
    const session = client.startSession()
    try {
      session.startTransaction({
        readConcern: { level: 'snapshot' },
        writeConcern: { w: 'majority', wtimeoutMS: writeTimeoutMs },
        readPreference: 'primary',
        maxCommitTimeMS: writeTimeoutMs,
      })
      await work(session)
      signal.throwIfAborted()
      if (rollBack) await session.abortTransaction()
      else await committed(session)
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction().catch(() => {})
      throw error
    } finally {
      await session.endSession().catch(() => {})
    }
  }, signal)
}

/** Repeats work that others got in the way of, after a pause that grows and is not the same for two. */
export async function repeated(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const again = error instanceof Meanwhile || isConflict(error)
      if (!again || attempt === mostAttempts || signal.aborted) throw error
      await delay(10 * 2 ** attempt * (0.5 + Math.random()))
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
