import { PrivacyError } from '../../errors.js'
import type { Value } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { entryState, nextChunks } from '../find/entry-state.js'
import type { Key } from '../find/key-of.js'
import { elementsOf } from '../find/key-reader.js'
import { keySet } from '../find/key-set.js'
import {
  type CollectionToErase,
  type DecidedRow,
  type ErasureContext,
  namingColumns,
  unmatchedKeysOf,
} from './erasure-context.js'
import { judgingColumns } from './judged-values.js'
import { keyText } from './key-text.js'
import { rejudge } from './rejudge.js'
import { stillHolding } from './residual-of.js'
import type { WrittenBefore } from './written-before.js'

const shortNumeral = /^(0|-?[1-9][0-9]{0,14})$/

/**
 * Counts rows of the subject that the keys of the erased rows find and that are not among these: they are new, or a deleted
 * row has come back.
 */
export function appearedRows(
  context: Pick<ErasureContext, 'lease' | 'outcomes' | 'room' | 'identities' | 'asked'>,
  collection: CollectionToErase,
  before: WrittenBefore,
) {
  const states = collection.entries.map(entryState)
  const [only, ...others] = collection.erasure.key
  const isInteger = only?.kind === 'integer' && others.length === 0
  const known = keySet([{ kind: isInteger ? 'integer' : 'string' }])
  const unfound = new Set<Key>()
  const toKey = (key: readonly Value[]): Key => {
    if (!isInteger) return keyText(key)
    const text = String(key[0])
    // Whole numbers may come as text, which needs three times the memory.
    return shortNumeral.test(text) ? Number(text) : text
  }
  // Without a key, all columns that were read name a row.
  const names = namingColumns(collection)
  const keyAt = names.map((name) => collection.columns.indexOf(name))
  return {
    /** Takes each found row once. */
    take({ foundRow, decision }: Pick<DecidedRow, 'foundRow' | 'decision'>): void {
      if (foundRow.own) states[foundRow.entry]?.own.keys.add(foundRow.key)
      if (decision.kind === 'delete') return
      const changes = decision.kind === 'mask' && !before(foundRow.row) ? decision.changes : []
      const now = names.map((name, at) => {
        const change = changes.find(({ column }) => column === name)
        return change ? change.becomes : (foundRow.row[keyAt[at] as number] ?? null)
      })
      known.add(toKey(now))
    },

    /** Takes a row that its key did not find after it was to be masked. It may be gone, or the key does not find it at all. */
    takeUnfound(key: readonly Value[]): void {
      unfound.add(toKey(key))
    },

    /** Searches by all own keys, including those that found no row. Call it after everything was written. */
    async count(open: OpenConnection): Promise<AppearedCounts> {
      for await (const some of unmatchedKeysOf(context, collection.address)) {
        for (const [entry, key] of some) states[entry]?.own.keys.add(key)
      }
      const columns = [...new Set([...names, ...judgingColumns(collection)])]
      const view = { ...collection, columns }
      const { judge } = rejudge(context, view)
      const isSubjects = (row: Row) => judge(row, elementsOf(view, row)).whose === 'own'
      const nameAt = names.map((name) => columns.indexOf(name))
      const { signal } = context.lease
      let [appeared, missed] = [0, 0]
      for (const { groups } of nextChunks(states, 0, open.connector.capabilities)) {
        using _permit = await open.permit(signal)
        const read = { collection: collection.collection, columns, anyOf: groups }
        for await (const batch of open.connection.read(read, { signal })) {
          for (const row of batch) {
            const key = toKey(nameAt.map((at) => row[at] ?? null))
            if ((known.find(key) !== -1 && !unfound.has(key)) || !isSubjects(row)) continue
            known.add(key)
            if (unfound.delete(key)) missed++
            else appeared++
          }
        }
      }
      return { appeared, missed }
    },
  }
}

export interface AppearedCounts {
  readonly appeared: number
  /** Rows that were there before, and that their own key does not find. */
  readonly missed: number
}

export type AppearedRows = ReturnType<typeof appearedRows>

/** The failure that names such rows, if there are any. */
export function appearedFailure(
  { address }: CollectionToErase,
  { appeared, missed }: AppearedCounts,
): PrivacyError | undefined {
  const messages = [
    ...(appeared > 0
      ? [
          `${countedRows(appeared)} of the person appeared in '${address}' while it was erased: retry to read and erase new rows as well.`,
        ]
      : []),
    ...(missed > 0
      ? [
          `${stillHolding(address, missed)}: the database does not find ${missed === 1 ? 'it by its key' : 'them by their keys'}. Erase by hand what a retry does not.`,
        ]
      : []),
  ]
  return messages.length > 0
    ? new PrivacyError('connection_failed', messages.join(' '), { reason: 'residual' })
    : undefined
}
