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

/** What a driver has that streams rows one by one and runs one statement after the other. */
export interface StreamingDriver {
  /** The rows of a statement. A reader that returns early makes the driver hold back or drop what is left. */
  rows(statement: Statement): AsyncIterable<readonly unknown[]>
  /** The rows of a statement, or the number of those that it touched. */
  run(statement: Statement): Promise<readonly unknown[] | number>
  /** Whether the session is in order after this error. */
  survives(error: unknown): boolean
}

/** The part of a session that runs statements, for drivers without batches and without cursors of their own. */
export function streamingSession(driver: StreamingDriver): Pick<SqlSession, 'openCursor' | 'openBatch'> {
  return {
    openCursor: (statement, options) => openCursor(driver, statement, options),
    openBatch: (statements, options) => openBatch(driver, statements, options),
  }
}

function openCursor(driver: StreamingDriver, statement: Statement, options: CursorOptions): RowCursor {
  const iterator = driver.rows(statement)[Symbol.asyncIterator]()
  const end = endOf<never>()
  const settled = endOf<boolean>()
  let complete = false

  async function pull(): Promise<Row[] | undefined> {
    const batch: Row[] = []
    let parsers: (ValueParser | undefined)[] | undefined
    for (let bytes = 0; bytes < batchBytes && !complete; ) {
      const step = await watched(iterator.next(), options)
      if (step.done === true) {
        complete = true
        options.onComplete()
        settled.resolve(true)
        break
      }
      parsers ??= step.value.map((_, index) => options.parserOf(0, index))
      batch.push(parsed(step.value, parsers))
      bytes += sizeOf(step.value)
    }
    return batch.length === 0 ? undefined : batch
  }
  const pulled = (): Promise<Row[] | undefined> => {
    const pulling = pull()
    // The reader gets the error. The session is checked whether there is a reader or not.
    pulling.catch((error) => settled.resolve(driver.survives(error)))
    return pulling
  }
  let ahead = pulled()

  return {
    async next() {
      const batch = await Promise.race([ahead, end.promise])
      if (batch) ahead = pulled()
      return batch
    },
    stop() {
      // what is left would have to be received first: the session is given up
      settled.resolve(complete)
      void Promise.resolve(iterator.return?.()).catch(() => {})
      return settled.promise
    },
    fail: end.reject,
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

/** A promise and what ends it. */
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

function parsed(raw: readonly unknown[], parsers: readonly (ValueParser | undefined)[]): Row {
  return raw.map((value, index) => {
    const parser = parsers[index]
    return value === null || !parser ? (value as Value) : parser(value as string)
  })
}

/** Bytes, roughly. */
function sizeOf(row: readonly unknown[]): number {
  let bytes = 0
  for (const value of row) bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
  return bytes
}
