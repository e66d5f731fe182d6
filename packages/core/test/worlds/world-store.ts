import type { Connector, Value } from '@habeas/core'
import type { WorldRow } from './world.js'

/** All rows as they lie in the databases, by their tag. */
export type Dump = ReadonlyMap<string, Readonly<Record<string, unknown>>>

/** What somebody else writes, in one transaction. */
export interface Change {
  readonly set: readonly { readonly row: WorldRow; readonly values: Readonly<Record<string, Value>> }[]
  readonly inserted: readonly WorldRow[]
}

export interface Written {
  readonly before: Dump
  readonly after: Dump
}

/** The databases of one world. */
export interface WorldStore {
  readonly connector: Connector
  /** Of the connection to a dataset. */
  secrets(dataset: 'a' | 'b'): object
  dump(): Promise<Dump>
  /**
   * Writes what is decided on sight of what is there, and tells what was there just before and just after. Writes nothing
   * where that is nothing, or where the database refuses.
   */
  write(decide: (before: Dump) => Change | undefined): Promise<Written | undefined>
  close(): Promise<void>
}
