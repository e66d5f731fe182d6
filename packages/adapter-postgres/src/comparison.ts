import type { Condition, Expression, Form, KeyTarget, Operand } from '@habeas/sql'
import { sql } from 'kysely'
import { asJsonb } from './json-column.js'
import { integerArray, type KeyArray, textArray, uuidArray } from './key-array.js'
import type { BoundKey } from './key-binding.js'
import type { LiveColumn } from './live-column.js'

/** Returns the operand for any of a list of keys. */
export function anyOf(target: KeyTarget<LiveColumn>, keys: readonly BoundKey[]): Operand {
  const { as } = target
  const keyed = (list: Expression) =>
    // PostgreSQL would flatten a list of lists
    as?.array
      ? sql`any(select ${pointedTo(as, sql.id('key'))} from unnest(${list}) as ${sql.id('key')})`
      : sql`any(${list})`
  return {
    form: (form) => keyed(parameter(keyList(target, keys, form))),
    lowered: (lower = (text) => sql`lower(${text})`) => sql`any(${lowered(keys, lower)})`,
  }
}

/** Returns the operand for any of a list of UUIDs of 16 bytes each. UUIDs have one form only. */
export function anyOfUuids(uuids: Uint8Array): Operand {
  const any = sql`any(${parameter(uuidArray(uuids))})`
  return { form: () => any, lowered: () => any }
}

/** Returns the forms in which keys of the target are compared. Each form has a list of its own. */
export function formsOf(target: KeyTarget<LiveColumn>): readonly Form[] {
  const { column, caseInsensitive, as } = target
  if (as) return ['own']
  if (caseInsensitive) return foldsItself(target) ? ['own'] : ['text']
  return column.loose ? ['own', 'text'] : ['own']
}

/** Returns the elements of a list, or the values that the path leads to inside a document, as rows. */
export function elementsOf({ column, path }: KeyTarget<LiveColumn>): Expression {
  const held = sql.id(column.name)
  return column.family === 'json' ? found(asJsonb(column, held), path) : sql`unnest(${held})`
}

/** Returns whether the type of the column ignores case itself, so that an index on the column serves. */
function foldsItself({ column, trimmed }: Pick<KeyTarget<LiveColumn>, 'column' | 'trimmed'>): boolean {
  return column.folds === true && !trimmed
}

/** The blanks that a comparison trims. An index on `lower(btrim(email, E' \t\r\n'))` serves it. */
const outerBlanks = sql.raw(String.raw`E' \t\r\n'`)

/** Returns the condition that one value of the target, the column itself or an element of it, equals the operand. */
export function equals(target: KeyTarget<LiveColumn>, value: Expression, operand: Operand): Condition {
  const { column, caseInsensitive, as } = target
  if (as) return pointsTo(column, as, value, operand.form('own'))
  const json = column.family === 'json'
  if (caseInsensitive) {
    const text = json ? sql`${value} #>> '{}'` : asText(column, value)
    const compared = target.trimmed ? sql`btrim(${text}, ${outerBlanks})` : text
    const served = foldsItself(target)
      ? sql`${value} = ${operand.form('own')}`
      : sql`lower(${compared}) = ${operand.lowered()}`
    // the first comparison uses an index; the second one leaves out look-alikes, such as the Kelvin sign for a k
    return sql<boolean>`(${served} and ${inSmallLetters(compared)} = ${operand.lowered(inSmallLetters)})`
  }
  if (json) return sql<boolean>`${value} = ${operand.form('own')}`
  const condition = sql<boolean>`${ownSide(column, value)} = ${operand.form('own')}`
  if (!column.loose) return condition
  // the server's own `=` uses the index; the bytewise comparison leaves out other texts that it holds equal
  return sql<boolean>`(${condition} and ${textSide(column, value)} = ${operand.form('text')})`
}

/** Returns a text in which ASCII letters alone are lower-cased, whatever the locale of the database. */
function inSmallLetters(text: Expression): Expression {
  return sql`lower((${text})::text collate "C")`
}

/** Returns everything that a path leads to through objects, and through any arrays and arrays of arrays on the way. */
function found(document: Expression, path: readonly string[]): Expression {
  const steps = path.map((member) => `.${JSON.stringify(member)}[*]`).join('')
  return sql`jsonb_path_query(${document}, ${`lax $[*]${steps}[*]`}::jsonpath)`
}

/** Returns a value as its own type compares it. Enumerations and types that are not known here are compared as text. */
export function ownSide(column: LiveColumn, value: Expression): Expression {
  if (isTextual(column)) return textSide(column, value)
  return column.family === 'money' ? sql`${value}::numeric` : value
}

/** Returns a value as exact text. */
export function textSide(column: LiveColumn, value: Expression): Expression {
  return sql`${asText(column, value)}${column.loose ? sql` collate "C"` : sql``}`
}

