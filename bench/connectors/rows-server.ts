import type { WriteStream } from 'node:fs'
import type { Connector } from '@habeas/core'

/** One person with this many rows, among as many of somebody else. */
export interface RowsSubject {
  readonly email: string
  readonly rows: number
}

export const subjectOf = (rows: number): RowsSubject => ({ email: `${rows}@rows.example`, rows })

/** The database or schema that a benchmark makes, and drops when it has ended. */
export const place = 'habeas_bench'

/** What is measured over one kind of SQL server. Addresses are those of the environment. */
export interface RowsServer {
  connector(): Connector
  /** The secrets of a connection to what `fill` has made. */
  secrets(url: string): object
  /** Makes the tables of one subject anew. Every other row is somebody else's. */
  fill(url: string, subject: RowsSubject): Promise<void>
  drop(url: string): Promise<void>
  /** The driver's own stream of what an access delivers, and a line of JSON for each row. Gives the rows. */
  stream(url: string, email: string, file: WriteStream): Promise<number>
  /** One UPDATE of the rows that an erasure masks, over a line that is open. */
  timedUpdate(url: string, email: string): Promise<{ readonly rows: number; readonly milliseconds: number }>
  /** A proxy that counts statements. */
  counting(url: string): Promise<{ readonly url: string; statements(): number; close(): Promise<void> }>
}
