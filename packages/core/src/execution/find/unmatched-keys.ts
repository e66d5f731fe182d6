import type { Key } from './key-set.js'
import { rawRowText, readRawRows } from './raw-row-text.js'
import type { SlotState } from './entry-state.js'

/** What the spool of own keys that found no row is called among the spools of a collection. */
export const barrenKeys = '~barren'

/** Knows which own keys have found a row: what comes later for any of the others came since. */
export function fruitfulKeys(slots: readonly SlotState[]) {
  const marks = slots.map(() => new Uint8Array(64))
  return {
    add(slot: number, key: Key): void {
      const at = (slots[slot] as SlotState).own.keys.find(key)
      const known = marks[slot] as Uint8Array
      if (at >= known.length) {
        const larger = new Uint8Array(Math.max(known.length * 2, at + 1))
        larger.set(known)
        marks[slot] = larger
      }
      if (at !== -1) (marks[slot] as Uint8Array)[at] = 1
    },
    /** The others, as texts of a spool. */
    *others(): Iterable<string> {
      for (const [slot, { own }] of slots.entries()) {
        for (let at = 0; at < own.keys.size; at++) {
          if (marks[slot]?.[at] !== 1) yield rawRowText([slot, own.keys.at(at)])
        }
      }
    },
  }
}

/** The keys of such a spool, each with its slot, as many at a time as come together. */
export async function* readBarrenKeys(
  bytes: AsyncIterable<Uint8Array>,
): AsyncIterable<readonly (readonly [number, Key])[]> {
  for await (const rows of readRawRows(bytes)) yield rows as unknown as (readonly [number, Key])[]
}
