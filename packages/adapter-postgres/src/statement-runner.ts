import { setTimeout as delay } from 'node:timers/promises'
import type { CallOptions, Row } from '@habeas/core'
import type { Statement } from '@habeas/sql'
import { requestCancel } from './cancel-request.js'
import type { ClientPool } from './client-pool.js'
import type { ClientSettings } from './client-settings.js'
import { cancelledFailure, closedFailure, connectionFailure, stalledFailure } from './connection-failure.js'
import { type CursorOptions, openCursor, type RowCursor } from './row-cursor.js'
import { openBatch, type StatementBatch, type StatementResult } from './statement-batch.js'
import { runTransaction, type Send, type Transaction } from './transaction.js'
import type { WireClient } from './wire.js'

/** One statement and how its rows are to be read. */
export interface Run extends CallOptions, Pick<CursorOptions, 'firstRows' | 'parserOf'> {
  /** Completes "while …" in messages: `reading "customer"`. */
  readonly doing: string
}

/** Runs statements on clients of a pool and gives each client back in order, whatever happens. */
export interface StatementRunner {
  rows(statement: Statement, run: Run): AsyncGenerator<Row[], void, undefined>
  /** Rejects with the driver's own error where the server refuses: it may hold values, and whoever asks takes them out. */
  transact(transaction: Transaction, run: Pick<Run, 'doing' | 'signal'>): Promise<readonly StatementResult[]>
  /** Ends what is running. */
  close(): Promise<void>
}

/** How long a server may take to drop the rest of a portal before its client is given up. */
const stopPatienceMs = 500

/** What may be running on a client. */
type Running = Pick<RowCursor, 'fail'> | Pick<StatementBatch, 'fail'>

export function createStatementRunner(
  pool: ClientPool,
  settings: ClientSettings,
  statementTimeoutMs: number,
): StatementRunner {
  const running = new Map<Running, WireClient>()
  const cancellations = new Set<Promise<void>>()

  /** The server may be in the middle of a long computation: it is told to stop, and the client is not used again. */
  const giveUp = (work: Running, client: WireClient) => {
    if (!running.delete(work)) return
    pool.discard(client)
    const request = requestCancel(settings, client).finally(() => cancellations.delete(request))
    cancellations.add(request)
  }
  const giveBack = (work: Running, client: WireClient, reusable: boolean) => {
    if (!running.delete(work)) return
    if (reusable) pool.release(client)
    else pool.discard(client)
  }
  const acquired = async (signal: AbortSignal | undefined, doing: string) => {
    if (signal?.aborted) throw cancelledFailure(signal.reason)
    return pool.acquire(signal).catch((error) => {
      throw signal?.aborted ? cancelledFailure(signal.reason) : connectionFailure(error, doing)
    })
  }
  const end = async (cursor: RowCursor, client: WireClient) => {
    const settled = await Promise.race([cursor.stop(), delay(stopPatienceMs, 'late' as const, { ref: false })])
    if (settled === 'late') giveUp(cursor, client)
  }

  return {
    async *rows(statement, { signal, doing, firstRows, parserOf }) {
      const client = await acquired(signal, doing)
      const failWith = (error: unknown) => {
        cursor.fail(error)
        giveUp(cursor, client)
      }
      const cursor = openCursor(client, statement, {
        firstRows,
        parserOf,
        stallAfterMs: statementTimeoutMs,
        onComplete: () => giveBack(cursor, client, true),
        onStall: () => failWith(stalledFailure(doing, statementTimeoutMs / 1000)),
      })
      running.set(cursor, client)
      void cursor.settled.then((reusable) => giveBack(cursor, client, reusable))
      const abort = () => failWith(cancelledFailure(signal?.reason))
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
        throw connectionFailure(error, doing)
      } finally {
        signal?.removeEventListener('abort', abort)
        // after the last row the server's last word is awaited in the background
        if (!ended && running.has(cursor)) await end(cursor, client)
      }
    },
    async transact(transaction, { doing, signal }) {
      const client = await acquired(signal, doing)
      // stands for the whole transaction, so that closing ends it between two packets as well
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
        giveUp(work, client)
      }
      const send: Send = async (statements) => {
        if (ended) throw ended.error
        if (!reusable) throw closedFailure()
        current = openBatch(client, statements, {
          stallAfterMs: statementTimeoutMs,
          onStall: () => failWith(stalledFailure(doing, statementTimeoutMs / 1000)),
        })
        void current.settled.then((settled) => {
          reusable &&= settled
        })
        return current.results
      }
      running.set(work, client)
      const abort = () => failWith(cancelledFailure(signal?.reason))
      signal?.addEventListener('abort', abort, { once: true })
      try {
        return await runTransaction(send, transaction)
      } finally {
        signal?.removeEventListener('abort', abort)
        giveBack(work, client, reusable)
      }
    },
    async close() {
      for (const [work, client] of running) {
        work.fail(closedFailure())
        giveUp(work, client)
      }
      await Promise.all(cancellations)
    },
  }
}
