import { type Erase, isTypedText, type Value } from '@habeas/core'
import { BSON, type ClientSession, type Document } from 'mongodb'
import { spellingsOf } from './bson-value.js'
import { comparesExactly } from './document-matcher.js'
import { type EraseContext, timeLimit } from './erase-batch.js'
import { isPlain } from './field-expression.js'
import { anyOfFilter, both, type KindOf } from './key-filter.js'
import type { LiveCollection } from './live-collections.js'
import { mostBytes } from './split-groups.js'

/** One write for all documents of a batch. The server decides on each as the connector would. */
export interface DirectWrite {
  readonly filter: Document
  readonly change: Document | 'delete'
}

/**
 * The write of a batch whose documents need not be read first. Undefined where the server would decide on one otherwise
 * than the port says. A document that needs another decision, such as one whose new value takes another type, does not
 * meet the filter.
 */
export function directWrite(
  { key, keys, rows, anyOf, set }: Erase,
  { catalogue, kindOf, collation }: Pick<LiveCollection, 'catalogue' | 'kindOf' | 'collation'>,
): DirectWrite | undefined {
  // two documents of a sharded cluster may have one `_id`, and the keys have to be counted
  if (key.length !== 1 || key[0] !== '_id' || rows !== undefined || catalogue.keysEnforced === false) return undefined
  if (!anyOf.every((group) => comparesExactly(group, kindOf))) return undefined
  const ids = idsOf(keys[0] ?? [], kindOf)
  // no index of such a collection finds texts byte for byte
  if (collation && ids?.some((id) => typeof id === 'string')) return undefined
  const held = anyOfFilter(anyOf, kindOf)
  const columns = set === 'delete' ? [] : set.map(columnWrite)
  if (!ids || !held || columns.includes(undefined)) return undefined
  const written = columns as readonly ColumnWrite[]
  const filter = both([{ _id: { $in: ids } }, held, ...written.map(({ column, meets }) => ({ [column]: meets }))])
  if (BSON.calculateObjectSize(filter) > mostBytes) return undefined
  const values = Object.fromEntries(written.map(({ column, to }) => [column, to]))
  return { filter, change: set === 'delete' ? 'delete' : { $set: values } }
}

/** Sends it inside a transaction, and says how many documents it met. */
export async function metDirectly(
  { db, signal, maxTimeMS }: EraseContext,
  { catalogue: { name }, collation }: LiveCollection,
  { filter, change }: DirectWrite,
  { session, leftMs = Number.POSITIVE_INFINITY }: { session: ClientSession; leftMs: number | undefined },
): Promise<number> {
  signal.throwIfAborted()
  const options = {
    session,
    maxTimeMS: timeLimit(maxTimeMS, leftMs),
    ...(collation && { collation: { locale: 'simple' } }),
  }
  const collection = db.collection(name)
  if (change === 'delete') return (await collection.deleteMany(filter, options)).deletedCount
  return (await collection.updateMany(filter, change, options)).matchedCount
}

/** The keys as they are stored. Undefined where one may be stored in several ways, which name several documents. */
function idsOf(keys: readonly Value[], kindOf: KindOf): unknown[] | undefined {
  const ids: unknown[] = []
  for (const key of keys) {
    if (key === null || (typeof key === 'object' && !isTypedText(key))) return undefined
    const { plain, decimals } = spellingsOf(key, kindOf('_id'))
    if (plain.length !== 1 || decimals.length > 0) return undefined
    ids.push(plain[0])
  }
  return ids
}

interface ColumnWrite {
  readonly column: string
  readonly to: string | null
  /** That the new value takes the place of the old one as it is. */
  readonly meets: Document
}

function columnWrite(assignment: Exclude<Erase['set'], 'delete'>[number]): ColumnWrite | undefined {
  const { column } = assignment
  if (!('to' in assignment) || column === '_id' || !isPlain(column)) return undefined
  const { to } = assignment
  if (typeof to === 'string') return { column, to, meets: { $type: 'string' } }
  return to === null ? { column, to, meets: { $exists: true, $not: { $type: ['null', 'undefined'] } } } : undefined
}
