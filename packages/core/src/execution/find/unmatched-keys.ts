import type { EntryState } from './entry-state.js'
import type { Key } from './key-of.js'
import { rawRowText, readRawRows } from './raw-row-text.js'

/** The name of the spool of own keys that found no row. No rule has such a key. */
export const unmatchedKeys = '~barren'

/** Notes which own keys have found a row. A row that appears later for any other key is new. */
export function matchedKeys(entries: readonly EntryState[]) {
  const marks = entries.map(() => new Uint8Array(64))
  return {
    add(entry: number, key: Key): void {
      const at = (entries[entry] as EntryState).own.keys.find(key)
      const known = marks[entry] as Uint8Array
      if (at >= known.length) {
        const larger = new Uint8Array(Math.max(known.length * 2, at + 1))
        larger.set(known)
        marks[entry] = larger
      }
      if (at !== -1) (marks[entry] as Uint8Array)[at] = 1
    },
    /** The keys without a row, as texts of a spool. */
    *unmatched(): Iterable<string> {
      for (const [entry, { own }] of entries.entries()) {
        for (let at = 0; at < own.keys.size; at++) {
          if (marks[entry]?.[at] !== 1) yield rawRowText([entry, own.keys.at(at)])
        }
      }
    },
  }
}

/** Reads the keys of such a spool, each with its entry, in batches. */
export async function* readUnmatchedKeys(
  bytes: AsyncIterable<Uint8Array>,
): AsyncIterable<readonly (readonly [number, Key])[]> {
  for await (const rows of readRawRows(bytes)) yield rows as unknown as (readonly [number, Key])[]
}
