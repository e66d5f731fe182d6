import { createHash } from 'node:crypto'
import type { Row } from '../../ports/connector.js'
import type { FoundRows } from '../../ports/erasure-rows.js'
import { readFoundRows } from '../find/found-rows.js'
import { keySet } from '../find/key-set.js'
import {
  afterwards,
  type CollectionToErase,
  type DecidingContext,
  decisionsEitherWay,
  eraserOf,
  namingColumns,
} from './erasure-context.js'
import { keyText } from './key-text.js'

export interface WrittenBefore {
  /** Whether an earlier run of the request has written a row like this, and whether that run has counted it. */
  (row: Row): 'counted' | 'written' | undefined
  /** Whether an earlier run has counted a row with this key, which holds something else by now. It is written again, and counted once. */
  isCounted(row: Row): boolean
}

/**
 * Recognizes rows that earlier runs have masked and that were found again. Otherwise they would be masked and counted twice,
 * and a masked value would be made from a masked value.
 */
export async function writtenBefore(
  context: DecidingContext,
  collection: CollectionToErase,
  earlier: readonly FoundRows[],
): Promise<WrittenBefore> {
  if (earlier.length === 0) return Object.assign(() => undefined, { isCounted: () => false })
  const known = keySet([{ kind: 'string' }])
  const keys = keySet([{ kind: 'string' }])
  const { key } = collection.erasure
  const keyOf = (columns: readonly string[], row: Row) =>
    keyText(key.map(({ column }) => row[columns.indexOf(column)] ?? null))
  const counted: (0 | 1)[] = []
  for (const { blob, columns, done } of earlier) {
    const decisionOf = eraserOf(context, { ...collection, columns })
    for await (const rows of readFoundRows(context.room.readBlob(blob))) {
      for (const each of rows) {
        for (const decision of decisionsEitherWay(decisionOf, each)) {
          if (decision.kind !== 'mask') continue
          const after = afterwards({ columns }, each.row, decision)
          if (key.length > 0 && !decision.byValues && each.place < done) keys.add(keyOf(columns, after))
          const name = nameOf(collection, columns, after)
          if (known.add(name)) counted.push(each.place < done ? 1 : 0)
          else if (each.place < done) counted[known.find(name)] = 1
        }
      }
    }
  }
  const of = (row: Row) => {
    const at = known.find(nameOf(collection, collection.columns, row))
    return at === -1 ? undefined : counted[at] === 1 ? 'counted' : 'written'
  }
  return Object.assign(of, {
    isCounted: (row: Row) => keys.size > 0 && of(row) === undefined && keys.find(keyOf(collection.columns, row)) !== -1,
  })
}

/** A hash of the values that name a row, and of all columns that are written. */
function nameOf(collection: CollectionToErase, columns: readonly string[], row: Row): string {
  const names = namingColumns(collection)
  const written = collection.erasure.masks.map(({ path }) => path[0] as string)
  const values = [...names, ...written].map((name) => row[columns.indexOf(name)] ?? null)
  return createHash('sha256').update(keyText(values)).digest('base64url')
}
