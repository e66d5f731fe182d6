import type { Value } from '../../model/value.js'
import type { RowDecision } from '../../rules/erase/row-eraser.js'
import { groupsFromBehind } from '../../rules/plan/strongly-connected.js'
import type { Key } from '../find/key-of.js'
import { conditionReader, elementsOf } from '../find/key-reader.js'
import { rawRowText, readRawRows } from '../find/raw-row-text.js'
import type { Spooled } from '../find/spool.js'
import type { CheckedCollection } from './checked-collection.js'
import {
  type CollectionToErase,
  type DecidingContext,
  decidedRows,
  type ErasureContext,
  type RowToErase,
} from './erasure-context.js'
import { ownerColumns } from './judged-values.js'
import { pointerReader, referencedKeys } from './referencing-rows.js'

type OrderedRow = Omit<RowToErase, 'copies'>
type Deletion = Extract<RowDecision, { kind: 'delete' }>

/** The most rows that are sorted in memory at once, without the columns that are not needed. */
const rowsAtOnce = 16_384

/**
 * The rows of a collection to delete, each after all rows that refer to it. Undefined if no row of the collection refers to
 * another one. Rows are sorted by distributing them over spools, so that memory holds only a part of them.
 */
export async function deletionOrder(
  context: ErasureContext,
  collection: CollectionToErase,
  checked: CheckedCollection,
): Promise<AsyncIterable<readonly OrderedRow[]> | undefined> {
  const inside = collection.erasure.pointedToBy.filter(({ address }) => address === collection.address)
  if (collection.erasure.how !== 'delete' || inside.length === 0) return undefined
  const from: number[] = []
  const to: number[] = []
  let count = 0
  for (const reference of inside) {
    const targets = referencedKeys(collection, reference)
    count = await eachDeletion(context, collection, checked, (foundRow) => targets.add(foundRow))
    const read = pointerReader(collection, reference, reference.fields)
    const meets = conditionReader(collection, reference.when)
    await eachDeletion(context, collection, checked, (foundRow) => {
      const document = elementsOf(collection, foundRow.row)
      if (!meets(foundRow.row, document)) return
      read(foundRow.row, document, (key: Key) => {
        const target = targets.found.places[targets.found.keys.find(key)]
        if (target === undefined || target === foundRow.place) return
        from.push(foundRow.place)
        to.push(target)
      })
    })
  }
  if (from.length === 0) return undefined
  return sorted(context, collection, checked, orderOf(count, from, to))
}

/** Calls back with each row to delete. Resolves to the number of all rows. */
async function eachDeletion(
  context: DecidingContext,
  collection: CollectionToErase,
  checked: CheckedCollection,
  found: (foundRow: RowToErase['foundRow'], decision: Deletion) => void | Promise<void>,
): Promise<number> {
  let count = 0
  for await (const rows of decidedRows(context, collection, checked.shared)) {
    for (const { foundRow, decision } of rows) {
      if (decision.kind === 'delete') await found(foundRow, decision)
      count++
    }
  }
  return count
}

interface Order {
  /** The rank of a row, by place. Rows are deleted in the order of their ranks. */
  readonly rank: Int32Array
  /** By rank, the number of rows that are deleted together if there are several. */
  readonly together: ReadonlyMap<number, number>
}

/** Referring rows come before the rows they refer to. Rows on a circle are deleted together. */
function orderOf(count: number, from: readonly number[], to: readonly number[]): Order {
  const ends = new Int32Array(count + 1)
  for (const source of from) ends[source + 1] = (ends[source + 1] as number) + 1
  for (let at = 0; at < count; at++) ends[at + 1] = (ends[at + 1] as number) + (ends[at] as number)
  const filled = ends.slice()
  const targets = new Int32Array(from.length)
  for (const [at, source] of from.entries()) {
    targets[filled[source] as number] = to[at] as number
    filled[source] = (filled[source] as number) + 1
  }
  const rank = new Int32Array(count)
  const together = new Map<number, number>()
  let next = count
  for (const group of groupsFromBehind(count, (place) => targets.subarray(ends[place], ends[place + 1]))) {
    next -= group.length
    if (group.length > 1) together.set(next, group.length)
    for (const [at, place] of group.entries()) rank[place] = next + at
  }
  return { rank, together }
}

async function* sorted(
  context: ErasureContext,
  collection: CollectionToErase,
  checked: CheckedCollection,
  { rank, together }: Order,
): AsyncIterable<readonly OrderedRow[]> {
  const { room } = context
  const parts = Array.from({ length: Math.ceil(rank.length / rowsAtOnce) }, (_, part) =>
    room.open(context.spoolKey(`${collection.address}/~ordered/${part}`)),
  )
  const needed = new Set([
    ...ownerColumns(collection),
    ...collection.erasure.pointedToBy.flatMap(({ address, to, fields, when }) =>
      [...to, ...(address === collection.address ? [...fields, ...when] : [])].map(({ path }) => path[0] as string),
    ),
  ])
  const isNeeded = collection.columns.map((column) => needed.has(column))
  const spooled: Spooled[] = []
  try {
    await eachDeletion(context, collection, checked, async ({ place, own, entry, key, row, reason }, decision) => {
      const part = parts[Math.floor((rank[place] as number) / rowsAtOnce)]
      const slim = row.map((value, at) => (isNeeded[at] ? (value ?? null) : null))
      part?.append(
        rawRowText([place, own, entry, key, decision.byValues, slim, [...decision.key] as Value, reason ?? null]),
      )
      if (part?.full) await part.drain()
    })
    for (const part of parts) spooled.push(await part.close())
  } catch (error) {
    for (const part of parts) part.discard()
    throw error
  }
  for (const part of spooled) {
    const rows: OrderedRow[] = []
    if (part.rows === 0) continue
    for await (const some of readRawRows(room.read(part))) {
      for (const [place, own, entry, key, byValues, row, named, reason] of some) {
        rows.push({
          foundRow: {
            place: place as number,
            own: own as boolean,
            entry: entry as number,
            key: key as Key,
            leftOut: [],
            row: row as Value[],
            ...(reason !== null && { reason: reason as string }),
          },
          decision: { kind: 'delete', key: named as Value[], byValues: byValues as boolean },
        })
      }
    }
    rows.sort((one, other) => (rank[one.foundRow.place] as number) - (rank[other.foundRow.place] as number))
    yield rows.map((row) => {
      const size = together.get(rank[row.foundRow.place] as number)
      return size === undefined ? row : { ...row, together: size }
    })
  }
}
