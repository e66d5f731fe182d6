import { inSmallLetters, type Value } from '@habeas/core'
import {
  type Condition,
  decimalText,
  type Expression,
  type KeyTarget,
  smallLetters,
  textBinders,
  writeJson,
} from '@habeas/sql'
import { sql } from 'kysely'
import { mostTextBytes, type RedshiftColumn } from './redshift-column.js'

type Binder = (value: Value) => string | undefined

/** Turns values into texts that the type takes. A value that no row of the column can hold gives undefined. */
export function binderOf({ family, scale }: RedshiftColumn): Binder {
  switch (family) {
    case 'integer':
      return (value) => {
        const text = textBinders.integer(value)
        return text !== undefined && BigInt.asIntN(scale, BigInt(text)) === BigInt(text) ? text : undefined
      }
    case 'decimal':
      return (value) => decimalText(value, 38, scale)
    case 'single':
      return (value) => {
        const text = textBinders.float(value)
        return text === undefined || !Number.isFinite(Math.fround(Number(text))) ? undefined : text
      }
    case 'double':
      return textBinders.float
    case 'boolean':
      return (value) => ({ 1: 'true', 0: 'false' })[textBinders.boolean(value) ?? '']
    case 'text':
      return plainText
    case 'padded':
      return (value) => plainText(value)?.replace(/ +$/, '')
    case 'date':
      return textBinders.date
    case 'timestamp':
    case 'instant':
      return textBinders.timestamp
    case 'bytes':
      return (value) => {
        const text = textBinders.bytes(value)
        return text === undefined ? undefined : Buffer.from(text, 'base64').toString('hex')
      }
    case 'document':
      return (value) => writeJson(value)
    case 'other':
      return () => undefined
  }
}

/** The server would cut a longer text off where it is cast, and so find or write another one. */
function plainText(value: Value): string | undefined {
  const text = textBinders.string(value)
  return text === undefined || Buffer.byteLength(text) > mostTextBytes ? undefined : text
}

export function foldedText(value: Value): string | undefined {
  const text = plainText(value)
  return text === undefined ? undefined : inSmallLetters(text)
}

export const isText = ({ family }: RedshiftColumn): boolean => family === 'text' || family === 'padded'

/** A text as a value of the column. */
export function typed({ family, cast }: RedshiftColumn, text: Expression): Expression {
  const given = sql`cast(${text} as ${sql.raw(cast)})`
  if (family === 'bytes') return sql`to_varbyte(${given}, 'hex')`
  return family === 'document' ? sql`json_parse(${given})` : given
}

/** A value in the form in which rows give it. */
export function readForm({ family }: RedshiftColumn, value: Expression): Expression {
  if (family === 'bytes') return sql`from_varbyte(${value}, 'hex')`
  if (family === 'document') return sql`json_serialize(${value})`
  // more digits than the text of a real has
  return family === 'single' ? sql`cast(${value} as double precision)` : value
}

/** The bytes of a text. The server itself takes blanks at the end for nothing, and letters as the collation says. */
export const bytesOf = (text: Expression): Expression => sql`to_varbyte(${text}, 'utf8')`

/** A value as text. */
export function asText({ family }: RedshiftColumn, value: Expression): Expression {
  if (family === 'text') return value
  if (family === 'padded') return sql`rtrim(${value})`
  if (family === 'boolean') return sql`case when ${value} then 'true' when not ${value} then 'false' end`
  if (family === 'bytes' || family === 'document') return readForm({ family } as RedshiftColumn, value)
  return sql`cast(${value} as varchar(${sql.raw(String(mostTextBytes))}))`
}

/** A value such that only what is equal is equal. Documents are compared by their text. */
export function exactSide(column: RedshiftColumn, value: Expression = sql.id(column.name)): Expression {
  if (isText(column)) return bytesOf(asText(column, value))
  return column.family === 'document' ? readForm(column, value) : value
}

/** That the column, without a function around it, and then its exact form, are among the keys. */
export function isOneOf(column: RedshiftColumn, keys: readonly string[]): Condition {
  const value = sql.id(column.name)
  const own = keys.map((key) => typed(column, sql`${key}`))
  const among = (side: Expression, list: readonly Expression[]) =>
    list.length === 1 ? sql<boolean>`${side} = ${list[0]}` : sql<boolean>`${side} in (${sql.join(list)})`
  if (!isText(column)) return among(value, own)
  return sql<boolean>`(${among(value, own)} and ${among(exactSide(column), own.map(bytesOf))})`
}

/** What a comparison without regard to the case of ASCII letters compares. */
export function folded({ column, trimmed }: KeyTarget<RedshiftColumn>, value: Expression): Expression {
  const text = asText(column, value)
  return bytesOf(smallLetters(trimmed ? sql`btrim(${text}, ${sql.lit(' \t\r\n')})` : text))
}
