import { PrivacyError } from '../../errors.js'
import { countedRows } from '../../rules/counted-rows.js'
import type { PointingReference } from '../../rules/plan.js'
import { conditionReader, elementsOf } from '../row-reader.js'
import type { ErasedCollection, ErasureContext } from './erased-collection.js'
import { isPointedToByNone, pointedTo, pointerReader, pointingAtAll, pointingName } from './pointing-rows.js'
import type { RowGroup } from './row-groups.js'

/** The foreign keys that would take rows along, or change them. */
export function carryingReferences({ erasure }: ErasedCollection): readonly PointingReference[] {
  return erasure.pointedToBy.filter(({ onDelete = '' }) => ['cascade', 'set null', 'set default'].includes(onDelete))
}

/**
 * Asks, right before rows go, whether anything points to them that would be carried along: by then all that this
 * request deletes there has gone, so that whatever is left is somebody else's, or came since.
 */
export async function carriedRows(
  context: ErasureContext,
  collection: ErasedCollection,
  groups: readonly RowGroup[],
): Promise<PrivacyError | undefined> {
  const references = carryingReferences(collection)
  if (references.length === 0) return undefined
  const going = groups.flatMap((group) => group.going)
  for (const reference of references) {
    const { found, add } = pointedTo(collection, reference)
    for (const kept of going) add(kept)
    if (isPointedToByNone(found)) continue
    const pointing = await pointingAtAll(context, reference, found)
    if (reference.address === collection.address) {
      const read = pointerReader(collection, reference, reference.fields)
      const meets = conditionReader(collection, reference.when)
      for (const kept of going) {
        const document = elementsOf(collection, kept.row)
        if (!meets(kept.row, document)) continue
        read(kept.row, document, (key) => {
          const at = found.keys.find(key)
          if (at !== -1) pointing[at] = (pointing[at] as number) - 1
        })
      }
    }
    const left = pointing.reduce((sum, count) => sum + Math.max(0, count), 0)
    if (left === 0) continue
    const message = `${countedRows(left)} of '${pointingName(reference)}' came to point to rows of '${collection.address}' that were to go, and would be carried along (${reference.onDelete}): these rows were left. Have those rows deleted as well, or mask '${collection.address}' instead.`
    return new PrivacyError('unsupported', message, { reason: 'carried_rows' })
  }
  return undefined
}
