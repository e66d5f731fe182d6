import type { Value } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'
import type { ElementPath } from '../../rules/erase/filter-elements.js'
import type { Key } from './key-of.js'
import { rawRowText, readRawRows } from './raw-row-text.js'

/** What the spool of kept rows is called among the spools of a collection; no rule has such a key. */
export const foundRows = '~kept'

/** A row as it was read, for the erasure: whose it is, by what it was found, and which elements are not the subject's. */
export interface FoundRow {
  /** Where it stands among the kept rows of its collection. */
  readonly place: number
  readonly own: boolean
  readonly entry: number
  readonly key: Key
  readonly leftOut: readonly ElementPath[]
  /** With whom it is shared, where what was found says so. */
  readonly reason?: string
  /** Values in the order of the plan's columns. */
  readonly row: Row
}

export function foundRowText({ own, entry, key, leftOut, row, reason }: Omit<FoundRow, 'place'>): string {
  return rawRowText([own, entry, key, leftOut as Value, row as Value[], ...(reason === undefined ? [] : [reason])])
}

/** The rows of a spool of `keptRowText`, in their order, as many at a time as come together. */
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
