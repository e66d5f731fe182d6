import type { Value } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'
import type { ElementPath } from '../../rules/erase/filter-elements.js'
import type { Key } from './key-of.js'
import { rawRowText, readRawRows } from './raw-row-text.js'

/** The name of the spool of found rows of a collection. No rule has such a key. */
export const foundRows = '~kept'

/** A row as it was read, for the erasure: its owner, the key that found it, and the elements that are not the subject's. */
export interface FoundRow {
  /** The position of the row among the found rows of its collection. */
  readonly place: number
  readonly own: boolean
  readonly entry: number
  readonly key: Key
  readonly leftOut: readonly ElementPath[]
  /** Why the row counts as shared, if the search has noticed that. */
  readonly reason?: string
  /** Values in the order of the plan's columns. */
  readonly row: Row
}

export function foundRowText({ own, entry, key, leftOut, row, reason }: Omit<FoundRow, 'place'>): string {
  return rawRowText([own, entry, key, leftOut as Value, row as Value[], ...(reason === undefined ? [] : [reason])])
}

/** Reads the rows of a spool of `foundRowText` in their order, in batches. */
export async function* readFoundRows(bytes: AsyncIterable<Uint8Array>): AsyncIterable<readonly FoundRow[]> {
  let place = 0
  for await (const rows of readRawRows(bytes)) yield rows.map((stored) => foundRow(stored, place++))
}

function foundRow(stored: Row, place: number): FoundRow {
  return {
    place,
    own: stored[0] as boolean,
    entry: stored[1] as number,
    key: stored[2] as Key,
    leftOut: stored[3] as unknown as ElementPath[],
    row: stored[4] as Value[],
    ...(stored.length > 5 && { reason: stored[5] as string }),
  }
}
