import type { EmptyField } from '@habeas/core'
import type { Condition, Expression, KeyTarget } from '@habeas/sql'
import { sql } from 'kysely'
import { anyOf, asText, elementsOf, equals, parameter } from './comparison.js'
import { textArray } from './key-array.js'
import { binderOf } from './key-binding.js'
import type { Family, LiveColumn } from './live-column.js'
import { isScalar } from './value-binding.js'

type Placeholders = NonNullable<EmptyField['placeholders']>

/** Texts of nothing but blanks that trimming removes. The escapes are accepted by databases of every encoding. */
const blanks = String.raw`^[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*$`

/** Texts that are numbers, of no more digits than the server can read. */
const numeral = String.raw`^-?[0-9]{1,40}(?:\.[0-9]{1,40})?$`

const texts: ReadonlySet<Family> = new Set(['text', 'blank_padded', 'enum', 'other'])

/**
 * Returns the condition that the column, each of its elements, or every value that a path leads to inside a document is
 * null, blank or a placeholder.
 */
export function holdsNothing(target: KeyTarget<LiveColumn>, placeholders: Placeholders): Condition {
  const { column, path } = target
  // only documents have members
  if (path.length > 0 && column.family !== 'json') return sql<boolean>`true`
  const reference = sql.id(column.name)
  if (isScalar(column)) return isNothing(column, reference, placeholders)
  const element = sql.id('element')
  return sql<boolean>`not exists (select 1 from ${elementsOf(target)} as ${element} where not ${isNothing(column, element, placeholders)})`
}

function isNothing(column: LiveColumn, value: Expression, placeholders: Placeholders): Condition {
  if (column.family === 'json') {
    const isText = isNothingAsText(column, sql`(${value} #>> '{}')`, placeholders)
    return sql<boolean>`(jsonb_typeof(${value}) not in ('object', 'array') and ${isText})`
  }
  if (texts.has(column.family)) return isNothingAsText(column, asText(column, value), placeholders)
  const target = { column, path: [], caseInsensitive: false }
  const bind = binderOf(target)
  const keys = placeholders.flatMap((placeholder) => bind(placeholder) ?? [])
  const alternatives = [sql`${value} is null`]
  if (column.family === 'bytes') alternatives.push(sql`octet_length(${value}) = 0`)
  if (keys.length > 0) alternatives.push(equals(target, value, anyOf(target, keys)))
  return sql<boolean>`(${sql.join(alternatives, sql` or `)})`
}

function isNothingAsText(column: LiveColumn, text: Expression, placeholders: Placeholders): Condition {
  // a case-insensitive key is bound as text
  const bind = binderOf({ column, path: [], caseInsensitive: true })
  const keys = placeholders.flatMap((placeholder) => (bind(placeholder) as string | undefined) ?? [])
  const numbers = placeholders.filter((placeholder) => Number.isFinite(placeholder))
  const exact = sql`${text} collate "C"`
  const alternatives = [sql`${text} is null`, sql`${exact} ~ ${blanks}`]
  if (keys.length > 0) alternatives.push(sql`${exact} = any(${parameter(textArray('text', keys))})`)
  if (numbers.length > 0) {
    const equal = sql`${text}::numeric = any(${parameter(textArray('numeric', numbers.map(String)))})`
    alternatives.push(sql`case when ${exact} ~ ${numeral} then (${equal}) else false end`)
  }
  return sql<boolean>`(${sql.join(alternatives, sql` or `)})`
}
