import type { Erase, KeyGroup } from '@habeas/core'
import type { ClientSession, Db } from 'mongodb'
import { farDate } from './bson-value.js'
import { countedEach } from './counted-rows.js'
import { documentMatcher, heldTuples } from './document-matcher.js'
import { columnsOfGroups } from './key-filter.js'
import type { LiveCollection } from './live-collections.js'
import { ambiguousFailure, changedSinceFailure, sharedSinceFailure, unboundFailure } from './mongo-failures.js'
import type { Find } from './row-stream.js'
import { rowWrites, type TouchedRow } from './row-writes.js'
import { foundByGroups } from './split-groups.js'
import { untilAborted } from './until-aborted.js'

/** What a batch needs of its connection. */
export interface EraseContext {
  readonly db: Db
  readonly signal: AbortSignal
  /** How long the server may work on one write. */
  readonly maxTimeMS: number
  readonly live: (collection: string) => LiveCollection
  /** Reads inside the transaction where there is one, in BSON's own types. */
  readonly find: (collection: string, session: ClientSession | undefined) => Find
}

/** That others have written documents of the batch meanwhile, so that it has to be worked out again. */
export class Meanwhile extends Error {}

/** A batch that was worked out: `write` sends it. The server has to end within `leftMs`, when another worker may come. */
export interface PreparedErase {
  write(leftMs?: number): Promise<void>
}

/**
 * Reads the documents that hold the keys, decides on each as the port says, and works the writes out. The server then
 * meets only documents that still hold what was read.
 */
export async function preparedErase(
  context: EraseContext,
  erase: Erase,
  session: ClientSession | undefined,
): Promise<PreparedErase> {
  const { db, signal, maxTimeMS } = context
  const { collection, key, keys } = erase
  const group: KeyGroup = { fields: key.map((column) => ({ path: [column] })), values: keys, exact: true }
  if (keys.some((column) => column.includes(farDate))) throw unboundFailure(collection)
  // what a transaction writes is looked at again before it commits, and taken back
  if (!session) {
    await checkUnchanged(context, erase)
    await checkPointers(context, erase)
  }
  const { kindOf, collation } = context.live(collection)
  const judged = [...new Set([...key, ...columnsOfGroups(erase.anyOf)])].filter((column) => column !== '_id')
  const set = erase.set === 'delete' ? [] : erase.set.map(({ column }) => column)
  const columns = [...new Set(['_id', ...judged, ...set])]
  const namedBy = heldTuples(group, kindOf)
  const meets = documentMatcher(erase.anyOf, kindOf)
  const touched: TouchedRow[] = []
  let holders = 0
  const named = new Set<number>()
  for await (const document of foundByGroups(context.find(collection, session), [group], { kindOf, columns })) {
    const [index, other] = namedBy(document)
    if (index === undefined) continue
    // two keys that read alike, or two documents with one key
    if (other !== undefined || (erase.rows === undefined && named.has(index))) throw ambiguousFailure(collection, key)
    named.add(index)
    holders++
    if (meets(document)) touched.push({ document, index })
  }
  if (erase.rows !== undefined && holders !== erase.rows) throw ambiguousFailure(collection, key)
  return {
    async write(leftMs = Number.POSITIVE_INFINITY) {
      const { operations, rows } = rowWrites(erase, touched, judged, {
        collated: collation !== undefined,
        columns: kindOf.columns ?? [],
      })
      if (operations.length === 0) return
      signal.throwIfAborted()
      const sent = db.collection(collection).bulkWrite([...operations], {
        ordered: true,
        maxTimeMS: timeLimit(maxTimeMS, leftMs),
        ...(session && { session }),
      })
      // a transaction is taken back when its last command has ended, and not before
      const result = await (session ? sent : untilAborted(sent, signal))
      // a document that is gone meanwhile no longer holds what was read either
      if (result.matchedCount + result.deletedCount < rows) throw new Meanwhile()
    },
  }
}

export function timeLimit(maxTimeMS: number, leftMs: number): number {
  return Math.max(1, Math.floor(Math.min(maxTimeMS, leftMs)))
}

/** Rejects where rows that say whose those of the batch are have changed. */
async function checkUnchanged(context: EraseContext, { collection, unchanged = [] }: Erase): Promise<void> {
  for (const { collection: other, group, rows } of unchanged) {
    const { kindOf } = context.live(other)
    const meets = documentMatcher([group], kindOf)
    const columns = columnsOfGroups([group])
    let found = 0
    for await (const document of foundByGroups(context.find(other, undefined), [group], { kindOf, columns })) {
      if (meets(document)) found++
    }
    if (found < rows) throw changedSinceFailure(collection)
  }
}

/** Rejects where more rows point to those of the batch than may. */
async function checkPointers(context: EraseContext, { collection, pointers = [] }: Erase): Promise<void> {
  for (const [position, { count, most }] of pointers.entries()) {
    const found = await countedEach(count, context.live(count.collection), context.find(count.collection, undefined))
    const rows = found.reduce((sum, each, at) => sum + Math.max(0, each - (most[at] as number)), 0)
    if (rows > 0) throw sharedSinceFailure(collection, position, rows)
  }
}

/** What must be so after a batch is written and before it counts, where no row could be locked. */
export async function checkAfter(context: EraseContext, erase: Erase, isCommitted: boolean): Promise<void> {
  const { unchanged = [] } = erase
  // what the batch itself has changed is no change by others
  const others = isCommitted ? unchanged.filter(({ collection }) => collection !== erase.collection) : unchanged
  await checkUnchanged(context, { ...erase, unchanged: others })
  await checkPointers(context, erase)
}
