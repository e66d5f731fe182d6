import type { Row } from '../../ports/connector.js'
import type { ErasureTally, FoundRows } from '../../ports/erasure-rows.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { type FoundRow, readFoundRows } from '../find/found-rows.js'
import {
  afterwards,
  type CollectionToErase,
  decisionsEitherWay,
  type ErasureContext,
  eraserOf,
  foundRowsOf,
  namingColumns,
} from './erasure-context.js'
import { keyText } from './key-text.js'
import { rowGroups, type WriteDecision } from './row-groups.js'
import { tallies } from './tallies.js'
import { type RowEnd, verifyRows } from './verify-rows.js'

interface Settled {
  /** The outcomes of rows that no attempt has counted. */
  readonly tally: readonly ErasureTally[]
  /** The rows that still look as before. */
  readonly left: readonly RowEnd[]
  /** The found rows of earlier runs, with what is still unsettled. */
  readonly foundBefore: readonly FoundRows[]
}

interface UnsettledRow {
  readonly foundRow: FoundRow
  readonly decision: WriteDecision
  /** Other people may have kept a part of the row, so that another decision may have been carried out. */
  readonly isUncertain: boolean
}

/**
 * Reads again what an earlier attempt wrote and still saw as before, where the rows were not found again: a source may show
 * its changes late. Rows that were found again are written and counted like all others. Undefined if nothing is unsettled.
 */
export async function settleEarlier(
  context: ErasureContext,
  collection: CollectionToErase,
  open: OpenConnection,
  foundBefore: readonly FoundRows[],
): Promise<Settled | undefined> {
  if (foundBefore.every(({ unsettled = [] }) => unsettled.length === 0)) return undefined
  const tally = tallies()
  const left: RowEnd[] = []
  const remaining: FoundRows[] = []
  for (const { unsettled = [], ...found } of foundBefore) {
    const view = { ...collection, columns: found.columns }
    const rows = await unsettledRows(context, view, found.blob, unsettled)
    await dropFoundAgain(context, collection, found.columns, rows)
    const written = rowGroups(view)
    for (const { foundRow, decision } of rows.values()) written.add(foundRow, decision)
    const groups = written.list()
    const ends = groups.length === 0 ? [] : await verifyRows(open, view, groups, new Set(), context.lease.signal)
    const still: number[] = []
    for (const [at, { places, reasons }] of groups.entries()) {
      for (const [row, end] of (ends[at] as RowEnd[]).entries()) {
        const place = places[row] as number
        if (end === 'masked') tally.add(end, reasons.get(row), 1)
        else if (end === 'erased') tally.add(end, undefined, 1)
        else if (typeof end === 'object' && !rows.get(place)?.isUncertain) {
          left.push(end)
          still.push(place)
        }
      }
    }
    remaining.push({ ...found, ...(still.length > 0 && { unsettled: still }) })
  }
  return { tally: tally.list(), left, foundBefore: remaining }
}

/** The rows at these places, by place, with what was to become of them. */
async function unsettledRows(
  context: ErasureContext,
  view: CollectionToErase,
  blob: string,
  unsettled: readonly number[],
): Promise<Map<number, UnsettledRow>> {
  const rows = new Map<number, UnsettledRow>()
  if (unsettled.length === 0) return rows
  const places = new Set(unsettled)
  const decisionOf = eraserOf(context, view)
  for await (const batch of readFoundRows(context.room.readBlob(blob))) {
    for (const foundRow of batch) {
      if (!places.has(foundRow.place)) continue
      const decisions = decisionsEitherWay(decisionOf, foundRow)
      const decision = decisions.find((each): each is WriteDecision => each.kind === 'mask' || each.kind === 'delete')
      if (decision) rows.set(foundRow.place, { foundRow, decision, isUncertain: decisions.length > 1 })
    }
  }
  return rows
}

/** Drops rows that were found again, under the key that they had or the one that they were to get. */
async function dropFoundAgain(
  context: ErasureContext,
  collection: CollectionToErase,
  columns: readonly string[],
  rows: Map<number, UnsettledRow>,
): Promise<void> {
  if (rows.size === 0) return
  const names = namingColumns(collection)
  const nameOf = (columns: readonly string[], row: Row) =>
    keyText(names.map((name) => row[columns.indexOf(name)] ?? null))
  const places = new Map<string, number>()
  for (const [place, { foundRow, decision }] of rows) {
    places.set(nameOf(columns, foundRow.row), place)
    places.set(nameOf(columns, afterwards({ columns }, foundRow.row, decision)), place)
  }
  for await (const batch of foundRowsOf(context, collection.address))
    for (const { row } of batch) rows.delete(places.get(nameOf(collection.columns, row)) ?? -1)
}
