import { placeOf } from '../../model/address.js'
import type { Catalogue, CatalogueCollection } from '../../model/catalogue.js'
import type { ResidualHit } from '../../model/collection-result.js'
import type { Identity } from '../../model/identity.js'
import type { Value } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'
import type { Plan } from '../../rules/plan/plan.js'
import { appendTo } from '../../rules/value/append-to.js'
import { counted, countedRows } from '../../rules/value/counted-rows.js'
import { type KeySet, keySet } from '../find/key-set.js'
import type { CheckedCollection } from './checked-collection.js'
import {
  type CheckingContext,
  type CollectionToErase,
  type DecidingContext,
  decidedRows,
  namingColumns,
} from './erasure-context.js'
import { keyText } from './key-text.js'

export interface ResidualSearch {
  /** Texts that identify the person. */
  readonly values: readonly string[]
  /** Catalogues by connection. Manual collections have none and are not searched. */
  readonly catalogues: ReadonlyMap<string, Catalogue>
}

/** The texts of proven identities. Numbers and booleans are left out, because they can mean many other things. */
export function residualValues(
  identities: readonly Identity[],
  proven: readonly string[] | undefined,
): readonly string[] {
  const given = identities.flatMap((identity) => Object.entries(identity))
  const counted = given.filter(([name]) => proven === undefined || proven.includes(name))
  return [...new Set(counted.flatMap(([, value]) => (typeof value === 'string' ? [value] : [])))]
}

/** Collections that are unsearched for these reasons are not searched here either. */
const leftAlone: ReadonlySet<Plan['unsearched'][number]['reason']> = new Set([
  'no connection',
  'disabled',
  'skip_processing',
])

/**
 * Searches for texts that identify the subject in every text column, described or not, of every collection in the datasets
 * of the erasure. No other read scans whole tables. Resolves to names and counts, never to values. Rejects when a database
 * cannot be reached.
 */
export async function residualSearch(
  context: CheckingContext,
  checked: ReadonlyMap<string, CheckedCollection>,
  { values, catalogues }: ResidualSearch,
): Promise<ResidualHit[]> {
  const hits: ResidualHit[] = []
  if (values.length === 0) return hits
  for (const { live, ...place } of placesOf(context.plan, catalogues)) {
    const columns = live.columns.flatMap(({ name, kind, array }) => (kind === 'string' && !array ? [name] : []))
    if (columns.length === 0) continue
    hits.push(...(await searchCollection(context, place, columns, values, checked.get(place.address))))
  }
  return hits
}

/** Collections that such a search could not read, because their server asks for a `partition_filter`. */
export function unlimitedPlaces(plan: Plan, catalogues: ResidualSearch['catalogues']): string[] {
  const limited = new Set(plan.filters?.map(({ address }) => address))
  return placesOf(plan, catalogues).flatMap(({ address, live }) =>
    live.partition?.required && !limited.has(address) ? [address] : [],
  )
}

function placesOf(
  plan: Plan,
  catalogues: ResidualSearch['catalogues'],
): (Place & { readonly live: CatalogueCollection })[] {
  const connections = new Map(plan.collections.map(({ dataset, connectionKey }) => [dataset, connectionKey]))
  const others = plan.unsearched.flatMap(({ address, reason }) => (leftAlone.has(reason) ? [] : [address]))
  return [...plan.collections.map((each) => each.address), ...others].flatMap((address) => {
    const { dataset, collection } = placeOf(address)
    const connectionKey = connections.get(dataset)
    const catalogue = connectionKey === undefined ? undefined : catalogues.get(connectionKey)
    const live = catalogue?.collections.find(({ name }) => name === collection)
    return live && connectionKey !== undefined ? [{ address, collection, connectionKey, live }] : []
  })
}

interface Place {
  readonly address: string
  readonly collection: string
  readonly connectionKey: string
}

