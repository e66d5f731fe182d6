import { createHash } from 'node:crypto'
import type { Row } from '../../ports/connector.js'
import type { Link } from '../../rules/plan/plan.js'
import type { PlannedField } from '../../rules/plan/planned-field.js'
import { columnOf } from '../../rules/plan/spelled-column.js'
import { readFoundRows } from '../find/found-rows.js'
import type { Key } from '../find/key-of.js'
import { keyReader } from '../find/key-reader.js'
import { type KeySet, keySet } from '../find/key-set.js'
import {
  afterwards,
  type CollectionToErase,
  decisionsEitherWay,
  type ErasureContext,
  eraserOf,
  erasureSignature,
  foundRowsOf,
  namingColumns,
} from './erasure-context.js'
import { erasureProgress } from './erasure-progress.js'
import { ownerColumns } from './judged-values.js'
import { keyText } from './key-text.js'

/** Rows that this request has written. They no longer show their earlier values. */
export interface LeftRows {
  /** Whether a row is as the request has left it. */
  readonly isLeft: (row: Row) => boolean
  /** Whether the request has deleted a row with the key, or removed the key from it. */
  readonly hadKey: (key: Key) => boolean
}

/** Recognizes rows of a collection that the request has written. Undefined if it has written none. */
export async function leftRows(
  context: ErasureContext,
  collection: CollectionToErase,
  link: Link,
  asKeysOf: readonly PlannedField[],
): Promise<LeftRows | undefined> {
  const { state } = await erasureProgress(context, collection, erasureSignature(context, collection))
  const { intent, foundBefore = [] } = state
  if (intent === 0 && foundBefore.length === 0) return undefined
  const left = keySet([{ kind: 'string' }])
  const had: KeySet = keySet(asKeysOf)
  const found = [
    { columns: collection.columns, foundRow: foundRowsOf(context, collection.address) },
    ...foundBefore.map(({ blob, columns }) => ({ columns, foundRow: readFoundRows(context.room.readBlob(blob)) })),
  ]
  for (const { columns, foundRow } of found) {
    const view = { ...collection, columns }
    const decisionOf = eraserOf(context, view)
    const read = keyReader(view, link.fields, asKeysOf)
    const keyColumns = link.fields.map(columnOf)
    for await (const rows of foundRow) {
      for (const each of rows) {
        const { row } = each
        for (const decision of decisionsEitherWay(decisionOf, each)) {
          if (decision.kind !== 'mask' && decision.kind !== 'delete') continue
          const changes = decision.kind === 'mask' ? decision.changes : []
          if (decision.kind === 'delete' || changes.some(({ column }) => keyColumns.includes(column)))
            read(row, undefined, (key) => void had.add(key))
          if (decision.kind === 'delete') continue
          left.add(nameOf(collection, columns, afterwards(view, row, decision)))
        }
      }
    }
  }
  return {
    isLeft: (row) => left.find(nameOf(collection, collection.columns, row)) !== -1,
    hadKey: (key) => had.find(key) !== -1,
  }
}

/** A hash of the values that name a row, that the erasure writes, and that decide its owner. */
function nameOf(collection: CollectionToErase, columns: readonly string[], row: Row): string {
  const written = collection.erasure.masks.map(({ path }) => path[0] as string)
  const names = new Set([...namingColumns(collection), ...written, ...ownerColumns(collection)])
  const values = [...names].map((name) => row[columns.indexOf(name)] ?? null)
  return createHash('sha256').update(keyText(values)).digest('base64url')
}
