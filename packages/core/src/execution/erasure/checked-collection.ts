import type { Finding } from '../../rules/findings.js'
import type { PointingReference } from '../../rules/plan.js'
import type { Key } from '../key-set.js'
import type { ErasedCollection } from './erased-collection.js'

export type PointersBefore = ReadonlyMap<PointingReference, (key: Key) => number>

/** What is known of one collection's rows before anything is written. */
export interface CheckedCollection {
  /** By place among the kept rows: why a row is somebody else's as well. */
  readonly shared: ReadonlyMap<number, string>
  /** By reference, how many rows pointed to each key of rows that others may share. */
  readonly pointers: PointersBefore
  /** Rows found, and those of them that are to be written. */
  readonly found: number
  readonly due: number
}

/** Something that cannot be done to a collection, or to one of its fields. */
export function fault({ dataset, collection }: ErasedCollection, field: string | undefined, message: string): Finding {
  const loc = field === undefined ? [dataset, collection] : [dataset, collection, field]
  return { type: 'erasure_impossible', severity: 'error', loc, message }
}