async function searchCollection(
  context: CheckingContext,
  { address, collection, connectionKey }: Place,
  columns: readonly string[],
  values: readonly string[],
  checked: CheckedCollection | undefined,
): Promise<ResidualHit[]> {
  const planned = context.byAddress.get(address)
  const erased = planned?.erasure && checked ? (planned as CollectionToErase) : undefined
  const retained = erased && (await retainedReader(context, erased, checked as CheckedCollection))
  const open = await context.connection(connectionKey, address)
  const { maxKeys, maxKeysWithoutIndex = maxKeys } = open.connector.capabilities
  const atOnce = Math.max(1, Math.floor(maxKeysWithoutIndex / values.length))
  const known = new Set<unknown>(values)
  const counts = new Map<string, { rowCount: number; retained: number }>()
  const { signal } = context.lease
  for (let from = 0; from < columns.length; from += atOnce) {
    const asked = columns.slice(from, from + atOnce)
    const read = [...new Set([...asked, ...(retained?.names ?? [])])]
    const anyOf = asked.map((column) => ({ fields: [{ path: [column], kind: 'string' as const }], values: [values] }))
    using _permit = await open.permit(signal)
    for await (const batch of open.connection.read({ collection, columns: read, anyOf }, { signal })) {
      for (const row of batch) {
        for (const [at, column] of asked.entries()) {
          // A server may compare loosely, but only the exact text counts.
          if (!known.has(row[at])) continue
          const count = counts.get(column) ?? { rowCount: 0, retained: 0 }
          counts.set(column, count)
          count.rowCount++
          if (retained?.stays(row, read, column)) count.retained++
          else retained?.mayStay(row, read, column)
        }
      }
    }
  }
  for (const [column, rows] of (await retained?.foundAmongThese()) ?? []) {
    const count = counts.get(column)
    if (count) count.retained += rows
  }
  return [...counts].map(([column, count]) => ({ collection: address, column, ...count }))
}

/** Tells which values the erasure has kept for a reason: whole columns, whole rows, or columns of some rows. */
async function retainedReader(context: DecidingContext, collection: CollectionToErase, checked: CheckedCollection) {
  const { erasure } = collection
  const retained = new Set(erasure.retained.map(({ path }) => path[0]))
  const keys = new Set(erasure.retained.flatMap(({ path, reason }) => (reason === 'key' ? path[0] : [])))
  const timed = new Set(erasure.masks.flatMap(({ path, retain }) => (retain ? [path[0] as string] : [])))
  const rows: KeySet = keySet([{ kind: 'string' }])
  const cells: KeySet = keySet([{ kind: 'string' }])
  const isKeyed = erasure.key.length > 0
  const names = namingColumns(collection)
  const keyOf = (row: Row, columns: readonly string[]) => names.map((name) => row[columns.indexOf(name)] ?? null)
  // A row with NULL in its key cannot be recognized, so it never counts as retained.
  const isNamed = (key: readonly Value[]) => !isKeyed || !key.includes(null)
  /** By column that stays in found rows because it is a key, the keys of all rows that still hold a value there. */
  const candidates = new Map<string, string[]>()
  for await (const some of decidedRows(context, collection, checked.shared)) {
    for (const { foundRow, decision } of some) {
      const found = keyOf(foundRow.row, collection.columns)
      if (!isNamed(found)) continue
      const key = keyText(found)
      if (decision.kind === 'retained') rows.add(key)
      if (decision.kind !== 'mask') continue
      const changed = new Set(decision.changes.map(({ column }) => column))
      for (const column of timed) if (!changed.has(column)) cells.add(`${key}\0${column}`)
    }
  }
  return {
    names,
    stays(row: Row, columns: readonly string[], column: string): boolean {
      const named = keyOf(row, columns)
      if (retained.has(column) && !(keys.has(column) && isKeyed && isNamed(named))) return true
      const key = keyText(named)
      return rows.find(key) !== -1 || cells.find(`${key}\0${column}`) !== -1
    },
    mayStay(row: Row, columns: readonly string[], column: string): void {
      if (keys.has(column)) appendTo(candidates, column, keyText(keyOf(row, columns)))
    },
    /** By column, how many of the noted rows the request has found. A row that it has not found was not kept by it. */
    async foundAmongThese(): Promise<ReadonlyMap<string, number>> {
      const found = new Map<string, number>()
      if (candidates.size === 0) return found
      for await (const some of decidedRows(context, collection, checked.shared)) {
        for (const { foundRow, decision } of some) {
          if (decision.kind === 'delete') continue
          const key = keyText(keyOf(foundRow.row, collection.columns))
          for (const [column, all] of candidates) if (all.includes(key)) found.set(column, (found.get(column) ?? 0) + 1)
        }
      }
      return found
    },
  }
}

/** A message about identities that should not be there any more. Undefined if there are none. */
export function residualFailure(hits: readonly ResidualHit[]): string | undefined {
  const left = hits.filter(({ rowCount, retained }) => rowCount > retained)
  if (left.length === 0) return undefined
  const places = left.slice(0, 5).map(({ collection, column, rowCount, retained }) => {
    const rows = rowCount - retained
    return `${countedRows(rows)} of '${collection}' (${column})`
  })
  const more = left.length > 5 ? `, and ${counted(left.length - 5, 'more column')}` : ''
  return `Identities of the person are still in ${places.join(', ')}${more}: describe the references to these rows and include the fields in the policy, or keep them with 'retain', and retry.`
}
