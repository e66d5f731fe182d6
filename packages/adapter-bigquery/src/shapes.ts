import { inSmallLetters, type Value } from '@habeas/core'
import {
  type Condition,
  type Expression,
  type KeyTarget,
  mayHideNumbers,
  refusedFailure,
  type SqlShapes,
  writeJson,
} from '@habeas/sql'
import { sql } from 'kysely'
import type { BatchList } from './batch-list.js'
import { type Bound, formsIn, parameterTypeOf, parameterValueOf, scalarBinder } from './bound-values.js'
import { comparedAs, folded, isAmong, isKey, ownSide, textSide } from './comparison.js'
import { isLoose, isScalar, type LiveColumn, type LiveType } from './live-column.js'
import { canonical, membersOf, wholeText, withPlainNumbers } from './members-of.js'
import { type Place, placeOf } from './place.js'
import { list, type Parameter, type ParameterType, type ParameterValue, scalar } from './query-parameters.js'

type Target = KeyTarget<LiveColumn>

/** Keys of the target's type, as they are compared. What the type cannot hold is in no row. */
export function binderOf({ column, path, kind, caseInsensitive }: Target): (value: Value) => Bound | undefined {
  const place = placeOf(column, path)
  if (!place) return () => undefined
  if (caseInsensitive) {
    const bind = scalarBinder({ family: 'string', name: 'STRING', repeated: false })
    return (value) => {
      const text = bind(value)
      return text === undefined ? undefined : inSmallLetters(text)
    }
  }
  if (place.leaf.family === 'json') return formsIn(kind === 'string')
  return scalarBinder(place.leaf.family === 'decimal' ? bigNumeric : place.leaf)
}

const bigNumeric: LiveType = { family: 'decimal', name: 'BIGNUMERIC', repeated: false }

/** A condition on the one value of a place, or on any of its values. */
function anyOf({ from }: Place, condition: Condition): Condition {
  return from.length === 0 ? condition : sql<boolean>`exists (select 1 from ${sql.join(from)} where ${condition})`
}

