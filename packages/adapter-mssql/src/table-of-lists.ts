import type { BoundList, Expression } from '@habeas/sql'
import { sql } from 'kysely'

/** Lists side by side as a table. All of them travel as one parameter, since a statement takes 2,100: an array of arrays in JSON. */
export function tableOfLists(
  lists: readonly BoundList[],
  name: Expression,
  columns: readonly Expression[],
): Expression {
  // two forms of one value travel once
  const distinct = [...new Set(lists.map(({ values }) => values))]
  const rows = (distinct[0] ?? []).map((_, row) => distinct.map((values) => values[row]))
  const cells = distinct.map((_, at) => sql`${sql.id(`c${at}`)} nvarchar(max) ${sql.lit(`$[${at}]`)}`)
  const given = lists.map((list, at) => {
    const cell = sql.id('cells', `c${distinct.indexOf(list.values)}`)
    return sql`${list.typed(cell)} as ${columns[at]}`
  })
  const table = sql`openjson(${JSON.stringify(rows)}) with (${sql.join(cells)}) as ${sql.id('cells')}`
  return sql`(select ${sql.join(given)} from ${table}) as ${name}`
}
