import type { Row } from '@habeas/core'
import type { Statement, ValueParser } from '../dialect.js'

/** All that a connection needs of a driver. Whatever it rejects with is read by `DriverErrors`. */
export interface SqlDriver {
  /** A session that has logged in and gives values in one form. */
  open(): Promise<SqlSession>
}

/** One line to a server. It runs one statement, or one batch, at a time. */
export interface SqlSession {
  /** Begins a statement whose rows are read batch by batch. */
  openCursor(statement: Statement, options: CursorOptions): RowCursor
  /** Sends statements, in one packet where the protocol has it. */
  openBatch(statements: readonly Statement[], options: WatchOptions): StatementBatch
  /** `listener` is called when the server or the network has ended the session. */
  onGone(listener: () => void): void
  /** Whether the session keeps the process alive: one that idles need not. Absent where the driver has no say in it. */
  ref?(): void
  unref?(): void
  /** Asks the server, over a line of its own, to stop what the session is running. MUST NOT reject: it is a request. */
  cancel(): Promise<void>
  /** Says goodbye. */
  end(): Promise<void>
  /** Closes the socket at once. */
  destroy(): void
}

/** One running statement. Rows are fetched ahead of `next`, up to one batch. */
export interface RowCursor {
  /** The next rows, or undefined after the last ones. */
  next(): Promise<Row[] | undefined>
  /** Makes the server drop what is left. Resolves with `settled`. */
  stop(): Promise<boolean>
  /** Ends the statement with this error, for the consumer at once. */
  fail(error: unknown): void
  /** Whether the session is in order, known once the server has closed the statement. */
  readonly settled: Promise<boolean>
}

export interface WatchOptions {
  /** Called when the server has sent nothing for so long. */
  readonly stallAfterMs: number
  readonly onStall: () => void
}

/** How a statement is run. */
export interface CursorOptions extends WatchOptions {
  /** Rows of the first round trip. */
  readonly firstRows: number
  /** The parser of the column at `index`, whose type the server gives by its number. */
  readonly parserOf: (type: number, index: number) => ValueParser | undefined
  /** Called after the last row: the session may be given its next statement, though the server's last word is to come. */
  readonly onComplete: () => void
}

/** What one statement of a batch gave. */
export interface StatementResult {
  readonly rows: (string | null)[][]
  /** Rows it touched, or gave. */
  readonly affected: number
}

/** Statements that are sent together. Whether they are one transaction as well, the dialect says. */
export interface StatementBatch {
  /** Settles when the server has said its last word, so that it is known whether everything took effect. */
  readonly results: Promise<StatementResult[]>
  /** Ends the batch with this error, for the caller at once. What becomes of it at the server is then unknown. */
  fail(error: unknown): void
  /** Whether the session is in order, known once the server has closed the batch. */
  readonly settled: Promise<boolean>
}

/** Bytes of a batch of rows, roughly. A batch holds at least one row, so a row may be larger. */
export const batchBytes = 256 * 1024
