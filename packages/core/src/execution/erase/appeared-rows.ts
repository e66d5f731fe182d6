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

    /** Searches by all own keys, including those that found no row. Call it after everything was written. */
    async count(open: OpenConnection): Promise<number> {
      for await (const some of unmatchedKeysOf(context, collection.address)) {
        for (const [entry, key] of some) states[entry]?.own.keys.add(key)
      }
      const columns = [...new Set([...names, ...judgingColumns(collection)])]
      const view = { ...collection, columns }
      const { judge } = rejudge(context, view)
      const isSubjects = (row: Row) => judge(row, elementsOf(view, row)).whose === 'own'
      const nameAt = names.map((name) => columns.indexOf(name))
      const { signal } = context.lease
      let appeared = 0
      for (const { groups } of nextChunks(states, 0, open.connector.capabilities)) {
        using _permit = await open.permit(signal)
        const read = { collection: collection.collection, columns, anyOf: groups }
        for await (const batch of open.connection.read(read, { signal })) {
          for (const row of batch) {
            const key = toKey(nameAt.map((at) => row[at] ?? null))
            if (known.find(key) !== -1 || !isSubjects(row)) continue
            known.add(key)
            appeared++
          }
        }
      }
      return appeared
    },
  }
}

export type AppearedRows = ReturnType<typeof appearedRows>

export function appearedFailure({ address }: CollectionToErase, count: number): PrivacyError {
  const message = `${countedRows(count)} of the person appeared in '${address}' while it was erased: retry to read and erase new rows as well.`
  return new PrivacyError('connection_failed', message, { reason: 'residual' })
}
