import type { PlannedCollection } from '../../rules/plan/plan.js'
import { elementJudge } from '../find/element-judge.js'
import { entryState } from '../find/entry-state.js'
import { rowJudge } from '../find/row-judge.js'
import type { ErasureContext } from './erasure-context.js'

/** Judges rows that are read again by the keys of the search. Its judgements do not name the chunk of a row. */
export function rejudge(
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
  const known = { ...identities, learnable: new Set<string>() }
  const judgeElements = elementJudge(collection, entries, known)
  return { judge: rowJudge(collection, entries, known, judgeElements), judgeElements }
}

export type Rejudge = ReturnType<typeof rejudge>