/** BigQuery: a list of keys is one array parameter, and rows of keys are one of STRUCTs. Nothing is locked. */
export const bigqueryShapes: SqlShapes<LiveColumn, Bound, BatchList> = {
  keyBinder(column) {
    const bind = wholeBinder(column)
    return isScalar(column) && column.type.family === 'decimal' ? scalarBinder(bigNumeric) : bind
  },
  numbersBinder: ({ type }) =>
    type.family === 'json' && !type.repeated ? (value) => writeJson(value, true) : undefined,
  valueBinder: wholeBinder,
  rewritable: ({ type }, was) => type.repeated || type.family !== 'json' || !mayHideNumbers(was),
  rows(lists, name, columns) {
    const row = sql.id('row')
    const fields = lists.map((_, at) => sql`${row}.${sql.id(`f${at}`)} as ${columns[at]}`)
    return sql`(select ${sql.join(fields)} from unnest(${rowsParameter(lists)}) as ${row}) as ${name}`
  },
  numbers: (numbers) => ({ type: { type: 'INT64' }, values: numbers.map((number) => ({ value: String(number) })) }),
  isScalar,
  elements(target) {
    const { from, value } = placeOf(target.column, target.path) ?? { from: [], value: sql`null` }
    if (from.length === 0) return sql`unnest([${value}])`
    return sql`unnest(array(select ${value} from ${sql.join(from)}))`
  },
  keys: (target, keys) => ({ own: keyList(target, keys) }),
  equals(target, value, operand) {
    return isKey(comparedType(target), comparedSide(target, leafOf(target), value), operand.form('own'))
  },
  holdsAny(target, keys) {
    const place = placeOf(target.column, target.path)
    if (!place) return sql<boolean>`false`
    if (target.as) return looselyAmong(place.value, keys.flat() as string[])
    const parameter = sql`${distinctKeys(listType(target), keys)}`
    const side = comparedSide(target, place.leaf, place.value)
    return anyOf(place, isAmong(comparedType(target), side, keys.flat() as string[], parameter))
  },
  record(columns, key) {
    const parts = columns.map((column, part) => {
      const value = key ? keySide(column.type, key(part)) : wholeSide(column.type, sql.id(column.name))
      const isJson = key !== undefined && column.type.family === 'json' && !column.type.repeated
      const compared = isJson ? canonical(value) : value
      return sql`${compared} as ${sql.id(`f${part}`)}`
    })
    // a JSON column has its form in its part
    const types = columns.flatMap(({ type }) => (type.repeated || type.family !== 'json' ? [type] : []))
    return wholeText(types, sql`struct(${sql.join(parts)})`)
  },
  exactKeys({ type }, values) {
    if (isStruct(type)) return listOf(parameterTypeOf({ ...type, repeated: true }), values.map(alone))
    return isText(type) ? listOf({ type: 'STRING' }, values) : listOf(parameterTypeOf(type), values)
  },
  order: ({ name }) => sql.id(name),
  constant: ({ type }, value) => written(type, sql`${parameterOf(type, value)}`),
  newValues: ({ type }, values) => listOf(writtenAs(type), values),
  newValue: ({ type }, value) => written(type, value),
  members(column, members, table) {
    const refuse = () => refusedFailure(table.path.at(-1)!, { column: column.name })
    return membersOf(column, members, table, refuse)
  },
  update: (table, from, set, where) =>
    sql`update ${table} set ${set}${from ? sql` from ${from}` : sql``} where ${where}`,
  remove: (table, from, where) =>
    sql`delete from ${table} where ${from ? sql`exists (select 1 from ${from} where ${where})` : where}`,
  lock: { writing: () => sql``, reading: () => sql`` },
  countedAtLeast: (selection) => sql`select count(*) from (${selection})`,
  referencedKeys: (to, keys) => keyList({ column: to, path: [], caseInsensitive: false }, keys),
  refersTo: (column, to, value, key) => isKey(to.type, pointing(column, to, value), key),
  isComparable: (column, to) => isScalar(column) && isScalar(to) && comparedAs(column.type) === comparedAs(to.type),
  exactText: ({ type }, value) => textSide(type, value),
}

/** A column as the service compares it with the key of another one: a collation on either side decides. */
function pointing(column: LiveColumn, { type }: LiveColumn, value: Expression): Expression {
  if (isLoose(column)) return value
  return isLoose({ type }) ? sql`collate(${value}, ${sql.lit(type.collation)})` : ownSide(type, value)
}

/** That a column with a collation holds one of the keys, as the service compares them. Elements of arrays have no collation. */
function looselyAmong(value: Expression, keys: readonly string[]): Condition {
  const equal = [...new Set(keys)].map((key) => sql`${value} = ${scalar('STRING', key)}`)
  return sql<boolean>`(${sql.join(equal, sql` or `)})`
}

/** Rows of lists as one parameter. */
export function rowsParameter(lists: readonly BatchList[]): Parameter {
  const structTypes = lists.map(({ type }, at) => ({ name: `f${at}`, type }))
  const arrayValues = (lists[0]?.values ?? []).map((_, row) => ({
    structValues: Object.fromEntries(lists.map(({ values }, at) => [`f${at}`, values[row]!])),
  }))
  return { type: { type: 'ARRAY', arrayType: { type: 'STRUCT', structTypes } }, value: { arrayValues } }
}

/** Lists are made once for each column of keys, so that the statements of a job share the parameter. */
const made = new WeakMap<readonly Bound[], Map<string, Parameter>>()

function distinctKeys(type: string, keys: readonly Bound[]): Parameter {
  const known = made.get(keys) ?? new Map<string, Parameter>()
  made.set(keys, known)
  const parameter = known.get(type) ?? list(type, [...new Set(keys.flat() as string[])])
  known.set(type, parameter)
  return parameter
}

