import type { SpelledKey } from '@habeas/core'
import type { PointedKey, SqlColumn, SqlTable } from './dialect.js'

/** Returns the key that columns of a table are spelled as. */
export function pointedKey<Column extends SqlColumn>(
  { collection, columns }: SpelledKey['as'],
  from: SqlTable<Column>,
): PointedKey<Column> {
  const table = from.pointedTo?.get(collection)
  if (!table) throw new Error(`compiled before looking at ${collection}, which is pointed to`)
  return { table, columns: columns.map((name) => table.columns.get(name)!) }
}
