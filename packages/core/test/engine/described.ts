import type { ConnectorCapabilities, Value, ValueKind } from '@habeas/core'
import { type MemoryDatabase, type MemoryRow, memoryConnector } from '@habeas/testkit'

/* Short ways to describe a shop: a field of a dataset, a reference, a table. */

type Meta = Readonly<Record<string, unknown>>

export function field(
  name: string,
  meta: Meta = {},
  categories: readonly string[] = ['user'],
  fields: readonly object[] = [],
) {
  return { name, data_categories: categories, service_meta: meta, fields }
}

/** What a description says that a reference means, if anything. */
export type Said = { readonly direction?: 'from' | 'to' | 'both' | 'none' }

type Referring = Meta & { readonly dataset?: string; readonly meta?: Meta }

/** A field that names the owner of its row, unless it says another direction: `refer('customer_id', 'customer.id')`. */
export function refer(name: string, to: string, more: Referring = {}) {
  return undirected(name, to, { direction: 'from', ...more })
}

/** A field that leads somewhere, of which nobody says what that means. */
export function undirected(name: string, to: string, more: Referring = {}) {
  const { dataset = 'shop', meta = {}, ...rest } = more
  return field(name, { ...meta, references: [{ dataset, field: to, ...rest }] })
}

export const id = field('id', { primary_key: true })

export function collection(name: string, fields: readonly object[], meta: Meta = {}) {
  return { name, fields, service_meta: meta }
}

/** Column names with a kind: `{ id: 'integer', note: 'string' }`; the first column is the primary key. */
export function table(
  columns: Readonly<Record<string, ValueKind>>,
  rows: readonly (readonly Value[])[],
  keys?: readonly string[],
) {
  const names = Object.keys(columns)
  return {
    columns: names.map((name) => ({ name, kind: columns[name] as ValueKind })),
    primaryKey: keys ?? names.slice(0, 1),
    rows: rows.map((values) => Object.fromEntries(names.map((name, at) => [name, values[at] ?? null])) as MemoryRow),
  }
}

/** A table whose rows always hold something in these columns, which an index serves. */
export function filled(made: ReturnType<typeof table>, ...names: readonly string[]) {
  const columns = made.columns.map((column) => (names.includes(column.name) ? { ...column, nullable: false } : column))
  return { ...made, columns, indexes: names.map((name) => [name]) }
}

/** A document collection keyed by `_id` or `id`. */
export function documents(rows: readonly MemoryRow[], key = 'id') {
  return { schemaless: true, columns: [], primaryKey: [key], rows: [...rows] }
}

export interface ShopOptions {
  readonly key?: string
  readonly type?: string
  readonly loose?: boolean
  readonly batchSize?: number
  readonly concurrency?: number
  readonly capabilities?: Partial<ConnectorCapabilities>
  readonly meta?: Meta
}

/** A dataset with the database behind it. */
export function shopOf(collections: readonly object[], database: MemoryDatabase, options: ShopOptions = {}) {
  const { key = 'shop', type = 'postgres', meta = {}, ...rest } = options
  return {
    document: { service_key: key, service_meta: meta, collections },
    connector: memoryConnector({ type, database, ...rest }),
  }
}

export const policy = {
  service_key: 'access_all',
  rules: [{ service_key: 'all', action_type: 'access', data_categories: { matches: 'ANY', values: ['user'] } }],
}
