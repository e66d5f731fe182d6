import type { Expression } from '@habeas/sql'
import { sql } from 'kysely'
import type { MysqlColumn } from './live-column.js'
import type { ServerKind } from './server-version.js'

/** Returns any value as text of the connection. */
export function asText(value: Expression): Expression {
  return sql`convert(${value} using utf8mb4)`
}

/** Returns a text that equals no other text, whatever its collation takes for equal. */
export function exact(text: Expression): Expression {
  return sql`cast(${text} as binary)`
}

export function isText({ family }: MysqlColumn): boolean {
  return family === 'text'
}

/** Character sets whose characters are known here, or that have all of them. A text is converted to one without an error. */
const convertible = ['utf8mb4', 'utf16', 'utf16le', 'utf32', 'utf8mb3', 'utf8', 'ucs2', 'latin1', 'ascii']

/** Returns a text as a value of the column's type, by which an index of the column finds it. */
export function typed(column: MysqlColumn, text: Expression, kind: ServerKind): Expression {
  const cast = castOf(column)
  if (cast) return casted(text, cast, kind)
  const { family, charset, collation } = column
  if (family === 'bytes' || family === 'vector') return sql`from_base64(${text})`
  if (family === 'document') return comparedDocument(text, kind)
  if (family === 'documentText') return exact(asText(text))
  if (family !== 'text' || charset === null || collation === null) return asText(text)
  // a character that another set lacks would end the statement
  if (!convertible.includes(charset)) return asText(text)
  return sql`convert(${text} using ${sql.raw(charset)}) collate ${sql.raw(collation)}`
}

/**
 * Returns a key to which a foreign key may lead as a value of the column's type. It was read from such a column, so that its set of
 * characters has all of them, and both columns of a foreign key compare texts in one way.
 */
export function pointedTo(column: MysqlColumn, text: Expression, kind: ServerKind): Expression {
  const { family, charset, collation } = column
  if (family !== 'text' || charset === null || collation === null) return typed(column, text, kind)
  return sql`convert(${text} using ${sql.raw(charset)}) collate ${sql.raw(collation)}`
}

/** Returns a column as `pointedTo` compares it. */
export function pointing(column: MysqlColumn, value: Expression, kind: ServerKind): Expression {
  return isText(column) ? value : ownSide(column, value, kind)
}

/** Returns a column as `typed` compares it. */
export function ownSide(column: MysqlColumn, value: Expression, kind: ServerKind): Expression {
  const { family, charset } = column
  if (family === 'geometry') return asText(sql`st_astext(${value})`)
  if (family === 'vector') return exact(value)
  if (family === 'document') return comparedDocument(value, kind)
  if (family === 'documentText') return exact(asText(value))
  return family === 'text' && charset !== null && !convertible.includes(charset) ? asText(value) : value
}

/** Returns a text as a new value of the column. */
export function newValue(column: MysqlColumn, text: Expression): Expression {
  const { family } = column
  const cast = castOf(column)
  if (cast) return casted(text, cast)
  if (family === 'geometry') return sql`st_geomfromtext(${text})`
  return family === 'bytes' || family === 'vector' ? sql`from_base64(${text})` : asText(text)
}

/** Returns a column as a read gives it, where its plain form loses something or is slow. */
export function readForm({ family, name }: MysqlColumn, value: Expression = sql.id(name)): Expression | undefined {
  if (family === 'single') return sql`cast(${value} as double)`
  if (family === 'bit') return sql`cast(${value} as unsigned)`
  if (family === 'boolean') return sql`cast(${value} as signed)`
  if (family === 'geometry') return sql`st_astext(${value})`
  // the server writes them in its own form faster than the driver puts them together
  if (dated.has(family) || family === 'documentText') return asText(value)
  return family === 'vector' ? exact(value) : undefined
}

const dated: ReadonlySet<string> = new Set(['date', 'datetime', 'timestamp', 'time'])

function castOf({ family, unsigned, precision, scale }: MysqlColumn): string | undefined {
  switch (family) {
    case 'integer':
    case 'year':
      return unsigned ? 'unsigned' : 'signed'
    case 'bit':
      return 'unsigned'
    case 'boolean':
      return 'signed'
    case 'decimal':
      return `decimal(${precision}, ${scale})`
    case 'single':
    case 'double':
      return 'double'
    case 'date':
      return 'date'
    case 'datetime':
    case 'timestamp':
      return 'datetime(6)'
    case 'time':
      return 'time(6)'
    default:
      return undefined
  }
}

/** Returns a document in the one form that all equal documents have. */
function comparedDocument(document: Expression, kind: ServerKind): Expression {
  return kind === 'mysql' ? sql`cast(cast(${document} as json) as char)` : sql`json_normalize(${document})`
}

/**
 * MySQL takes a parameter that becomes UNSIGNED for a signed one, and cuts it down to 2^63 - 1 without a word, unless it was a
 * decimal before. MariaDB loses the sign where it puts one such number in the place of another, and finds a decimal by an index.
 * MySQL reads a parameter that becomes TIME as a date where it looks like one, 10:11:12 as November 12, unless it was a text
 * before.
 */
function casted(text: Expression, type: string, kind?: ServerKind): Expression {
  if (type === 'time(6)') return sql`cast(cast(${text} as char) as time(6))`
  if (type !== 'unsigned') return sql`cast(${text} as ${sql.raw(type)})`
  const number = sql`cast(${text} as decimal(20, 0))`
  return kind === 'mysql' ? sql`cast(${number} as unsigned)` : number
}