/** A value as the keys of the target are bound. */
function comparedSide({ caseInsensitive, trimmed }: Target, leaf: LiveType, value: Expression): Expression {
  return caseInsensitive ? folded(textSide(leaf, value), trimmed) : ownSide(leaf, value)
}

function leafOf({ column, path }: Target): LiveType {
  return placeOf(column, path)?.leaf ?? column.type
}

/** Without regard to case everything is compared as text. */
function comparedType(target: Target): Pick<LiveType, 'family'> {
  return target.caseInsensitive ? { family: 'string' } : leafOf(target)
}

function listType(target: Target): string {
  return target.caseInsensitive ? 'STRING' : comparedAs(leafOf(target))
}

function keyList(target: Target, keys: readonly Bound[]): BatchList {
  return { type: { type: listType(target) }, values: (keys.flat() as string[]).map((value) => ({ value })) }
}

function listOf(type: ParameterType, values: readonly (Bound | null)[]): BatchList {
  const none = type.type === 'ARRAY' ? { arrayValues: [] } : { value: null }
  return {
    type,
    values: values.map((value) =>
      value === null ? none : typeof value === 'string' ? { value } : (value as ParameterValue),
    ),
  }
}

/** A column whole, as keys that were read from it are compared. */
function wholeSide(type: LiveType, value: Expression): Expression {
  if (type.repeated || type.family === 'struct') return value
  if (type.family === 'json') return withPlainNumbers(sql`to_json_string(${value})`)
  if (type.family !== 'decimal') return ownSide(type, value)
  const text = sql`cast(${value} as string)`
  return sql`if(strpos(${text}, '.') > 0, rtrim(rtrim(${text}, '0'), '.'), ${text})`
}

/** A STRUCT of a key travels as an array of one, or of none where it is NULL: a parameter need not tell that from one of NULLs. */
function alone(value: Bound | null): ParameterValue {
  return { arrayValues: value === null ? [] : [value as ParameterValue] }
}

function keySide(type: LiveType, value: Expression): Expression {
  return isStruct(type) ? sql`${value}[safe_offset(0)]` : value
}

function isStruct({ family, repeated }: LiveType): boolean {
  return family === 'struct' && !repeated
}

/** Types whose keys travel as text. */
function isText({ repeated, family }: LiveType): boolean {
  return !repeated && ['decimal', 'string', 'bytes', 'json', 'geography', 'other'].includes(family)
}

function wholeBinder({ type }: LiveColumn): (value: Value) => Bound | undefined {
  if (type.repeated || type.family === 'struct') return (value) => parameterValueOf(type, value)
  const bind = scalarBinder(type)
  const { length, family } = type
  if (length === undefined) return bind
  return (value) => {
    const text = bind(value)
    const size = text === undefined ? 0 : family === 'bytes' ? Buffer.byteLength(text, 'base64') : [...text].length
    return size > length ? undefined : text
  }
}

function parameterOf(type: LiveType, value: Bound): Parameter {
  return { type: writtenAs(type), value: typeof value === 'string' ? { value } : (value as ParameterValue) }
}

/** The type that new values travel as. */
function writtenAs(type: LiveType): ParameterType {
  const asText = !type.repeated && ['bytes', 'json', 'geography', 'other'].includes(type.family)
  return asText ? { type: 'STRING' } : parameterTypeOf(type)
}

function written({ family, repeated, name }: LiveType, value: Expression): Expression {
  if (repeated) return value
  switch (family) {
    case 'bytes':
      return sql`from_base64(${value})`
    case 'json':
      return sql`parse_json(${value})`
    case 'geography':
      return sql`st_geogfromtext(${value})`
    case 'other':
      return sql`cast(${value} as ${sql.raw(/^[A-Z]+(?:<[A-Z]+>)?$/.test(name) ? name : 'STRING')})`
    default:
      return value
  }
}
