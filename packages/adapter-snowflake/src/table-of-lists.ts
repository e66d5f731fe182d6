import type { BoundList, Expression } from '@habeas/sql'
import { sql } from 'kysely'

/** Lists side by side as a table. All of them travel as one parameter: an array of arrays in JSON. */
export function tableOfLists(
  lists: readonly BoundList[],
  name: Expression,
  columns: readonly Expression[],
): Expression {
  const [first] = lists
  const rows = (first?.values ?? []).map((_, row) => lists.map(({ values }) => values[row]))
  const cells = lists.map((list, at) => sql`${list.typed(sql`value[${sql.lit(at)}]::varchar`)} as ${columns[at]}`)
  return sql`(select ${sql.join(cells)} from table(flatten(input => parse_json(${JSON.stringify(rows)})))) as ${name}`
}
