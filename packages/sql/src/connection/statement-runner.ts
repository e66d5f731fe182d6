import { setTimeout as delay } from 'node:timers/promises'
import type { CallOptions, Row } from '@habeas/core'
import type { Statement } from '../dialect.js'
import { cancelledFailure, closedFailure, stalledFailure } from './connection-failure.js'
import type { CursorOptions, RowCursor, SqlSession, StatementBatch, StatementResult, WatchOptions } from './driver.js'
import { connectionFailure, type DriverErrors } from './driver-errors.js'
import type { SessionPool } from './session-pool.js'
import { runTransaction, type Send, type Transaction, type TransactionWords } from './transaction.js'

/** One statement and how its rows are to be read. */
export interface Run extends CallOptions, Pick<CursorOptions, 'firstRows' | 'parserOf'> {
  /** Completes "while …" in messages: `reading "customer"`. */
  readonly doing: string
}

/** Runs statements on sessions of a pool, and gives each session back whatever happens. */
export interface StatementRunner {
  rows(statement: Statement, run: Run): AsyncGenerator<Row[], void, undefined>
  /** Rejects with the driver's own error where the server refuses. It may hold values, which the caller removes. */
  transact(transaction: Transaction, run: Pick<Run, 'doing' | 'signal'>): Promise<(readonly StatementResult[])[]>
  /** Ends what is running. */
  close(): Promise<void>
}

/** What a runner runs statements with. */
export interface RunnerOptions {
  readonly pool: SessionPool
  readonly errors: DriverErrors
  readonly transactions: TransactionWords
  readonly statementTimeoutMs: number
}

/** How long a server may take to drop the rest of a cursor before its session is discarded. */
const stopPatienceMs = 500
/** The same where the caller has aborted the statement, which the server may still compute. */
const abortPatienceMs = 100

/** What may be running on a session. */
type Running = Pick<RowCursor, 'fail'> | Pick<StatementBatch, 'fail'>

export function createStatementRunner(options: RunnerOptions): StatementRunner {
  const { pool, errors, transactions, statementTimeoutMs } = options
  const running = new Map<Running, SqlSession>()
  const cancellations = new Set<Promise<void>>()

  /** Tells the server to stop, since it may be in a long computation. The session is not used again. */
  const giveUp = (work: Running, session: SqlSession) => {
    if (!running.delete(work)) return
    pool.discard(session)
    const request = session.cancel().finally(() => cancellations.delete(request))
    cancellations.add(request)
  }
  const giveBack = (work: Running, session: SqlSession, reusable: boolean) => {
    if (!running.delete(work)) return
    if (reusable) pool.release(session)
    else pool.discard(session)
  }
  const acquired = async (signal: AbortSignal | undefined, doing: string) => {
    if (signal?.aborted) throw cancelledFailure(signal.reason)
    return pool.acquire(signal).catch((error) => {
      throw signal?.aborted ? cancelledFailure(signal.reason) : connectionFailure(errors, error, doing)
    })
  }
  const end = async (cursor: RowCursor, session: SqlSession, patienceMs: number) => {
    const settled = await Promise.race([cursor.stop(), delay(patienceMs, 'late' as const, { ref: false })])
    if (settled === 'late') giveUp(cursor, session)
  }
  const watch = (doing: string, failWith: (error: unknown) => void): WatchOptions => ({
    stallAfterMs: statementTimeoutMs,
    onStall: () => failWith(stalledFailure(doing, statementTimeoutMs / 1000)),
  })

  return {
    async *rows(statement, { signal, doing, firstRows, parserOf }) {
      const session = await acquired(signal, doing)
      const failWith = (error: unknown) => {
        cursor.fail(error)
        giveUp(cursor, session)
      }
      const cursor = session.openCursor(statement, {
        firstRows,
        parserOf,
        ...watch(doing, failWith),
        onComplete: () => giveBack(cursor, session, true),
      })
      running.set(cursor, session)
      void cursor.settled.then((reusable) => giveBack(cursor, session, reusable))
      const abort = () => {
        const error = cancelledFailure(signal?.reason)
        if (!cursor.stopsQuickly) return failWith(error)
        // a new session, and another one to cancel this, would cost more than the rest of a portion of rows
        cursor.fail(error)
        void end(cursor, session, abortPatienceMs)
      }
      signal?.addEventListener('abort', abort, { once: true })
      let ended = false
      try {
        for (;;) {
          const batch = await cursor.next()
          if (!batch) break
          yield batch
        }
        ended = true
      } catch (error) {
        throw connectionFailure(errors, error, doing)
      } finally {
        signal?.removeEventListener('abort', abort)
        // after the last row, the server's last message is awaited in the background
        if (!ended && running.has(cursor) && !signal?.aborted) await end(cursor, session, stopPatienceMs)
      }
    },
    async transact(transaction, { doing, signal }) {
      const session = await acquired(signal, doing)
      // this is the whole transaction, so that `close` also ends it between two packets
      let current: StatementBatch | undefined
      let ended: { readonly error: unknown } | undefined
      const work: Running = {
        fail(error) {
          ended = { error }
          current?.fail(error)
        },
      }
      let reusable = true
      const failWith = (error: unknown) => {
        work.fail(error)
        giveUp(work, session)
      }
      const send: Send = async (statements) => {
        if (ended) throw ended.error
        if (!reusable) throw closedFailure()
        current = session.openBatch(statements, watch(doing, failWith))
        void current.settled.then((settled) => {
          reusable &&= settled
        })
        return current.results
      }
      running.set(work, session)
      const abort = () => failWith(cancelledFailure(signal?.reason))
      signal?.addEventListener('abort', abort, { once: true })
      try {
        return await runTransaction(send, transaction, transactions)
      } finally {
        signal?.removeEventListener('abort', abort)
        giveBack(work, session, reusable)
      }
    },
    async close() {
      for (const [work, session] of running) {
        work.fail(closedFailure())
        giveUp(work, session)
      }
      await Promise.all(cancellations)
    },
  }
}
