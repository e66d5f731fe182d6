import type { SchemaField } from '../../src/live-column.js'
import type { NamedParameter } from '../../src/query-parameters.js'
import type { RawRow } from '../../src/row-values.js'

/** The result of one statement, kept by the engine. */
export interface Result {
  readonly fields: readonly SchemaField[]
  readonly total: number
  readonly affected: number
  rows(from: number, most: number): Promise<readonly RawRow[]>
}

/** What runs the statements of jobs. Errors are `RestError`s. */
export interface Engine {
  run(query: string, parameters: readonly NamedParameter[]): Promise<Result>
  /** What a statement would read, in bytes. By default nothing. */
  bytes?(query: string, parameters: readonly NamedParameter[]): number
  /** Everything else of the API: datasets and tables. */
  answer(method: string, path: string): Promise<unknown>
  /** Begins a transaction. Where it has no `run`, there is one at a time. */
  begin(): Promise<Transaction>
  /** True where transactions may run at the same time. */
  readonly isolates?: true
}

export interface Transaction {
  /** Absent where the engine has no transactions of its own: then jobs with several statements take turns. */
  readonly run?: Engine['run']
  /** Told of each table before it is written. */
  writes(table: string): Promise<void>
  commit(): Promise<void>
  rollBack(): Promise<void>
}
