import type { BoundList, Expression } from '@habeas/sql'
import { sql } from 'kysely'

/** Lists side by side as a table. All of them travel as one parameter: an array of arrays in JSON, or of the values of one list. */
export function tableOfLists(
  lists: readonly BoundList[],
  name: Expression,
  columns: readonly Expression[],
): Expression {
  const [only, ...others] = lists
  const isOne = others.length === 0
  const rows = isOne ? only?.values : only?.values.map((_, row) => lists.map(({ values }) => values[row]))
  const cells = lists.map((_, at) => sql`${sql.id(`c${at}`)} longtext path ${sql.lit(isOne ? '$' : `$[${at}]`)}`)
  const given = lists.map((list, at) => sql`${list.typed(sql.id('cells', `c${at}`))} as ${columns[at]}`)
  const table = sql`json_table(${JSON.stringify(rows)}, '$[*]' columns (${sql.join(cells)})) as ${sql.id('cells')}`
  return sql`(select ${sql.join(given)} from ${table}) as ${name}`
}
