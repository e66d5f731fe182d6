import type { Value } from '../../model/value.js'
import type { KeyGroup } from '../../ports/connector.js'
import { type ManualUpdate, manualUpdate } from '../../rules/manual/manual-update.js'
import { InputNeeded } from './input-needed.js'
import { keySet } from '../find/key-set.js'
import { askOf } from './manual-ask.js'
import type { ManualErasureAsk } from './ask-to-erase.js'
import type { CheckedCollection } from '../erase/checked-collection.js'
import { slotGroups } from '../erase/erase-of.js'
import { type CollectionErasure, stopped } from '../erase/erase-collection.js'
import { type ErasedCollection, type ErasureContext, fatedRows } from '../erase/erasure-context.js'
import type { WrittenRow } from '../erase/row-groups.js'
import { tallies } from '../erase/tallies.js'

const confirmed = 'confirmed by hand'
const notThere = 'not there any more, confirmed by hand'

/**
 * Has a person erase the rows of a manual collection (docs/manual-data.md). Nothing is read again: how many rows there
 * were is all that anybody can say. Who confirms says that none of them is left; those that they have not erased were
 * gone.
 */
export async function eraseByHand(
  context: ErasureContext,
  collection: ErasedCollection,
  checked: CheckedCollection,
  begun: () => void,
): Promise<CollectionErasure> {
  const { address } = collection
  const tally = tallies()
  const due: WrittenRow[] = []
  for await (const rows of fatedRows(context, collection, checked.shared)) {
    for (const { kept, fate } of rows) {
      if (fate.kind === 'mask' || fate.kind === 'delete') due.push({ kept, fate })
      else tally.add(fate.kind, fate.reason, 1)
    }
  }
  const now = context.clock().toISOString()
  if (due.length === 0) return { address, tally: tally.list(), startedAt: now, finishedAt: now }
  const answer = await context.askToErase(address, askFor(collection, due))
  if (answer instanceof InputNeeded) {
    begun()
    const waiting = { address, tally: tally.list(), startedAt: now, finishedAt: now }
    return context.stops() ? { ...waiting, ...stopped(context, address) } : { ...waiting, needed: answer }
  }
  let left = answer.rowCount
  for (const { fate } of [...due].sort(goingFirst)) {
    if (left-- <= 0) tally.add('gone', notThere, 1)
    else if (fate.kind === 'delete') tally.add('erased', confirmed, 1)
    else tally.add('masked', fate.reason === undefined ? confirmed : `${confirmed}; ${fate.reason}`, 1)
  }
  const { startedAt, finishedAt } = answer
  return { address, tally: tally.list(), startedAt, finishedAt }
}

const goingFirst = (one: WrittenRow, other: WrittenRow): number =>
  Number(other.fate.kind === 'delete') - Number(one.fate.kind === 'delete')

/** Rows by their key where they have one, else by what they were looked up with. Equal rows ask equally. */
function askFor(collection: ErasedCollection, due: readonly WrittenRow[]): ManualErasureAsk {
  const byUpdate = new Map<string, { readonly update: ManualUpdate | null; readonly rows: WrittenRow[] }>()
  for (const row of due) {
    const update = manualUpdate(collection, row.fate)
    const name = JSON.stringify(update)
    const known = byUpdate.get(name)
    if (known) known.rows.push(row)
    else byUpdate.set(name, { update, rows: [row] })
  }
  const parts = [...byUpdate]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { update, rows }]) => ({ update, found: askOf({ columns: [], anyOf: groupsOf(collection, rows) }) }))
  return { rows: due.length, parts }
}

function groupsOf(collection: ErasedCollection, rows: readonly WrittenRow[]): readonly KeyGroup[] {
  const { key } = collection.erasure
  const named = rows.filter(({ fate }) => !fate.byValues)
  const others = rows.filter(({ fate }) => fate.byValues)
  const byKey: KeyGroup = {
    fields: key.map(({ column, kind }) => ({ path: [column], ...(kind && { kind }) })),
    values: key.map((_, part) => named.map(({ fate }) => fate.key[part] as Value)),
  }
  const found = collection.slots.map((slot) => keySet(slot.fields))
  for (const { kept } of others) found[kept.slot]?.add(kept.key)
  return [...(named.length > 0 ? [byKey] : []), ...slotGroups(collection, found)]
}
