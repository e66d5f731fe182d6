import type { FieldCondition, StoredRow } from '../ports/storage.js'

type Field = string | number | boolean
type Condition = FieldCondition<Field>

/** A row seen by its searchable fields. */
export type SearchedRow = StoredRow & Readonly<Record<string, unknown>>

/** `Query` of the storage port without its row kind. */
export interface RowQuery {
  readonly where?: RowWhere
  readonly orderBy?: readonly { readonly field: string; readonly direction?: 'asc' | 'desc' }[]
  readonly limit?: number
  readonly offset?: number
}

export type RowWhere = Readonly<Record<string, Condition | undefined>>

const meets = (value: Field | null, condition: Condition): boolean => {
  if (condition.isNull !== undefined && (value === null) !== condition.isNull) return false
  // Every other condition asks for a value.
  if (value === null) return Object.keys(condition).every((key) => key === 'isNull')
  if (condition.equals !== undefined && value !== condition.equals) return false
  if (condition.in !== undefined && !condition.in.includes(value)) return false
  if (condition.lt !== undefined && !(value < condition.lt)) return false
  if (condition.lte !== undefined && !(value <= condition.lte)) return false
  if (condition.gt !== undefined && !(value > condition.gt)) return false
  if (condition.gte !== undefined && !(value >= condition.gte)) return false
  if (condition.startsWith !== undefined && !(typeof value === 'string' && value.startsWith(condition.startsWith))) {
    return false
  }
  return condition.contains === undefined || (typeof value === 'string' && value.includes(condition.contains))
}

const fieldOf = (row: SearchedRow, field: string): Field | null => (row[field] ?? null) as Field | null

const matcher = (where: RowWhere = {}): ((row: SearchedRow) => boolean) => {
  const conditions = Object.entries(where).filter((entry): entry is [string, Condition] => entry[1] !== undefined)
  return (row) => conditions.every(([field, condition]) => meets(fieldOf(row, field), condition))
}

const compare = (left: Field | null, right: Field | null, descending: boolean): number => {
  if (left === right) return 0
  if (left === null) return 1
  if (right === null) return -1
  return left < right !== descending ? -1 : 1
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

/** Rows that meet `where`, in no particular order. */
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
