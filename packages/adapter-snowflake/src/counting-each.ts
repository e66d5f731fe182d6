import { rowSource, rowsOf, type SqlErasing } from '@habeas/sql'
import { sql } from 'kysely'
import type { SnowflakeColumn } from './live-column.js'
import { snowflakeShapes as shapes } from './shapes.js'

/** Counts the rows that hold each tuple, where parts of them lie inside of documents: a row meets a tuple once or not at all. */
export const countEachInside: SqlErasing<SnowflakeColumn, string>['countEach'] = (table, targets, keys, where) => {
  const positions = shapes.numbers(keys[0]!.map((_, row) => row))
  const lists = targets.map((target, part) => shapes.keys(target, keys[part]!).own!)
  const source = rowSource(table, [positions, ...lists], shapes)
  const met = targets.map((target, part) => {
    const key = source.of(lists[part]!)
    return shapes.equals(target, sql.id(target.column.name), { form: () => key, lowered: () => key })
  })
  // this leaves few rows to be compared with each tuple
  const likely = targets.map((target, part) => shapes.holdsAny(target, keys[part]!))
  const all = sql.join([...likely, ...met, ...(where ? [where] : [])], sql` and `)
  const position = source.of(positions)
  return sql`select ${position}, count(*) from ${rowsOf(table)}, ${source.from} where ${all} group by ${position}`
}
