import type { Value } from '../../model/value.js'
import type { KeyGroup } from '../../ports/connector.js'
import { type ManualUpdate, manualUpdate } from '../../rules/manual/manual-update.js'
import type { CheckedCollection } from '../erase/checked-collection.js'
import { type CollectionErasure, stopped } from '../erase/erase-collection.js'
import { groupsByEntry } from '../erase/erase-of.js'
import { type CollectionToErase, decidedRows, type ErasureContext } from '../erase/erasure-context.js'
import type { RowToWrite } from '../erase/row-groups.js'
import { tallies } from '../erase/tallies.js'
import { keySet } from '../find/key-set.js'
import type { ManualErasureAsk } from './ask-to-erase.js'
import { InputNeeded } from './input-needed.js'
import { askOf } from './manual-ask.js'

const confirmed = 'confirmed by hand'
const notThere = 'not there any more, confirmed by hand'

/**
 * Asks people to erase the rows of a manual collection (docs/manual-data.md). Nothing can be read again: the person who
 * confirms reports how many rows they erased, and that none is left. The other rows count as gone.
 */
export async function eraseByHand(
  context: ErasureContext,
  collection: CollectionToErase,
  checked: CheckedCollection,
  begun: () => void,
): Promise<CollectionErasure> {
  const { address } = collection
  const tally = tallies()
  const due: RowToWrite[] = []
  for await (const rows of decidedRows(context, collection, checked.shared)) {
    for (const { foundRow, decision } of rows) {
      if (decision.kind === 'mask' || decision.kind === 'delete') due.push({ foundRow, decision })
      else tally.add(decision.kind, decision.reason, 1)
    }
  }
  const now = context.clock().toISOString()
  if (due.length === 0) return { address, tally: tally.list(), startedAt: now, finishedAt: now }
  const answer = await context.askToErase(address, askFor(collection, due), { held: context.stops() === 'hold' })
  if (answer instanceof InputNeeded) {
    begun()
    const waiting = { address, tally: tally.list(), startedAt: now, finishedAt: now }
    return context.stops() ? { ...waiting, ...stopped(context, address) } : { ...waiting, needed: answer }
  }
  let left = answer.rowCount
  for (const { decision } of [...due].sort(deletionsFirst)) {
    if (left-- <= 0) tally.add('gone', notThere, 1)
    else if (decision.kind === 'delete') tally.add('erased', confirmed, 1)
    else tally.add('masked', decision.reason === undefined ? confirmed : `${confirmed}; ${decision.reason}`, 1)
  }
  const { startedAt, finishedAt } = answer
  return { address, tally: tally.list(), startedAt, finishedAt }
}

const deletionsFirst = (one: RowToWrite, other: RowToWrite): number =>
  Number(other.decision.kind === 'delete') - Number(one.decision.kind === 'delete')

/** Names rows by their key if they have one, otherwise by the values that found them. Equal rows make equal asks. */
function askFor(collection: CollectionToErase, due: readonly RowToWrite[]): ManualErasureAsk {
  const byUpdate = new Map<string, { readonly update: ManualUpdate | null; readonly rows: RowToWrite[] }>()
  for (const row of due) {
    const update = manualUpdate(collection, row.decision)
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

function groupsOf(collection: CollectionToErase, rows: readonly RowToWrite[]): readonly KeyGroup[] {
  const { key } = collection.erasure
  const named = rows.filter(({ decision }) => !decision.byValues)
  const others = rows.filter(({ decision }) => decision.byValues)
  const byKey: KeyGroup = {
    fields: key.map(({ column, kind }) => ({ path: [column], ...(kind && { kind }) })),
    values: key.map((_, part) => named.map(({ decision }) => decision.key[part] as Value)),
  }
  const found = collection.entries.map((entry) => keySet(entry.fields))
  for (const { foundRow } of others) found[foundRow.entry]?.add(foundRow.key)
  return [...(named.length > 0 ? [byKey] : []), ...groupsByEntry(collection, found)]
}
