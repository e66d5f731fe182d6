import { sql } from 'kysely'
import type { SqlColumn, SqlTable } from '../dialect.js'
import type { RowSource, SqlShapes } from './sql-shapes.js'

/**
 * Returns lists as a table. Its names start with a text that no name of the table or its columns starts with, in any letter
 * case: some servers take `Batch_0` and `batch_0` for one name.
 */
export function rowSource<Column extends SqlColumn, List>(
  { path, columns }: Pick<SqlTable<Column>, 'path' | 'columns'>,
  lists: readonly List[],
  { rows }: Pick<SqlShapes<Column, never, List>, 'rows'>,
): RowSource<List> {
  let prefix = 'batch'
  const isTaken = (name: string) => name.toLowerCase().startsWith(prefix)
  while ([...path, ...columns.keys()].some(isTaken)) prefix += '_'
  const distinct = [...new Set(lists)]
  const positions = new Map(distinct.map((list, index) => [list, index]))
  const names = distinct.map((_, index) => sql.id(`${prefix}_${index}`))
  return {
    lists: distinct,
    from: rows(distinct, sql.id(prefix), names),
    of: (list) => names[positions.get(list)!]!,
    name: (of) => sql.id(`${prefix}_of_${of}`),
  }
}
