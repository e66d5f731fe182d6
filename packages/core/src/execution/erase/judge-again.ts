import type { PlannedCollection } from '../../rules/plan/plan.js'
import { entryState } from '../find/entry-state.js'
import { rowJudge } from '../find/row-judge.js'
import type { ErasureContext } from './erasure-context.js'

/** Says of rows that are read again whose they are, as when they were found. Where in a read a row stands is not told. */
export function judgeAgain(
  { identities, asked }: Pick<ErasureContext, 'identities' | 'asked'>,
  collection: PlannedCollection,
) {
  const entries = collection.entries.map(entryState)
  for (const { entry, keys, ambiguous } of asked(collection.address)) {
    const state = entries[entry]
    const [own, indirect] = keys
    if (!state || !own || !indirect) continue
    state.own = { keys: own, asked: [] }
    state.indirect = { keys: indirect, asked: [] }
    if (ambiguous) state.ambiguous = true
  }
  return rowJudge(collection, entries, { ...identities, learnable: new Set() })
}
