import type { FieldCondition } from '../ports/storage.js'
import type { StoredRow } from '../ports/stored-row.js'

/** The values that a searchable field may hold, besides nothing. */
export type FieldValue = string | number | boolean
type Condition = FieldCondition<FieldValue>

/** A row reduced to its searchable fields. */
export type SearchedRow = StoredRow & Readonly<Record<string, unknown>>

/** `Query` of the storage port without its row kind. */
export interface RowQuery {
  readonly where?: RowWhere
  readonly orderBy?: readonly { readonly field: string; readonly direction?: 'asc' | 'desc' }[]
  readonly limit?: number
  readonly offset?: number
}

export type RowWhere = Readonly<Record<string, Condition | undefined>>

/**
 * Compares two texts by code point, as databases do. By code unit, as JavaScript compares, the characters from U+10000 on
 * would come before those from U+E000 to U+FFFF.
 */
const compareText = (left: string, right: string): number => {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index += 1) {
    const [one, other] = [left.charCodeAt(index), right.charCodeAt(index)]
    if (one !== other) return rank(one) - rank(other)
  }
  return left.length - right.length
}

const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

const compareFields = (left: FieldValue, right: FieldValue): number => {
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right)
  return left < right ? -1 : left > right ? 1 : 0
}

const meets = (value: FieldValue | null, condition: Condition): boolean => {
  if (condition.isNull !== undefined && (value === null) !== condition.isNull) return false
  // Every other condition asks for a value.
  if (value === null) return Object.keys(condition).every((key) => key === 'isNull')
  if (condition.equals !== undefined && value !== condition.equals) return false
  if (condition.in !== undefined && !condition.in.includes(value)) return false
  if (condition.lt !== undefined && !(compareFields(value, condition.lt) < 0)) return false
  if (condition.lte !== undefined && !(compareFields(value, condition.lte) <= 0)) return false
  if (condition.gt !== undefined && !(compareFields(value, condition.gt) > 0)) return false
  if (condition.gte !== undefined && !(compareFields(value, condition.gte) >= 0)) return false
  if (condition.startsWith !== undefined && !(typeof value === 'string' && value.startsWith(condition.startsWith))) {
    return false
  }
  return condition.contains === undefined || (typeof value === 'string' && value.includes(condition.contains))
}

const fieldOf = (row: SearchedRow, field: string): FieldValue | null => (row[field] ?? null) as FieldValue | null

const matcher = (where: RowWhere = {}): ((row: SearchedRow) => boolean) => {
  const conditions = Object.entries(where).filter((entry): entry is [string, Condition] => entry[1] !== undefined)
  return (row) => conditions.every(([field, condition]) => meets(fieldOf(row, field), condition))
}

const compare = (left: FieldValue | null, right: FieldValue | null, descending: boolean): number => {
  if (left === right) return 0
  if (left === null) return 1
  if (right === null) return -1
  return descending ? compareFields(right, left) : compareFields(left, right)
}

const comparator = (orderBy: RowQuery['orderBy'] = []) => {
  const order = orderBy.map(({ field, direction }) => ({ field, descending: direction === 'desc' }))
  return (left: SearchedRow, right: SearchedRow): number => {
    for (const { field, descending } of order) {
      const result = compare(fieldOf(left, field), fieldOf(right, field), descending)
      if (result !== 0) return result
    }
    return compare(left.id, right.id, false)
  }
}

/** Returns the rows that meet `where`, in no particular order. */
export const filterRows = (rows: Iterable<SearchedRow>, where?: RowWhere): SearchedRow[] => {
  const matches = matcher(where)
  const found: SearchedRow[] = []
  for (const row of rows) if (matches(row)) found.push(row)
  return found
}

/** Answers a query of the storage port over rows held in memory. */
export const queryRows = (rows: Iterable<SearchedRow>, query: RowQuery = {}): readonly SearchedRow[] => {
  const { where, orderBy, limit = Number.POSITIVE_INFINITY, offset = 0 } = query
  return filterRows(rows, where)
    .sort(comparator(orderBy))
    .slice(offset, offset + limit)
}
