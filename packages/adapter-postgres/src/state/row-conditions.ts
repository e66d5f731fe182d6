import type { FieldCondition } from '@habeas/core'
import { type RawBuilder, sql } from 'kysely'
import { escapedPattern } from './escaped-pattern.js'
import { fieldStart, fieldText, indexedCharacters } from './row-tables.js'
import { refuseUnstorable } from './state-failure.js'

type Value = string | number | boolean
export type RowWhere = Readonly<Record<string, FieldCondition<Value> | undefined>>

/** Returns a value as `sort_text` of the schema writes it. */
function sortText(value: Value): string {
  if (typeof value === 'string') {
    refuseUnstorable('The value to search for', value)
    return value
  }
  if (typeof value === 'boolean') return String(value)
  const bytes = Buffer.alloc(8)
  // JSON has no negative zero.
  bytes.writeDoubleBE(value === 0 ? 0 : value)
  if (value >= 0) return `1${bytes.toString('hex')}`
  return `0${Buffer.from(bytes.map((byte) => byte ^ 0xff)).toString('hex')}`
}

/** Returns whether a text is shorter than what an index holds, so that comparing the beginning of a field is enough. */
const isShort = (text: string): boolean => text.length < indexedCharacters

function compared(schema: string, field: string, condition: FieldCondition<Value>): RawBuilder<boolean>[] {
  const text = fieldText(schema, field)
  const start = fieldStart(schema, field)
  const isText =
    field === 'id' ? sql<boolean>`true` : sql<boolean>`jsonb_typeof(document -> ${sql.lit(field)}) = 'string'`
  const found: RawBuilder<boolean>[] = []
  const { equals, in: oneOf, startsWith, contains, isNull } = condition
  if (equals !== undefined) {
    const wanted = sortText(equals)
    found.push(sql`${start} = left(${wanted}, ${sql.lit(indexedCharacters)})`)
    if (!isShort(wanted)) found.push(sql`${text} = ${wanted}`)
  }
  if (oneOf !== undefined) {
    const wanted = oneOf.map(sortText)
    found.push(sql`${wanted.every(isShort) ? start : text} = any(${wanted}::text[])`)
  }
  for (const [member, operator] of operators) {
    const bound = condition[member]
    if (bound === undefined) continue
    const wanted = sortText(bound)
    found.push(sql`${isShort(wanted) ? start : text} ${sql.raw(operator)} ${wanted}`)
  }
  if (startsWith !== undefined) {
    found.push(sql`${isShort(startsWith) ? start : text} like ${`${escapedPattern(sortText(startsWith))}%`}`, isText)
  }
  if (contains !== undefined) found.push(sql`position(${sortText(contains)} in ${text}) > 0`, isText)
  if (isNull !== undefined) found.push(isNull ? sql`${start} is null` : sql`${start} is not null`)
  return found
}

const operators = [
  ['lt', '<'],
  ['lte', '<='],
  ['gt', '>'],
  ['gte', '>='],
] as const

/** Returns the conditions of a query of the port as one condition of SQL. */
export function rowConditions(schema: string, where: RowWhere = {}): RawBuilder<boolean> {
  const conditions = Object.entries(where).flatMap(([field, condition]) =>
    condition === undefined ? [] : compared(schema, field, condition),
  )
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}
