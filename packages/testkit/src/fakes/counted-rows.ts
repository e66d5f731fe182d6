import { type CountEach, type Erase, PrivacyError } from '@habeas/core'
import { keySpeller } from './key-speller.js'
import type { MemoryDatabase } from './memory-database.js'
import { kindsOf } from './memory-draft.js'
import { rowMatcher } from './row-matcher.js'
import { rowsWithin } from './rows-within.js'

/**
 * For each tuple, how many rows hold it: exactly, however loosely reads compare. Over a foreign key numbers are
 * compared as numbers.
 */
export const countedRows = (
  database: MemoryDatabase,
  { collection, group, references, filter }: CountEach,
): number[] => {
  const rows = rowsWithin(database[collection]!, filter)
  const spell = keySpeller(database, collection)
  const own = kindsOf(
    database[collection]!,
    group.fields.map(({ path }) => path[0]!),
  )
  const other = references ? kindsOf(database[references.collection]!, references.columns) : []
  const fields = group.fields.map((field, part) =>
    references && [own[part], other[part]].includes('decimal') ? { ...field, kind: 'decimal' as const } : field,
  )
  return Array.from(group.values[0]!, (_, index) => {
    const tuple = { ...group, fields, values: group.values.map((column) => [column[index]!]) }
    return rows.filter(rowMatcher([tuple], false, spell)).length
  })
}

/** Throws as the port says when rows that say whose a batch is have changed. */
export const checkUnchanged = (database: MemoryDatabase, { collection, unchanged = [] }: Erase): void => {
  for (const { collection: other, group, rows, filter } of unchanged) {
    const meets = rowMatcher([group], false, keySpeller(database, other))
    if (rowsWithin(database[other]!, filter).filter(meets).length >= rows) continue
    const message = `Rows of ${other} have changed that say whose those of ${collection} are`
    throw new PrivacyError('connection_failed', message, { reason: 'changed_since' })
  }
}

/** Throws as the port says when more rows refer to those of a batch than allowed. */
export const checkPointers = (database: MemoryDatabase, { collection, pointers = [] }: Erase): void => {
  for (const [position, { count, most }] of pointers.entries()) {
    const rows = countedRows(database, count).reduce((sum, found, at) => sum + Math.max(0, found - most[at]!), 0)
    if (rows === 0) continue
    const message = `More rows of ${count.collection} point to those of ${collection} than may`
    throw new PrivacyError('connection_failed', message, { reason: 'shared_since', position, rows })
  }
}
