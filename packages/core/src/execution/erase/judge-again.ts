import type { PlannedCollection } from '../../rules/plan/plan.js'
import { rowJudge } from '../find/row-judge.js'
import { slotState } from '../find/entry-state.js'
import type { ErasureContext } from './erasure-context.js'

/** Says of rows that are read again whose they are, as when they were found. Where in a read a row stands is not told. */
export function judgeAgain(
  { identities, asked }: Pick<ErasureContext, 'identities' | 'asked'>,
  collection: PlannedCollection,
) {
  const slots = collection.slots.map(slotState)
  for (const { slot, keys, ambiguous } of asked(collection.address)) {
    const state = slots[slot]
    const [own, indirect] = keys
    if (!state || !own || !indirect) continue
    state.own = { keys: own, asked: [] }
    state.indirect = { keys: indirect, asked: [] }
    if (ambiguous) state.ambiguous = true
  }
  return rowJudge(collection, slots, { ...identities, learnable: new Set() })
}
