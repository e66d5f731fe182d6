import { type Expression, smallLetters } from '@habeas/sql'
import { sql } from 'kysely'
import type { MssqlColumn } from './live-column.js'

/** Compares by the numbers of characters, and knows nothing of languages. */
const binary = sql.raw('collate Latin1_General_100_BIN2')

/** Returns any value as text that holds every character. */
export function asText(value: Expression): Expression {
  return sql`convert(nvarchar(max), ${value})`
}

/** Returns a text that equals no other text. The server ignores blanks at the end of a text, whatever the collation. */
export function exact(text: Expression): Expression {
  return sql`(${asText(text)} + ${sql.lit('.')}) ${binary}`
}

/** Returns texts in which the case of letters does not count, exactly comparable. */
export function folded(text: Expression, trimmed = false): Expression {
  if (!trimmed) return exact(smallLetters(sql`${asText(text)} ${binary}`))
  // blanks inside a text become equal as well; rows that match only because of this are left out later
  const spaced = ['\t', '\r', '\n'].reduce(
    (text, blank) => sql`replace(${text}, ${blank}, ${sql.lit(' ')})`,
    asText(text),
  )
  return exact(smallLetters(sql`trim(${spaced}) ${binary}`))
}

/** Returns a text without a language, for LIKE. */
export function withoutLanguage(text: Expression): Expression {
  return sql`${asText(text)} ${binary}`
}

export function isText({ family }: MssqlColumn): boolean {
  return family === 'text'
}

/** Returns a text without the blanks by which the server fills a CHAR up. Nobody can tell them from blanks that were written. */
export function unpadded({ base }: MssqlColumn, value: Expression): Expression {
  return isPadded(base) ? sql`rtrim(${value})` : value
}

const isPadded = (base: string) => base === 'char' || base === 'nchar'

/** Types of old that no operator compares. */
const incomparable = new Set(['text', 'ntext', 'image'])

/** Returns a text as a value of the column's type, by which an index of the column finds it. */
export function typed(column: MssqlColumn, text: Expression): Expression {
  const { base, collation } = column
  if (column.family === 'text') {
    // the longest type that an index still compares without converting the column
    const type = incomparable.has(base)
      ? 'nvarchar(max)'
      : base.startsWith('n')
        ? longest(column, 4_000)
        : longest(column, 8_000)
    return sql`convert(${sql.raw(type)}, ${text} collate ${sql.raw(collationName(collation))})`
  }
  return newValue(column, text)
}

function longest({ base, type }: MssqlColumn, most: number): string {
  return `${base.replace(/^(n?)(?:var)?char$/, '$1varchar')}(${type.includes('max') ? 'max' : most})`
}

/** The server knows collations by names of these characters alone. */
function collationName(collation: string | null): string {
  return collation !== null && /^\w+$/.test(collation) ? collation : 'database_default'
}

/** Returns a column as `typed` compares it. */
export function ownSide({ family, base }: MssqlColumn, value: Expression): Expression {
  if (family === 'numeral') return wholeNumber(incomparable.has(base) ? asText(value) : value)
  if (base === 'image') return sql`convert(varbinary(max), ${value})`
  return incomparable.has(base) ? asText(value) : value
}

/** A text that is no number would end the statement. */
function wholeNumber(text: Expression): Expression {
  return sql`try_convert(bigint, ${text})`
}

/** Returns a text as a new value of the column. */
export function newValue({ family, type, base }: MssqlColumn, text: Expression): Expression {
  switch (family) {
    case 'numeral':
      return wholeNumber(text)
    case 'text':
    case 'document':
    case 'other':
      return asText(text)
    case 'bytes':
      return sql`convert(varbinary(max), ${text}, 2)`
    case 'date':
    case 'datetime':
    case 'time':
      return sql`convert(${sql.raw(type)}, ${text}, 121)`
    default:
      return sql`convert(${sql.raw(base === 'numeric' ? type.replace('numeric', 'decimal') : type)}, ${text})`
  }
}

/** Returns a column as a read gives it, where its plain form loses something. */
export function readForm(column: MssqlColumn, value: Expression = sql.id(column.name)): Expression | undefined {
  switch (column.family) {
    case 'decimal':
      return sql`convert(varchar(45), ${value}${column.base.endsWith('money') ? sql`, 2` : sql``})`
    case 'date':
    case 'datetime':
    case 'time':
      return sql`convert(varchar(40), ${value}, 121)`
    case 'bytes':
      return column.base === 'timestamp' ? sql`convert(varbinary(8), ${value})` : undefined
    case 'document':
    case 'other':
      return textOf(column, value)
    case 'text':
      return isPadded(column.base) ? unpadded(column, value) : undefined
    default:
      return undefined
  }
}

const byMethod = new Set(['geometry', 'geography', 'hierarchyid'])

/** Returns the text that stands for a value of a type of its own. */
function textOf({ base }: MssqlColumn, value: Expression): Expression {
  return byMethod.has(base) ? sql`${value}.ToString()` : asText(value)
}
