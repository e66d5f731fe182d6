import { type Condition, type Expression, smallLetters } from '@habeas/sql'
import { sql } from 'kysely'
import type { LiveType } from './live-column.js'

/** The type of parameters that values of the type are compared with. */
export function comparedAs({ family, name }: LiveType): string {
  if (family === 'decimal') return 'BIGNUMERIC'
  return ['string', 'bytes', 'json', 'struct', 'geography', 'other'].includes(family) ? 'STRING' : name
}

/** A value as it is compared, exactly. A value inside a document becomes one of the forms of `formsIn`. */
export function ownSide(type: LiveType, value: Expression): Expression {
  switch (type.family) {
    case 'json':
      return sql`if(starts_with(${value}, '"'), concat('s', json_value(${value}, '$')), concat('n', ${value}))`
    case 'string':
    case 'bytes':
    case 'geography':
    case 'other':
      return textSide(type, value)
    default:
      return value
  }
}

/** That a value, as it is compared, is a key. NaN equals no number with `=`, not even itself. */
export function isKey({ family }: Pick<LiveType, 'family'>, value: Expression, key: Expression): Condition {
  return family === 'float' ? sql<boolean>`${value} is not distinct from ${key}` : sql<boolean>`${value} = ${key}`
}

/** That it is one of the keys, which are the elements of an array parameter. */
export function isAmong(
  { family }: Pick<LiveType, 'family'>,
  value: Expression,
  keys: readonly string[],
  parameter: Expression,
): Condition {
  const among = sql<boolean>`${value} in unnest(${parameter})`
  return family === 'float' && keys.includes('NaN') ? sql<boolean>`(${among} or is_nan(${value}))` : among
}

/** A value as text, without a collation: some functions refuse one, and the others would compare by it. */
export function textSide({ family, collation }: Pick<LiveType, 'family' | 'collation'>, value: Expression): Expression {
  switch (family) {
    case 'string':
      return collation === undefined ? value : sql`collate(${value}, '')`
    case 'bytes':
      return sql`to_base64(${value})`
    case 'geography':
      return sql`st_astext(${value})`
    case 'json':
      return sql`json_value(${value}, '$')`
    default:
      return sql`cast(${value} as string)`
  }
}

/** A text in small letters, and without outer blanks. */
export function folded(text: Expression, trimmed = false): Expression {
  return smallLetters(trimmed ? sql`trim(${text}, ' \\t\\r\\n')` : text)
}

/** True where it holds, and false of what is not known. */
export function certainly(condition: Expression): Condition {
  return sql<boolean>`ifnull(${condition}, false)`
}
