import type { Column, Erase, Value } from '@habeas/core'
import { type AnyBulkWriteOperation, BSON, type Document } from 'mongodb'
import { isPlain, literal, member } from './field-expression.js'
import { both } from './key-filter.js'
import { fitted, memberWrites, type PathWrite, UnfitValue } from './member-writes.js'
import { refusedFailure, tooLargeFailure } from './mongo-failures.js'
import { mostBytes } from './split-groups.js'
import { sentValue, storedMember } from './stored-document.js'

/** A document of a batch as it was read, and the position of its key. */
export interface TouchedRow {
  readonly document: Document
  readonly index: number
}

/** What is sent for a batch, and how many documents it has to meet. */
export interface RowWrites {
  readonly operations: readonly AnyBulkWriteOperation[]
  readonly rows: number
}

/** One write for documents with the same condition and the same new values. */
interface SharedWrite {
  readonly ids: unknown[]
  readonly conditions: readonly Document[]
  readonly update: Document | 'delete'
  /** Of all that is sent for it, roughly. */
  bytes: number
}

/**
 * The writes of a batch. Each names documents by `_id` and meets one only while `judged` columns, and the members that are
 * written, hold what was read. Documents with the same condition and the same new values share one write,
 * up to what one command may hold.
 */
export function rowWrites(
  erase: Erase,
  rows: readonly TouchedRow[],
  judged: readonly string[],
  { collated = false, columns = [] }: { readonly collated?: boolean; readonly columns?: readonly Column[] } = {},
): RowWrites {
  const shared = new Map<string, SharedWrite>()
  const full: SharedWrite[] = []
  let count = 0
  for (const row of rows) {
    const update = updateOf(erase, row, columns)
    if (!update) continue
    count++
    const conditions = [
      ...judged.map((column) => holds([column], storedMember(row.document, column))),
      ...update.conditions,
    ]
    const id = sentValue(row.document['_id'])
    const shareable = { conditions, update: update.change }
    const sent = serialized(shareable)
    const idBytes = BSON.calculateObjectSize({ id }) + 8
    const bytes = (sent?.length ?? 0) + idBytes
    if (!sent || bytes > mostBytes) throw tooLargeFailure(erase.collection)
    const key = Buffer.from(sent).toString('latin1')
    const same = shared.get(key)
    if (same && same.bytes + idBytes <= mostBytes) {
      same.ids.push(id)
      same.bytes += idBytes
      continue
    }
    if (same) full.push(same)
    shared.set(key, { ids: [id], bytes, conditions, update: update.change })
  }
  const operations = [...full, ...shared.values()].map(({ ids, conditions, update }): AnyBulkWriteOperation => {
    const filter = both([{ _id: { $in: ids } }, ...(conditions.length > 0 ? [{ $expr: { $and: conditions } }] : [])])
    // an index of a collection that folds texts finds texts in its own way alone, and everything else in any
    const isExact = collated && !ids.some((id) => typeof id === 'string')
    const how = { filter, ...(isExact && { collation: { locale: 'simple' } }) }
    return update === 'delete' ? { deleteMany: how } : { updateMany: { ...how, update } }
  })
  return { operations, rows: count }
}

/** What does not fit into the 17 MB of the driver's buffer is cut off, or is an error: undefined then, or too long. */
function serialized(document: Document): Uint8Array | undefined {
  try {
    return BSON.serialize(document)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** That the server still stores exactly this, compared as a whole. */
function holds(path: readonly string[], held: unknown): Document {
  const field = path.reduce<unknown>((of, name) => member(name, of), '$$ROOT')
  return held === undefined ? { $eq: [{ $type: field }, 'missing'] } : { $eq: [field, literal(sentValue(held))] }
}

/** That the column holds something. A comparison with null would take MinKey, which comes before it, for nothing. */
const isThere = (column: string): Document => ({
  $not: [{ $in: [{ $type: member(column) }, literal(['missing', 'undefined', 'null'])] }],
})

function updateOf(
  { collection, set }: Erase,
  { document, index }: TouchedRow,
  columns: readonly Column[],
): { readonly change: Document | Document[] | 'delete'; readonly conditions: readonly Document[] } | undefined {
  if (set === 'delete') return { change: 'delete', conditions: [] }
  const writes: PathWrite[] = []
  const conditions: Document[] = []
  for (const assignment of set) {
    const { column } = assignment
    // the server has no way to change it
    if (column === '_id') throw refusedFailure(collection, { column })
    const held = storedMember(document, column)
    if (held === null || held === undefined) continue
    const to = ('to' in assignment ? assignment.to : assignment.toEach[index]) as Value
    const was = 'to' in assignment ? undefined : assignment.was?.[index]
    try {
      if (was === undefined || was === null) {
        if (typeof to === 'string' && to === held) continue
        writes.push({ path: [column], held, to: fitted(to, held) })
        // null stays null, also when it came meanwhile
        conditions.push(isThere(column))
      } else {
        const changes = memberWrites(column, held, was, to, columns)
        writes.push(...changes)
        conditions.push(...changes.map((change) => holds(change.path, change.held)))
      }
    } catch (error) {
      if (error instanceof UnfitValue) throw refusedFailure(collection, { column })
      throw error
    }
  }
  return writes.length === 0 ? undefined : { change: changeOf(writes), conditions }
}

/** Values are never read as expressions: `$set` takes them as they are, and a pipeline takes them as literals. */
function changeOf(writes: readonly PathWrite[]): Document | Document[] {
  if (writes.every(({ path }) => path.every(isPlain))) {
    const set = writes.filter(({ to }) => to !== undefined).map(({ path, to }) => [path.join('.'), sentValue(to)])
    const unset = writes.filter(({ to }) => to === undefined).map(({ path }) => [path.join('.'), ''])
    return {
      ...(set.length > 0 && { $set: Object.fromEntries(set) }),
      ...(unset.length > 0 && { $unset: Object.fromEntries(unset) }),
    }
  }
  const root = writes.reduce<unknown>((of, { path, to }) => replaced(of, path, to), '$$ROOT')
  return [{ $replaceWith: root }]
}

function replaced(of: unknown, [name, ...rest]: readonly string[], to: unknown): Document {
  const field = literal(name)
  if (rest.length === 0) {
    return to === undefined
      ? { $unsetField: { field, input: of } }
      : { $setField: { field, input: of, value: literal(sentValue(to)) } }
  }
  return { $setField: { field, input: of, value: replaced(member(name as string, of), rest, to) } }
}
