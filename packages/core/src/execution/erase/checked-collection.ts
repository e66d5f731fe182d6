import type { Finding } from '../../rules/findings/finding.js'
import type { IncomingReference } from '../../rules/plan/plan.js'
import type { Key } from '../find/key-of.js'
import type { CollectionToErase } from './erasure-context.js'

/** The rows that referred to rows of a collection before the first write, by reference. */
export type PointersBefore = ReadonlyMap<IncomingReference, PointersOfReference>

export interface PointersOfReference {
  readonly rows: (key: Key) => number
  /** The names of those referring rows that the request has found. */
  readonly names: () => Promise<ReadonlySet<string>>
}

/** What is known about the rows of one collection before the first write. */
export interface CheckedCollection {
  /** Why a row is shared, by place among the found rows. */
  readonly shared: ReadonlyMap<number, string>
  /** The rows that referred to rows which others may share. */
  readonly pointers: PointersBefore
  /** The number of found rows, and of those to be written. */
  readonly found: number
  readonly due: number
  /** Fields that no sampled document has, and none of these rows either. */
  readonly unheld: ReadonlySet<string>
}

/** How to have rows masked instead of deleted, for messages. */
export const byMasking = "(erase: 'mask' in its service_meta, or a policy without the strategy 'delete')"

/** A finding that a collection, or one of its fields, cannot be erased. */
export function fault({ dataset, collection }: CollectionToErase, field: string | undefined, message: string): Finding {
  const loc = field === undefined ? [dataset, collection] : [dataset, collection, field]
  return { type: 'erasure_impossible', severity: 'error', loc, message }
}
