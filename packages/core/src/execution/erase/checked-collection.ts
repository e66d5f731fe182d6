import type { Finding } from '../../rules/findings/finding.js'
import type { IncomingReference } from '../../rules/plan/plan.js'
import type { Key } from '../find/key-of.js'
import type { CollectionToErase } from './erasure-context.js'

/** By reference, who pointed to rows of a collection before anything was written. */
export type PointersBefore = ReadonlyMap<IncomingReference, PointedBefore>

export interface PointedBefore {
  readonly rows: (key: Key) => number
  /** What names those of them that the request has found. */
  readonly names: () => Promise<ReadonlySet<string>>
}

/** What is known of one collection's rows before anything is written. */
export interface CheckedCollection {
  /** By place among the kept rows: why a row is somebody else's as well. */
  readonly shared: ReadonlyMap<number, string>
  /** Of rows that others may share. */
  readonly pointers: PointersBefore
  /** Rows found, and those of them that are to be written. */
  readonly found: number
  readonly due: number
}

/** How a description has rows masked that were to be deleted. */
export const byMasking = "(erase: 'mask' in its service_meta, or a policy without the strategy 'delete')"

/** Something that cannot be done to a collection, or to one of its fields. */
export function fault({ dataset, collection }: CollectionToErase, field: string | undefined, message: string): Finding {
  const loc = field === undefined ? [dataset, collection] : [dataset, collection, field]
  return { type: 'erasure_impossible', severity: 'error', loc, message }
}
