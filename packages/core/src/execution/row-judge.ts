import type { Row } from '../ports/connector.js'
import type { Document } from '../rules/element-match.js'
import type { PlannedCollection } from '../rules/plan.js'
import { type Key, type KeySet, keySet } from './key-set.js'
import { keyOf } from './key-values.js'
import { conditionReader, keyReader } from './row-reader.js'
import { chunkOf, type SlotState } from './slot-state.js'

/** What the keys asked for so far say about a row. Chunk numbers are infinite where there is none. */
export interface Judgement {
  /** The first chunk whose keys the row meets. */
  first: number
  /** The first chunk in which it counts as found: never, for a row that is somebody else's. */
  counts: number
  /** The first chunk whose own keys it meets: from then on it is the subject's own. */
  own: number
  /** By which key it was found, an own one where there is one, and the slot of that key. */
  slot: number
  key: Key
}

/**
 * Evaluates the groups of a read on every row (§7.4), and whose it is (§7.5): a row is own when it meets an own key; a
 * looked-up row that holds, in another entry field, a key the request does not have is somebody else's. The answer
 * depends on the row and the keys alone, so that a row met twice is told apart without remembering rows (§7.7).
 */
export function rowJudge(
  collection: PlannedCollection,
  slots: readonly SlotState[],
  confirmed: (slot: number, position: number) => void,
) {
  const readers = slots.map((state, at) => ({
    state,
    at,
    keys: keyReader(collection, state.slot.fields),
    meets: conditionReader(collection, state.slot.when),
    parts: partsOfIdentity(collection, at, state),
  }))
  const judgement: Judgement = { first: 0, counts: 0, own: 0, slot: 0, key: 0 }
  return (row: Row, document?: Document): Judgement => {
    let first = Number.POSITIVE_INFINITY
    let own = Number.POSITIVE_INFINITY
    let last = 0
    for (const { state, at, keys, meets, parts } of readers) {
      if (!meets(row, document)) continue
      let holds = false
      let met = Number.POSITIVE_INFINITY
      keys(row, document, (key) => {
        holds = true
        const position = state.own.keys.find(key)
        const ownChunk = chunkOf(state.own.asked, position)
        const lookedUpChunk = chunkOf(state.lookedUp.asked, state.lookedUp.keys.find(key))
        if (ownChunk < own) {
          own = ownChunk
          judgement.slot = at
          judgement.key = key
        } else if (own === Number.POSITIVE_INFINITY && lookedUpChunk < Number.POSITIVE_INFINITY) {
          judgement.slot = at
          judgement.key = key
        }
        if (ownChunk < met) met = ownChunk
        if (lookedUpChunk < met) met = lookedUpChunk
        if (ownChunk < Number.POSITIVE_INFINITY) confirmed(at, position)
      })
      if (met < first) first = met
      if (parts) {
        if (met === Number.POSITIVE_INFINITY && parts.some((part) => part(row, document)))
          last = Number.POSITIVE_INFINITY
      } else if (holds && met > last) last = met
    }
    judgement.first = first
    judgement.own = own
    judgement.counts =
      first === Number.POSITIVE_INFINITY ? first : Math.min(own, collection.others ? first : Math.max(first, last))
    return judgement
  }
}

/** An identity of several properties belongs to somebody else as soon as one property does. */
function partsOfIdentity(collection: PlannedCollection, at: number, state: SlotState) {
  const isIdentity = collection.identities.some((feed) => feed.slot === at)
  if (!isIdentity || state.slot.fields.length === 1) return undefined
  return state.slot.fields.map((field, part) => {
    const read = keyReader(collection, [field])
    const known = keySet([field])
    const seen = new Map<KeySet, number>()
    const learn = (keys: KeySet) => {
      for (const value of keys.column(part, seen.get(keys) ?? 0, keys.size)) {
        const key = keyOf([value], [field], [[]])
        if (key !== undefined) known.add(key)
      }
      seen.set(keys, keys.size)
    }
    return (row: Row, document?: Document): boolean => {
      learn(state.own.keys)
      learn(state.lookedUp.keys)
      let foreign = false
      read(row, document, (key) => {
        if (known.find(key) === -1) foreign = true
      })
      return foreign
    }
  })
}
