import { isPlainObject } from './clean-input.js'
import { type PartitionRange, partitionRangeSchema } from './service-meta.js'

/**
 * Turns the older `partitioning` of a collection into ranges: a list of ranges, or `where_clauses` over one column each.
 * Undefined where it says something else, which no statement may repeat. A bound that was left out becomes part of its
 * range, so that never fewer rows are searched.
 */
export function readLegacyPartitioning(value: unknown): PartitionRange[] | undefined {
  const listed = isPlainObject(value) && Array.isArray(value.where_clauses) ? value.where_clauses.map(rangeOf) : value
  if (!Array.isArray(listed) || listed.length === 0) return undefined
  const ranges = listed.map((range) => partitionRangeSchema.safeParse(range))
  return ranges.every(({ success }) => success) ? ranges.map(({ data }) => data as PartitionRange) : undefined
}

const column = '`?(\\w+)`?'
const bound =
  "\\s*(<=|>=|<|>|=)\\s*('[^']*'|\\d+|CURRENT_TIMESTAMP(?:\\(\\))?(?: - INTERVAL \\d+ (?:DAY|HOUR|MINUTE))?)"
const clause = new RegExp(`^\\s*${column}${bound}(?:\\s+AND\\s+${column}${bound})?\\s*$`, 'i')

function rangeOf(text: unknown): object | undefined {
  const [, field, sign, value, again = field, nextSign, nextValue] = clause.exec(String(text)) ?? []
  if (field === undefined || again !== field) return undefined
  return { field, ...limitOf(sign as string, value as string), ...(nextSign && limitOf(nextSign, nextValue as string)) }
}

function limitOf(sign: string, value: string): object {
  const limit = literalOf(value)
  if (sign === '=') return { start: limit, end: limit }
  return sign.startsWith('>') ? { start: limit } : { end: limit }
}

function literalOf(value: string): string | number {
  if (/^\d/.test(value)) return Number(value)
  const [, count, unit] = /^CURRENT_TIMESTAMP(?:\(\))? - INTERVAL (\d+) (\w+)$/i.exec(value) ?? []
  if (count !== undefined) return `NOW() - ${count} ${unit?.toUpperCase()}S`
  if (/^C/i.test(value)) return 'NOW()'
  return value.slice(1, -1).replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?: ?UTC|Z)?$/, '$1T$2Z')
}