/** Returns the text that a read of the value gives. */
export function asText({ family, cast }: LiveColumn, value: Expression): Expression {
  // a cast of some types (inet) writes more than a read of them gives; `format` alone would write null as empty text
  // and `is not null` asks of a composite value whether all of its members hold something
  if (family === 'other') return sql`case when ${value} is distinct from null then format('%s', ${value}) end`
  return family === 'text' && !cast.includes('.') ? value : sql`${value}::text`
}

function isTextual({ family }: LiveColumn): boolean {
  return family === 'enum' || family === 'other'
}

/** A list is made once for each column of keys, so that a condition and its tuples share the parameter. */
const lists = new WeakMap<readonly BoundKey[], Partial<Record<Form, KeyArray>>>()

/** Returns keys as one parameter. A key of a document may have several forms in it. */
export function keyList({ column, as }: Listed, keys: readonly BoundKey[], form: Form): KeyArray {
  const known = lists.get(keys) ?? {}
  lists.set(keys, known)
  if (as) known.own ??= pointedList(as, keys)
  const list = !as && isTextual(column) ? 'text' : form
  known[list] ??= list === 'own' ? ownList(column, keys) : textArray('text', keys as readonly string[])
  return known[list]
}

type Listed = Pick<KeyTarget<LiveColumn>, 'column' | 'as'>

/** Returns keys that a foreign key refers to. They have their own type, even where they are compared as text elsewhere. */
export function pointedList(to: LiveColumn, keys: readonly BoundKey[]): KeyArray {
  if (to.array) return textArray('text', keys.map(String))
  return isTextual(to) ? textArray(to.cast, keys.map(String)) : ownList(to, keys)
}

/** Returns the key that an element of such a list stands for. */
export function pointedTo(to: LiveColumn, key: Expression): Expression {
  return to.array ? sql`${key}::${sql.raw(to.cast)}[]` : key
}

/** Returns keys as a list of their own type, or of one that compares with it by an index, as numbers of any width do. */
function ownList({ family, cast, loose }: LiveColumn, keys: readonly BoundKey[]): KeyArray {
  switch (family) {
    case 'integer':
      return integerArray(keys as readonly (number | string)[])
    case 'decimal':
    case 'money':
      return textArray('numeric', keys as readonly string[])
    case 'text':
      return textArray(loose ? cast : 'text', keys as readonly string[])
    case 'json':
      return textArray('jsonb', (keys as readonly (readonly string[])[]).flat())
    default:
      return textArray(cast, keys.map(String))
  }
}

/** Returns the condition that a value refers to the key. As for a foreign key, type and collation of the key decide. */
export function pointsTo(column: LiveColumn, to: LiveColumn, value: Expression, key: Expression): Condition {
  const collated = to.collation === undefined ? sql`` : sql` collate ${sql.raw(to.collation)}`
  return sql<boolean>`${inTypeOf(to, column, value)}${collated} ${equalsOf(to)} ${key}`
}

/** Returns a value in the type of the key. Where the types differ the server converts it, and no index on the column serves. */
function inTypeOf(to: LiveColumn, column: LiveColumn, value: Expression): Expression {
  if (to.family === 'money') return sql`${value}::numeric`
  if (to.family !== 'text' && to.family !== 'blank_padded') return value
  if (column.cast === to.cast) return value
  if (column.family === 'text' && to.family === 'text' && !to.loose) return asText(column, value)
  return sql`${value}::${sql.raw(to.cast)}`
}

/** Returns the `=` of a type. That of an extension may not be on the search path, and plain text would then be compared. */
function equalsOf({ family, cast }: LiveColumn): Expression {
  return family === 'text' && cast.includes('.')
    ? sql.raw(`operator(${cast.slice(0, cast.lastIndexOf('.'))}.=)`)
    : sql`=`
}

/**
 * Returns the keys as a list that the server lower-cases. Both functions are immutable, so that the server calls them once,
 * while planning. It takes the result for a constant list, which an index answers and which is hashed when it is long.
 */
function lowered(keys: readonly BoundKey[], lower: (text: Expression) => Expression): Expression {
  const texts = keys as readonly string[]
  // a list without keys is joined to the same text, and that is what the server takes it for
  if (texts.length === 1 && texts[0] === '') return sql`array['']::text[]`
  let separator = '\u001f'
  for (let attempt = 0; texts.some((text) => text.includes(separator)); attempt++) separator = `\u001f${attempt}\u001f`
  return sql`string_to_array(${lower(sql`${texts.join(separator)}::text`)}, ${separator}::text)`
}

/** Returns a list as a parameter of its type. */
export function parameter(list: KeyArray): Expression {
  return sql`${sql.val(list)}::${sql.raw(list.type)}`
}
