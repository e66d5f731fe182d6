import type { Statement, StatementBatch, StatementResult, WatchOptions } from '@habeas/sql'
import { watchProgress } from './progress.js'
import { onceSettled, type Submittable, syncNow, type WireClient } from './wire.js'

/**
 * Sends all statements in one packet and reads their results. They take one round trip and one transaction, however many
 * they are.
 *
 * This is own code. The pipeline mode of `pg` 8.23 commits each statement by itself: when the second of three inserts
 * failed, the other two stayed. It also refuses cursors on the same client.
 */
export function openBatch(client: WireClient, statements: readonly Statement[], options: WatchOptions): StatementBatch {
  const { connection: wire } = client
  const results: StatementResult[] = []
  let rows: (string | null)[][] = []
  let failure: { readonly error: unknown } | undefined
  let settle: (reusable: boolean) => void
  let resolve: (results: StatementResult[]) => void
  let reject: (error: unknown) => void
  const settled = new Promise<boolean>((settled) => {
    settle = settled
  })
  const outcome = new Promise<StatementResult[]>((resolved, rejected) => {
    resolve = resolved
    reject = rejected
  })
  const watch = watchProgress(wire.stream, options.stallAfterMs, options.onStall)
  const end = (reusable: boolean) => {
    watch.end()
    settle(reusable)
    if (failure) reject(failure.error)
    else resolve(results)
  }

  let sent = false
  const send = () => {
    if (sent) return
    sent = true
    wire.stream.cork()
    syncNow(wire)
    for (const { sql, parameters } of statements) {
      wire.parse({ text: sql })
      wire.bind({ values: parameters })
      wire.execute({ rows: 0 })
    }
    wire.sync()
    wire.stream.uncork()
  }
  const submittable: Submittable = {
    submit: send,
    handleRowDescription() {},
    handleDataRow({ fields }) {
      rows.push(fields)
    },
    handlePortalSuspended() {},
    handleCommandComplete({ text }) {
      results.push({ rows, affected: Number(/ ([0-9]+)$/.exec(text)?.[1] ?? 0) })
      rows = []
    },
    handleEmptyQuery() {},
    handleReadyForQuery: () => end(true),
    handleError(error) {
      failure ??= { error }
      onceSettled(wire, end)
    },
  }
  // the statement before is complete, and its last message is on the way; waiting for it would cost a round trip
  if (!client.readyForQuery) send()
  client.query(submittable)

  return {
    results: outcome,
    fail(error) {
      failure ??= { error }
      watch.end()
      reject(error)
    },
    settled,
  }
}
