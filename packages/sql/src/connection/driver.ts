import type { Row } from '@habeas/core'
import type { Statement, ValueParser } from '../dialect.js'

/** The part of a driver that a connection needs. `DriverErrors` reads the errors that it rejects with. */
export interface SqlDriver {
  /** Opens a session that has logged in and gives values in one form. */
  open(): Promise<SqlSession>
}

/** One line to a server. It runs one statement, or one batch, at a time. */
export interface SqlSession {
  /** Starts a statement whose rows are read batch by batch. */
  openCursor(statement: Statement, options: CursorOptions): RowCursor
  /** Sends statements, in one packet where the protocol allows that. */
  openBatch(statements: readonly Statement[], options: WatchOptions): StatementBatch
  /** `listener` is called when the server or the network has ended the session. */
  onGone(listener: () => void): void
  /** Keeps the process alive. An idle session need not do so. Absent where the driver cannot decide it. */
  ref?(): void
  unref?(): void
  /** Asks the server, over a separate line, to stop the statement that the session is running. MUST NOT reject. */
  cancel(): Promise<void>
  /** Ends the session in an orderly way. */
  end(): Promise<void>
  /** Closes the socket at once. */
  destroy(): void
}

/** One running statement. Rows are fetched ahead of `next`, up to one batch. */
export interface RowCursor {
  /** Returns the next rows, or undefined after the last ones. */
  next(): Promise<Row[] | undefined>
  /** Makes the server drop the remaining rows. Resolves with `settled`. */
  stop(): Promise<boolean>
  /** Ends the statement with this error, which the consumer gets at once. */
  fail(error: unknown): void
  /** Whether the session is in order, known once the server has closed the statement. */
  readonly settled: Promise<boolean>
  /** True where `stop` leaves a session in order, unless its server is in a long computation. Default: false. */
  readonly stopsQuickly?: boolean
}

export interface WatchOptions {
  /** How long the server may send nothing before `onStall` is called. */
  readonly stallAfterMs: number
  readonly onStall: () => void
}

/** How a statement is run. */
export interface CursorOptions extends WatchOptions {
  /** Rows of the first round trip. */
  readonly firstRows: number
  /** The parser of the column at `index`, whose type the server gives by its number. */
  readonly parserOf: (type: number, index: number) => ValueParser | undefined
  /** Called after the last row. The session may then get its next statement before the server's last message has come. */
  readonly onComplete: () => void
}

/** The result of one statement of a batch. */
export interface StatementResult {
  readonly rows: (string | null)[][]
  /** The number of rows that it touched or gave. */
  readonly affected: number
}

/** Statements that are sent together. `TransactionWords` says whether they are one transaction as well. */
export interface StatementBatch {
  /** Settles after the server's last message, so that it is known whether everything took effect. */
  readonly results: Promise<StatementResult[]>
  /** Ends the batch with this error, which the caller gets at once. What happens at the server is then unknown. */
  fail(error: unknown): void
  /** Whether the session is in order, known once the server has closed the batch. */
  readonly settled: Promise<boolean>
}

/** The size of a batch of rows in bytes, roughly. A batch holds at least one row, which may be larger. */
export const batchBytes = 256 * 1024
