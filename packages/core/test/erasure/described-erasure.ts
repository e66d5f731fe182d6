import type { ForeignKey, Identity, Value, ValueKind } from '@habeas/core'
import {
  type CallFilter,
  type MemoryCollection,
  type MemoryConnectorOptions,
  type MemoryDatabase,
  memoryConnector,
} from '@habeas/testkit'
import { field, refer, table } from '../engine/described.js'
import { type ErasureWorldOptions, erasedOf, erasureWorld } from './erasure-world.js'

/** A field of no category: it stays. */
export const plain = (name: string, meta: object = {}) => field(name, { ...meta }, [])

export const key = plain('id', { primary_key: true })

/** The same with no category: what says whose a row is stays, and only what it tells of the person is written. */
export const kept = (described: object) => ({ ...described, data_categories: [] })

/** A field that names the owner of its row, and stays. */
export const from = (name: string, to: string) => kept(refer(name, to))

/** A table with whatever a server knows of it beyond its columns. */
export function tableWith(
  columns: Readonly<Record<string, ValueKind>>,
  rows: readonly (readonly Value[])[],
  { keys, ...more }: Partial<Omit<MemoryCollection, 'columns' | 'rows'>> & { readonly keys?: readonly string[] } = {},
): MemoryCollection {
  return { ...table(columns, rows, keys), ...more }
}

export function foreignKey(
  column: string,
  to: string,
  onDelete: ForeignKey['onDelete'] = 'no action',
  toColumn = 'id',
): ForeignKey {
  return {
    name: `${column}_fkey`,
    columns: [column],
    onDelete,
    references: { collection: to, columns: [toColumn] },
  }
}

export interface ErasedShop extends ErasureWorldOptions, Pick<MemoryConnectorOptions, 'capabilities' | 'batchSize'> {
  readonly database: MemoryDatabase
  readonly collections: readonly object[]
  readonly type?: string
  readonly erases?: boolean
}

/** A service over one dataset `shop` in memory, whose policy erases what is under `user`. */
export async function shopWorld({
  database,
  collections,
  capabilities,
  batchSize,
  type,
  erases,
  ...options
}: ErasedShop) {
  const before = structuredClone(rowsOf(database))
  const connector = memoryConnector({
    database,
    ...(capabilities && { capabilities }),
    ...(batchSize && { batchSize }),
    ...(type && { type }),
    ...(erases !== undefined && { erases }),
  })
  const world = await erasureWorld(connector, [{ service_key: 'shop', collections }], options)
  return { ...world, connector, database, before, rows: () => rowsOf(database) }
}

export type ErasedWorld = Awaited<ReturnType<typeof shopWorld>>

/** Erases one person's, while the application writes at one moment; `again` retries. */
export async function eraseWhile(
  shop: ErasedShop,
  moment: CallFilter,
  write: (world: ErasedWorld) => void,
  who: Identity = { email: 'ann@example.com' },
) {
  const world = await shopWorld(shop)
  const gate = world.connector.hold(moment)
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [who] })
  await gate.reached
  write(world)
  gate.open()
  const request = await world.privacy.requests.settled(id)
  const again = async () => {
    await world.privacy.requests.retry(id)
    return world.privacy.requests.settled(id)
  }
  return { world, id, request, again, [Symbol.asyncDispose]: () => world.privacy.close() }
}

/** Erases one person and tells what became of everything. */
export async function eraseShop(shop: ErasedShop, ...identities: Identity[]) {
  await using world = await shopWorld(shop)
  const asked = identities.length > 0 ? identities : [{ email: 'ann@example.com' }]
  const request = await world.erase(...asked)
  return { request, status: request.status, erased: erasedOf(request), before: world.before, rows: world.rows() }
}

/** The rows of every table. */
export function rowsOf(database: MemoryDatabase) {
  return Object.fromEntries(Object.entries(database).map(([name, { rows }]) => [name, rows]))
}

/** What the rows of a table hold in one column, by their ids. */
export const told = (world: Pick<ErasedWorld, 'rows'>, name: string, column: string) =>
  Object.fromEntries((world.rows()[name] ?? []).map((row) => [row['id'], row[column]]))
