import { countedRows } from '../../rules/counted-rows.js'
import type { Finding } from '../../rules/findings.js'
import type { PointingReference } from '../../rules/plan.js'
import { columnOf } from '../../rules/spelled-columns.js'
import type { KeptRow } from '../kept-rows.js'
import { type CheckedCollection, fault } from './checked-collection.js'
import { type ErasedCollection, type ErasureContext, eraserOf, fatedRows } from './erased-collection.js'
import { isPointedToByNone, pointedTo, pointingName, pointingOutside } from './pointing-rows.js'

const carried: Readonly<Record<NonNullable<PointingReference['onDelete']>, string>> = {
  cascade: 'would go with them',
  'set null': 'would lose what they refer to',
  'set default': 'would refer to something else',
  restrict: 'keep them from being deleted',
  'no action': 'keep them from being deleted',
}

/** Rows that this request does not delete, and that a foreign key would carry a deletion to (docs/erasure.md). */
export async function deletionReach(
  context: ErasureContext,
  collection: ErasedCollection,
  checked: ReadonlyMap<string, CheckedCollection>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const shared = checked.get(collection.address)?.shared
  for (const reference of collection.erasure.pointedToBy) {
    if (reference.onDelete === undefined) continue
    const going = pointedTo(collection, reference)
    for await (const rows of fatedRows(context, collection, shared)) {
      for (const { kept, fate } of rows) {
        if (fate.kind === 'delete') going.add(kept)
      }
    }
    if (isPointedToByNone(going.found)) continue
    const told = (why: string) =>
      fault(collection, undefined, `Rows of '${collection.address}' cannot be deleted: ${why}`)
    const from = reference.address === undefined ? undefined : context.byAddress.get(reference.address)
    // Rows that hold nothing of what the policy asks for stay, unless nothing of their collection has a category.
    const empty =
      from?.erasure?.how === 'delete'
        ? ` (of '${from.address}' only rows go that hold something the policy asks for: without data categories all of the person's go)`
        : ''
    const instead = `mask '${collection.address}' instead of deleting its rows, or have those rows deleted as well${empty}`
    const outside = await pointingOutside(context, reference, going.found, goesToo(context, reference, checked))
    if ('unknown' in outside) findings.push(told(`${outside.unknown} Either ${instead}.`))
    else if (outside.rows > 0) {
      const rows = `${countedRows(outside.rows)} of '${pointingName(reference)}' that this request does not delete`
      const way = `Either ${instead}; rows that came only just now are found by a retry.`
      findings.push(told(`${rows} ${carried[reference.onDelete]}. ${way}`))
    }
  }
  return findings
}

/** Whether a row that points there is deleted by this request itself, or points nowhere once it is masked. */
export function goesToo(
  context: ErasureContext,
  { address, fields }: PointingReference,
  checked: ReadonlyMap<string, CheckedCollection>,
) {
  const from = address === undefined ? undefined : context.byAddress.get(address)
  if (!from?.erasure) return () => false
  const pointing = new Set(fields.map(columnOf))
  const fateOf = eraserOf(context, from as ErasedCollection)
  const shared = checked.get(from.address)?.shared
  return ({ place, row, leftOut }: KeptRow) => {
    const fate = fateOf({ row, leftOut, shared: shared?.get(place) })
    if (fate.kind !== 'mask') return fate.kind === 'delete'
    return fate.changes.some(({ column, becomes }) => becomes === null && pointing.has(column))
  }
}
