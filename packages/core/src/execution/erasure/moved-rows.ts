import { PrivacyError } from '../../errors.js'
import type { KeyGroup } from '../../ports/connector.js'
import { countedRows } from '../../rules/counted-rows.js'
import type { Link, PlannedCollection } from '../../rules/plan.js'
import { type KeySet, keySet } from '../key-set.js'
import { keyOf } from '../key-values.js'
import { keyReader } from '../row-reader.js'
import { keyGroup } from '../slot-state.js'
import type { PointersBefore } from './checked-collection.js'
import type { ErasedCollection, ErasureContext } from './erased-collection.js'
import { judgeAgain } from './judge-again.js'
import { isPointedToByNone, pointedTo, pointingAtAll, pointingName } from './pointing-rows.js'
import type { RowGroup } from './row-groups.js'

/**
 * Looks, right before rows are written, whether they have become somebody else's: by the row that says whose they are, or
 * because others point to them now. Then nothing of the batch is written.
 */
export async function movedRows(
  context: ErasureContext,
  collection: ErasedCollection,
  groups: readonly RowGroup[],
  pointers: PointersBefore,
): Promise<PrivacyError | undefined> {
  return (await movedOwners(context, collection, groups)) ?? (await newPointers(context, collection, groups, pointers))
}

/** Reads the owners of the rows again: they have to be the person's still. */
async function movedOwners(
  context: ErasureContext,
  collection: ErasedCollection,
  groups: readonly RowGroup[],
): Promise<PrivacyError | undefined> {
  const { byAddress, lease } = context
  for (const owner of byAddress.values()) {
    for (const link of owner.links) {
      const keys = link.to === collection.address && link.kind === 'owned' ? groups[0]?.found[link.slot] : undefined
      // The rows of a collection that belong to one another are written as one, and those of a list are not told apart.
      if (!keys || keys.size === 0 || owner.address === collection.address || owner.arrays) continue
      const judge = judgeAgain(context, owner)
      const read = keyReader(owner, link.fields, collection.slots[link.slot]?.fields)
      const open = await context.connection(owner.connectionKey, owner.address)
      const still = keySet(collection.slots[link.slot]?.fields ?? [])
      const asked = askedOfOwner(link, keys)
      const group: KeyGroup = keyGroup({ fields: link.fields, when: [], indexed: true }, asked, 0, asked.size)
      {
        using _place = await open.place(lease.signal)
        const what = { collection: owner.collection, columns: owner.columns, anyOf: [group] }
        for await (const rows of open.connection.read(what, { signal: lease.signal })) {
          for (const row of rows) {
            const { whose } = judge(row)
            if (whose === 'own' || whose === 'indirect' || whose === 'shared')
              read(row, undefined, (key) => void still.add(key))
          }
        }
      }
      let moved = 0
      for (let at = 0; at < keys.size; at++) if (still.find(keys.at(at)) === -1) moved++
      if (moved > 0) return movedFailure(collection, owner, moved)
    }
  }
  return undefined
}

/** The keys of rows as the owner's own columns hold them, which may be of another type. */
function askedOfOwner({ fields }: Link, keys: KeySet): KeySet {
  const asked = keySet(fields)
  const columns = fields.map((_, part) => [...keys.column(part, 0, keys.size)])
  const placeholders = fields.map((field) => field.placeholders)
  for (let at = 0; at < keys.size; at++) {
    const values = columns.map((column) => column[at])
    const key = keyOf(values, fields, placeholders)
    if (key !== undefined) asked.add(key)
  }
  return asked
}

function movedFailure({ address }: ErasedCollection, owner: PlannedCollection, rows: number): PrivacyError {
  const message = `${countedRows(rows)} of '${owner.address}', to which rows of '${address}' belong, ${rows === 1 ? 'is' : 'are'} not the person's any more: these rows were left. Retry finds anew whose they are.`
  return new PrivacyError('connection_failed', message, { reason: 'moved' })
}

/** Counts again who points to rows that were the person's alone. */
async function newPointers(
  context: ErasureContext,
  collection: ErasedCollection,
  groups: readonly RowGroup[],
  pointers: PointersBefore,
): Promise<PrivacyError | undefined> {
  const rows = groups.flatMap((group) => group.pointedTo)
  if (rows.length === 0) return undefined
  for (const [reference, before] of pointers) {
    const { found, add } = pointedTo(collection, reference)
    for (const kept of rows) add(kept)
    if (isPointedToByNone(found)) continue
    const now = await pointingAtAll(context, reference, found)
    let more = 0
    for (const [at, count] of now.entries()) more += Math.max(0, count - before(found.keys.at(at)))
    if (more === 0) continue
    const message = `${countedRows(more)} of '${pointingName(reference)}' ${more === 1 ? 'has' : 'have'} come to point to rows of '${collection.address}', which may be somebody else's as well now: these rows were left. Retry finds anew whose they are.`
    return new PrivacyError('connection_failed', message, { reason: 'shared_since' })
  }
  return undefined
}
