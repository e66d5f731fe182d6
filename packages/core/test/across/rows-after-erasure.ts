import type { StoredRow } from './crossed-database.js'

const deleted = new Set([
  ...['shop:ticket', 'metrics:trace', 'warehouse:sticker', 'forum:vote', 'crm:task', 'lake:score'],
  ...['app:reminder', 'events:charge', 'billing:slip'],
])

const personal = new Set([
  ...['email', 'name', 'note', 'reason', 'words', 'remark', 'nick'],
  ...['city', 'body', 'label', 'ip', 'url', 'address'],
])

/** What is left of the rows of a collection when a person is erased. It goes by whose a row is, and follows no reference. */
export function rowsAfterErasure(address: string, rows: readonly StoredRow[], whose: string): readonly StoredRow[] {
  return rows.flatMap((row) => (row['whose'] !== whose ? [row] : deleted.has(address) ? [] : [masked(row)]))
}

/** A row whose personal members are null. */
const masked = (row: StoredRow): StoredRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      name === 'home' ? masked(value as StoredRow) : personal.has(name) ? null : value,
    ]),
  )
