import type { Issue } from '../errors.js'
import { illFormedText, isWellFormedText } from '../model/is-well-formed-text.js'
import { invalidInput } from '../model/parse-input.js'
import type { RowKind } from '../ports/rows.js'
import type { Query, Table, Where } from '../ports/storage.js'

/** Which part of a list is wanted. */
export interface Paging {
  /** From 1, which is the default. */
  readonly page?: number | undefined
  /** Items on a page: 1 to 100, by default 50. */
  readonly size?: number | undefined
}

export interface ListOptions extends Paging {
  /** Text that key, name or description must contain, in any case. */
  readonly search?: string | undefined
}

/** One page of a list; past the end it has no items. */
export interface Page<Item> {
  readonly items: Item[]
  readonly total: number
  readonly page: number
  readonly size: number
  readonly pages: number
}

const defaultPageSize = 50
const largestPageSize = 100

/** Every bad option of a list, by its name. */
export function listIssues({ page = 1, size = defaultPageSize, search = '' }: ListOptions): Issue[] {
  const issues: Issue[] = []
  if (!Number.isSafeInteger(page) || page < 1) {
    issues.push({ loc: ['page'], msg: 'must be a whole number of at least 1', type: 'invalid_value' })
  }
  if (!Number.isSafeInteger(size) || size < 1 || size > largestPageSize) {
    issues.push({ loc: ['size'], msg: `must be a whole number from 1 to ${largestPageSize}`, type: 'invalid_value' })
  }
  if (typeof search !== 'string') issues.push({ loc: ['search'], msg: 'must be text', type: 'invalid_type' })
  else if (!isWellFormedText(search)) issues.push({ loc: ['search'], msg: illFormedText, type: 'ill_formed_text' })
  return issues
}

/** Throws `invalid_input` naming every bad option. */
export function refuseIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalidInput('list query', issues)
}

interface CountedTable<Row, Where> {
  find(query: { where: Where; limit: number; offset: number }): Promise<readonly Row[]>
  count(where: Where): Promise<number>
}

/** A table whose rows come in this order. */
export function inOrder<Kind extends RowKind>(table: Table<Kind>, orderBy: NonNullable<Query<Kind>['orderBy']>) {
  return {
    count: (where: Where<Kind>) => table.count(where),
    find: (query: Query<Kind>) => table.find({ ...query, orderBy }),
  }
}

/** Reads one page. The options have been checked. */
export async function readPage<Row, Where, Item>(
  table: CountedTable<Row, Where>,
  where: Where,
  { page = 1, size = defaultPageSize }: Paging,
  item: (row: Row) => Item,
): Promise<Page<Item>> {
  const total = await table.count(where)
  const offset = (page - 1) * size
  const rows = offset < total ? await table.find({ where, limit: size, offset }) : []
  return { items: rows.map(item), total, page, size, pages: Math.ceil(total / size) }
}

/** The page of a list that cannot have items. */
export function emptyPage<Item>({ page = 1, size = defaultPageSize }: Paging): Page<Item> {
  return { items: [], total: 0, page, size, pages: 0 }
}

/** The text that lists are searched by: key, name and description, lower-cased. */
export function searchTextOf(...texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join('\n').toLowerCase()
}

export function searchCondition(search: string | undefined): { searchText?: { contains: string } } {
  return search ? { searchText: { contains: search.toLowerCase() } } : {}
}
