import type { Condition, Expression, KeyTarget, SqlShapes } from '@habeas/sql'
import { sql } from 'kysely'
import type { RedshiftColumn } from './redshift-column.js'
import { asText, binderOf, bytesOf, exactSide, folded, isOneOf, isText, readForm, typed } from './redshift-values.js'

type Target = KeyTarget<RedshiftColumn>

/** One value for each row of a batch, each a parameter of its type. */
export type ParameterColumn = readonly Expression[]

function listOf(column: RedshiftColumn, values: readonly (string | null)[]): ParameterColumn {
  return values.map((value) => typed(column, sql`${value}`))
}

/** Halves, so that no expression is nested more deeply than the server allows. */
export function anyOfThese(conditions: readonly Condition[]): Condition {
  if (conditions.length === 1) return conditions[0]!
  const half = conditions.length >> 1
  return sql<boolean>`(${anyOfThese(conditions.slice(0, half))} or ${anyOfThese(conditions.slice(half))})`
}

/** Keys and new values stand beside the table as rows of parameters: there are neither arrays nor VALUES in FROM. */
export const redshiftShapes: SqlShapes<RedshiftColumn, string, ParameterColumn> = {
  keyBinder: binderOf,
  valueBinder: binderOf,
  rewritable: () => false,
  rows(lists, name, columns) {
    const rows = (lists[0] ?? []).map((_, row) => {
      const cells = lists.map((list, at) => sql`${list[row]} as ${columns[at]}`)
      return sql`select ${sql.join(cells)}`
    })
    return sql`(${sql.join(rows, sql` union all `)}) as ${name}`
  },
  numbers: (numbers) => numbers.map((number) => sql`cast(${sql.lit(number)} as bigint)`),
  isScalar: ({ family }) => family !== 'document',
  keys({ column, caseInsensitive }, keys) {
    if (!caseInsensitive) return { own: listOf(column, keys) }
    return { own: keys.map((key) => sql`cast(${key} as varchar(65535))`) }
  },
  equals(target, value, operand) {
    const { column, caseInsensitive } = target
    const own = operand.form('own')
    if (caseInsensitive) return sql<boolean>`${folded(target, value)} = ${bytesOf(own)}`
    const same = sql<boolean>`${value} = ${own}`
    return isText(column) ? sql<boolean>`(${same} and ${exactSide(column, value)} = ${bytesOf(own)})` : same
  },
  holdsAny(target, keys) {
    const { column, caseInsensitive } = target
    const distinct = [...new Set(keys)]
    if (!caseInsensitive) return isOneOf(column, distinct)
    const list = distinct.map((key) => bytesOf(sql`cast(${key} as varchar(65535))`))
    return sql<boolean>`${folded(target, sql.id(column.name))} in (${sql.join(list)})`
  },
  record: (columns) => sql.join(columns.map((column) => exactSide(column))),
  holdsExactly(columns, key) {
    const same = columns.map((column, part) => {
      const [value, other] = [exactSide(column), exactSide(column, key(part))]
      return sql<boolean>`(${value} = ${other} or (${sql.id(column.name)} is null and ${key(part)} is null))`
    })
    return sql<boolean>`${sql.join(same, sql` and `)}`
  },
  exactKeys: listOf,
  order: ({ name }) => sql.id(name),
  constant: (column, value) => typed(column, sql`${value}`),
  newValues: listOf,
  newValue: (_, value) => value,
  members() {
    throw new Error('documents are written whole: see whole-documents.ts')
  },
  update: (table, from, set, where) =>
    sql`update ${table} set ${set}${from ? sql` from ${from}` : sql``} where ${where}`,
  remove: (table, from, where) => sql`delete from ${table}${from ? sql` using ${from}` : sql``} where ${where}`,
  countedAtLeast: (selection) => sql`select count(*) from (${selection}) as ${sql.id('held')}`,
  referencedKeys: listOf,
  refersTo: (_column, _to, value, key) => sql<boolean>`${value} = ${key}`,
  isComparable: (column, to) =>
    column.family !== 'document' &&
    column.family !== 'other' &&
    (column.family === to.family || (isText(column) && isText(to))),
  exactText: (column, value) => asText(column, readForm(column, value)),
}

/** That the targets hold one tuple together, beside the lists of each of them. */
export function amongTuples(targets: readonly Target[], keys: readonly (readonly string[])[]): Condition {
  const tuples = keys[0]!.map((_, row) => {
    const met = targets.map((target, part) => redshiftShapes.holdsAny(target, [keys[part]![row]!]))
    return sql<boolean>`(${sql.join(met, sql` and `)})`
  })
  return anyOfThese(tuples)
}

/** That the targets hold one tuple together. The list of each column stands beside it, so that sort keys leave blocks out. */
export function inTuples(targets: readonly Target[], keys: readonly (readonly string[])[]): Condition {
  const narrowed = targets.map((target, part) => redshiftShapes.holdsAny(target, keys[part]!))
  if (targets.length === 1) return narrowed[0]!
  return sql<boolean>`(${sql.join([...narrowed, amongTuples(targets, keys)], sql` and `)})`
}
