import { countedRows } from '../../rules/value/counted-rows.js'
import type { Finding } from '../../rules/findings/finding.js'
import type { PointingReference } from '../../rules/plan/plan.js'
import type { RowFate } from '../../rules/erase/row-eraser.js'
import { columnOf } from '../../rules/plan/spelled-column.js'
import type { KeptRow } from '../find/found-rows.js'
import { byMasking, type CheckedCollection, fault } from './checked-collection.js'
import { type ErasedCollection, type ErasureContext, eraserOf, fatedRows, keptRowsOf } from './erasure-context.js'
import {
  isPointedToByNone,
  type PointedTo,
  pointedTo,
  pointingInside,
  pointingName,
  pointingOutside,
} from './referencing-rows.js'

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
    const instead = `mask '${collection.address}' instead of deleting its rows ${byMasking}`
    const outside = await pointingOutside(context, reference, going.found, goesToo(context, reference, checked))
    if ('unknown' in outside)
      findings.push(told(`${outside.unknown} Either ${instead}, or have those rows deleted as well.`))
    else if (outside.rows > 0) {
      const rows = `${countedRows(outside.rows)} of '${pointingName(reference)}' that this request does not delete`
      const { why, canGo } = await whyTheyStay(context, reference, going.found, checked, outside.rows)
      const way = canGo ? `Either ${instead}, or have those rows deleted as well` : `You can ${instead}`
      const later = 'rows that came only just now are found by a retry'
      findings.push(told(`${rows} ${carried[reference.onDelete]}${why}. ${way}; ${later}.`))
    }
  }
  return findings
}

/** Why rows that point there stay, and whether the description could have some of them deleted. */
async function whyTheyStay(
  context: ErasureContext,
  reference: PointingReference,
  found: PointedTo,
  checked: ReadonlyMap<string, CheckedCollection>,
  rows: number,
): Promise<{ readonly why: string; readonly canGo: boolean }> {
  const { address } = reference
  const fateOf = fateReader(context, reference, checked)
  if (!fateOf || address === undefined) return { why: '', canGo: true }
  const goes = goesToo(context, reference, checked)
  const reasonOf = (kept: KeptRow) => (goes(kept) ? undefined : stays(fateOf(kept)))
  const reasons = new Set<string>()
  for await (const batch of keptRowsOf(context, address)) for (const kept of batch) reasons.add(reasonOf(kept) ?? '')
  const counts: string[] = []
  let hers = 0
  for (const reason of [...reasons].filter(Boolean).sort()) {
    const inside = await pointingInside(context, reference, found, (kept) => reasonOf(kept) === reason)
    const count = inside.reduce((sum, each) => sum + each, 0)
    if (count > 0) counts.push(`${count} ${reason}`)
    hers += count
  }
  if (rows > hers) counts.push(`${rows - hers} not found as the person's own`)
  return { why: ` (${counts.join('; ')})`, canGo: hers > 0 }
}

function stays(fate: RowFate): string {
  if (fate.kind === 'unchanged')
    return 'with nothing that the policy asks for: without data categories all of the person’s go'
  if (fate.kind === 'retained') return `kept: ${fate.reason}`
  return fate.kind === 'mask' && fate.reason !== undefined ? fate.reason : 'masked'
}

/** What becomes of the request's rows that point there; undefined where it writes none of them. */
function fateReader(
  context: ErasureContext,
  { address }: PointingReference,
  checked: ReadonlyMap<string, CheckedCollection>,
) {
  const from = address === undefined ? undefined : context.byAddress.get(address)
  if (!from?.erasure) return undefined
  const fateOf = eraserOf(context, from as ErasedCollection)
  const shared = checked.get(from.address)?.shared
  return ({ place, row, leftOut }: KeptRow) => fateOf({ row, leftOut, shared: shared?.get(place) })
}

/** Whether a row that points there is deleted by this request itself, or points nowhere once it is masked. */
export function goesToo(
  context: ErasureContext,
  reference: PointingReference,
  checked: ReadonlyMap<string, CheckedCollection>,
) {
  const fateOf = fateReader(context, reference, checked)
  if (!fateOf) return () => false
  const pointing = new Set(reference.fields.map(columnOf))
  return (kept: KeptRow) => {
    const fate = fateOf(kept)
    if (fate.kind !== 'mask') return fate.kind === 'delete'
    return fate.changes.some(({ column, becomes }) => becomes === null && pointing.has(column))
  }
}
