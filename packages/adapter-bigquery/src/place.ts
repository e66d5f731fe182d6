import { type AskedColumns, type Expression, failure, missingColumns, type SqlTable } from '@habeas/sql'
import { sql } from 'kysely'
import type { LiveColumn, LiveType } from './live-column.js'
import { scalar } from './query-parameters.js'

/** Where a path leads inside a column: one value of a row, or one for each row of `from`. */
export interface Place {
  /** What is unnested, in order. */
  readonly from: readonly Expression[]
  readonly value: Expression
  /** The type of the value. A value inside a JSON document is its JSON text. */
  readonly leaf: LiveType
}

/** Undefined where the path leads to nothing that the type may hold. */
export function placeOf({ name, type }: LiveColumn, path: readonly string[]): Place | undefined {
  const from: Expression[] = []
  let value: Expression = sql.id(name)
  let leaf = type
  const unnest = (list: Expression) => {
    const element = sql.id(`element_${from.length}`)
    from.push(sql`unnest(${list}) as ${element}`)
    value = element
  }
  const enter = () => {
    if (leaf.repeated) unnest(value)
    leaf = { ...leaf, repeated: false }
    if (leaf.family === 'json') enterJson(sql`to_json_string(${value})`)
  }
  const enterJson = (json: Expression) => {
    unnest(elementsOf(json))
    // a list of lists
    unnest(elementsOf(value))
  }
  enter()
  for (const member of path) {
    if (leaf.family === 'json') {
      enterJson(sql`json_query(${value}, ${pathOf([member])})`)
      continue
    }
    const field = leaf.fields?.find((field) => field.name === member)
    if (!field) return undefined
    value = sql`${value}.${sql.id(field.name)}`
    leaf = field.type
    enter()
  }
  return { from, value, leaf }
}

/** Columns that the table lacks, and members that the type of a STRUCT lacks: what is asked for there is not merely empty. */
export function missingPlaces(asked: AskedColumns, table: SqlTable<LiveColumn>): string[] {
  const { anyOf, noneOf = [], empty = [] } = asked
  const groups = [...anyOf, ...noneOf].flatMap(({ fields, when = [] }) => [...fields, ...when])
  const members = [...groups, ...empty].flatMap(({ path: [name, ...path] }) => {
    const column = table.columns.get(name!)
    return column?.type.family === 'struct' && !placeOf(column, path) ? [[name, ...path].join('.')] : []
  })
  return [...missingColumns(asked, table), ...new Set(members)]
}

/** A path inside a document as a parameter: the service takes it for one, and nothing in a name is taken for another. */
export function pathOf(path: readonly (string | number)[]): Expression {
  const plain = path.every((part) => typeof part === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(part))
  return sql`${scalar('STRING', plain ? `$.${path.join('.')}` : `$${path.map(partOf).join('')}`)}`
}

/** In quotes only a quote is escaped: every other sign, a backslash as well, stands for itself. */
function partOf(part: string | number): string {
  if (typeof part === 'number') return `[${part}]`
  if (!/(?<!\\)(?:\\\\)*\\(?:"|$)/.test(part)) return `."${part.replaceAll('"', '\\"')}"`
  const message = `BigQuery has no path to the member ${JSON.stringify(part)} of a JSON document, because of its backslash before a quote or at the end: leave it out of the dataset, and handle it by hand.`
  throw failure('other', message)
}

/** The elements of a document's list, or what is no list alone. */
function elementsOf(json: Expression): Expression {
  return sql`if(starts_with(${json}, '['), json_query_array(${json}, '$'), [${json}])`
}
