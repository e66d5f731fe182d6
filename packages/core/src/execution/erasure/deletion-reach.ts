import { isPrivacyError } from '../../errors.js'
import { countedRows } from '../../rules/counted-rows.js'
import type { Finding } from '../../rules/findings.js'
import type { PointingReference } from '../../rules/plan.js'
import type { KeptRow } from '../kept-rows.js'
import { type CheckedCollection, fault } from './checked-collection.js'
import { type ErasedCollection, type ErasureContext, eraserOf, fatedRows } from './erased-collection.js'
import { isPointedToByNone, pointedTo, pointingAtAll, pointingInside } from './pointing-rows.js'

const carried: Readonly<Record<NonNullable<PointingReference['onDelete']>, string>> = {
  cascade: 'would go with them',
  'set null': 'would lose what they refer to',
  'set default': 'would refer to something else',
  restrict: 'keep them from being deleted',
  'no action': 'keep them from being deleted',
}

/** Rows that this request does not delete, and that a foreign key would carry a deletion to (§7.15). */
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
    const name = reference.address ?? [reference.schema, reference.collection].filter(Boolean).join('.')
    const instead = `mask '${collection.address}' instead of deleting its rows, or have those rows deleted as well`
    try {
      const all = await pointingAtAll(context, reference, going.found)
      const inside = await pointingInside(context, reference, going.found, goesToo(context, reference, checked))
      // Row by row: what points to one of them is not made up for by what points to another.
      const left = all.reduce((sum, count, at) => sum + Math.max(0, count - (inside[at] as number)), 0)
      if (left === 0) continue
      const rows = `${countedRows(left)} of '${name}' that this request does not delete`
      findings.push(
        fault(
          collection,
          undefined,
          `Rows of '${collection.address}' cannot be deleted: ${rows} ${carried[reference.onDelete]}. Either ${instead}; rows that came only just now are found by a retry.`,
        ),
      )
    } catch (error) {
      if (!isPrivacyError(error, 'unsupported')) throw error
      findings.push(
        fault(
          collection,
          undefined,
          `Rows of '${collection.address}' cannot be deleted: ${error.message} Either ${instead}.`,
        ),
      )
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
  const pointing = new Set(fields.map(({ path }) => path[0]))
  const fateOf = eraserOf(context, from as ErasedCollection)
  const shared = checked.get(from.address)?.shared
  return ({ place, row, leftOut }: KeptRow) => {
    const fate = fateOf({ row, leftOut, shared: shared?.get(place) })
    if (fate.kind !== 'mask') return fate.kind === 'delete'
    return fate.changes.some(({ column, becomes }) => becomes === null && pointing.has(column))
  }
}
