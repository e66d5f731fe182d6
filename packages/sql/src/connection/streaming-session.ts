import type { Row, Value } from '@habeas/core'
import type { Statement, ValueParser } from '../dialect.js'
import {
  batchBytes,
  type CursorOptions,
  type RowCursor,
  type SqlSession,
  type StatementBatch,
  type StatementResult,
  type WatchOptions,
} from './driver.js'
import { rowBytes } from './row-bytes.js'

/** The part of a driver that streams rows one by one and runs one statement after the other. */
export interface StreamingDriver {
  /**
   * Streams the rows of a statement, as many at a time as have come: see `pushedRows`. A reader that stops early makes the driver
   * hold back or drop the rest.
   */
  rows(statement: Statement): AsyncIterable<readonly (readonly unknown[])[]>
  /** Runs a statement and resolves with its rows, or with the number of rows that it touched. */
  run(statement: Statement): Promise<readonly unknown[] | number>
  /** Returns whether the session is in order after this error. */
  survives(error: unknown): boolean
  /** True where a session is in order although rows of a statement were not read to the end. Default: false. */
  readonly independent?: boolean
}

/** Returns the part of a session that runs statements, for drivers without batches and cursors of their own. */
export function streamingSession(driver: StreamingDriver): Pick<SqlSession, 'openCursor' | 'openBatch'> {
  return {
    openCursor: (statement, options) => openCursor(driver, statement, options),
    openBatch: (statements, options) => openBatch(driver, statements, options),
  }
}

function openCursor(driver: StreamingDriver, statement: Statement, options: CursorOptions): RowCursor {
  const iterator = driver.rows(statement)[Symbol.asyncIterator]()
  const settled = endOf<boolean>()
  let complete = false
  let ended: { readonly error: unknown } | undefined
  /** Rejects the reader that waits. A race with one promise for all batches would keep every batch until the end. */
  let rejectWaiting: (error: unknown) => void = () => {}

  async function pull(): Promise<Row[] | undefined> {
    const batch: Row[] = []
    let parsedRow: ((row: readonly unknown[]) => Row) | undefined
    // one timer for the whole batch: one for each step would cost as much as its rows
    const timer = setTimeout(options.onStall, options.stallAfterMs)
    timer.unref()
    try {
      for (let bytes = 0; bytes < batchBytes && !complete; timer.refresh()) {
        const step = await iterator.next()
        if (step.done === true) {
          complete = true
          options.onComplete()
          settled.resolve(true)
          break
        }
        for (const row of step.value) {
          parsedRow ??= rowParser(row.map((_, index) => options.parserOf(0, index)))
          bytes += rowBytes(row)
          batch.push(parsedRow(row))
        }
      }
    } finally {
      clearTimeout(timer)
    }
    return batch.length === 0 ? undefined : batch
  }
  const pulled = (): Promise<Row[] | undefined> => {
    const pulling = pull()
    // The reader gets the error. Even without a reader, the state of the session has to be known.
    pulling.catch((error) => settled.resolve(driver.survives(error)))
    return pulling
  }
  let ahead = pulled()

  return {
    async next() {
      if (ended) throw ended.error
      const batch = await new Promise<Row[] | undefined>((resolve, reject) => {
        rejectWaiting = reject
        ahead.then(resolve, reject)
      })
      rejectWaiting = () => {}
      if (batch) ahead = pulled()
      return batch
    },
    stop() {
      // the remaining rows would have to be received first, so the session is discarded unless it is independent of them
      settled.resolve(complete || driver.independent === true)
      void Promise.resolve(iterator.return?.()).catch(() => {})
      return settled.promise
    },
    fail(error) {
      ended = { error }
      rejectWaiting(error)
    },
    settled: settled.promise,
  }
}

function openBatch(driver: StreamingDriver, statements: readonly Statement[], options: WatchOptions): StatementBatch {
  const end = endOf<never>()
  let failed = false
  async function run(): Promise<StatementResult[]> {
    const results: StatementResult[] = []
    for (const statement of statements) {
      if (failed) break
      const given = await watched(driver.run(statement), options)
      if (typeof given === 'number') results.push({ rows: [], affected: given })
      else results.push({ rows: given as StatementResult['rows'], affected: given.length })
    }
    return results
  }
  const running = run()
  return {
    results: Promise.race([running, end.promise]),
    fail(error) {
      failed = true
      end.reject(error)
    },
    settled: running.then(
      () => true,
      (error) => driver.survives(error),
    ),
  }
}

/** Returns a promise with the functions that settle it. */
function endOf<Result>() {
  let resolve: (result: Result) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<Result>((resolved, rejected) => {
    resolve = resolved
    reject = rejected
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}

async function watched<Result>(answer: Promise<Result>, { stallAfterMs, onStall }: WatchOptions): Promise<Result> {
  const timer = setTimeout(onStall, stallAfterMs)
  timer.unref()
  try {
    return await answer
  } finally {
    clearTimeout(timer)
  }
}

function rowParser(parsers: readonly (ValueParser | undefined)[]): (row: readonly unknown[]) => Row {
  const parsed = parsers.flatMap((parser, at) => (parser ? [{ at, parser }] : []))
  return (raw) => {
    // the driver made it for this reader alone
    const row = raw as Value[]
    for (const { at, parser } of parsed) if (row[at] !== null) row[at] = parser(row[at] as string)
    return row
  }
}
