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
  /** Some of them are left because others may share them, as they share the rows that say whose they are. */
  readonly sharesElements?: true
  /** What is left out where the row stays because of other people. Absent where no element is the subject's alone. */
  readonly beside?: readonly ElementPath[]
  /** Further keys that say of elements that they are the subject's, each with its entry. */
  readonly more?: readonly (readonly [number, Key])[]
  /** Why the row counts as shared, if the search has noticed that. */
  readonly reason?: string
  /** Values in the order of the plan's columns. */
  readonly row: Row
}

export function foundRowText(found: Omit<FoundRow, 'place'>): string {
  const { own, entry, key, leftOut, row, reason, sharesElements = false, beside, more } = found
  const stored = [own, entry, key, leftOut as Value, row as Value[]]
  // the usual row has none of what follows
  if (sharesElements || beside || more)
    stored.push(reason ?? null, sharesElements, (beside ?? null) as Value, (more ?? []) as Value)
  else if (reason !== undefined) stored.push(reason)
  return rawRowText(stored)
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
    ...(typeof stored[5] === 'string' && { reason: stored[5] }),
    ...(stored[6] === true && { sharesElements: true as const }),
    ...(Array.isArray(stored[7]) && { beside: stored[7] as unknown as ElementPath[] }),
    ...(Array.isArray(stored[8]) && { more: stored[8] as unknown as [number, Key][] }),
  }
}
