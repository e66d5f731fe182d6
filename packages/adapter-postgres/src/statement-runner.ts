import { setTimeout as delay } from 'node:timers/promises'
import type { CallOptions, Row } from '@habeas/core'
import type { Statement } from '@habeas/sql'
import { requestCancel } from './cancel-request.js'
import type { ClientPool } from './client-pool.js'
import type { ClientSettings } from './client-settings.js'
import { cancelledFailure, closedFailure, connectionFailure, stalledFailure } from './connection-failure.js'
import { type CursorOptions, openCursor, type RowCursor } from './row-cursor.js'
import type { WireClient } from './wire.js'

/** One statement and how its rows are to be read. */
export interface Run extends CallOptions, Pick<CursorOptions, 'firstRows' | 'parserOf'> {
  /** Completes "while …" in messages: `reading "customer"`. */
  readonly doing: string
}

/** Runs statements on clients of a pool and gives each client back in order, whatever happens. */
export interface StatementRunner {
  rows(statement: Statement, run: Run): AsyncGenerator<Row[], void, undefined>
  /** Ends what is running. */
  close(): Promise<void>
}

/** How long a server may take to drop the rest of a portal before its client is given up. */
const stopPatienceMs = 500

export function createStatementRunner(
  pool: ClientPool,
  settings: ClientSettings,
  statementTimeoutMs: number,
): StatementRunner {
  const running = new Map<RowCursor, WireClient>()
  const cancellations = new Set<Promise<void>>()

  /** The server may be in the middle of a long computation: it is told to stop, and the client is not used again. */
  const giveUp = (cursor: RowCursor, client: WireClient) => {
    if (!running.delete(cursor)) return
    pool.discard(client)
    const request = requestCancel(settings, client).finally(() => cancellations.delete(request))
    cancellations.add(request)
  }
  const giveBack = (cursor: RowCursor, client: WireClient, reusable: boolean) => {
    if (!running.delete(cursor)) return
    if (reusable) pool.release(client)
    else pool.discard(client)
  }
  const end = async (cursor: RowCursor, client: WireClient) => {
    const settled = await Promise.race([cursor.stop(), delay(stopPatienceMs, 'late' as const, { ref: false })])
    if (settled === 'late') giveUp(cursor, client)
  }

  return {
    async *rows(statement, { signal, doing, firstRows, parserOf }) {
      if (signal?.aborted) throw cancelledFailure(signal.reason)
      const client = await pool.acquire(signal).catch((error) => {
        throw signal?.aborted ? cancelledFailure(signal.reason) : connectionFailure(error, doing)
      })
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
    async close() {
      for (const [cursor, client] of running) {
        cursor.fail(closedFailure())
        giveUp(cursor, client)
      }
      await Promise.all(cancellations)
    },
  }
}
