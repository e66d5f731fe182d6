import type { RowDecision } from '../../rules/erase/row-eraser.js'
import type { Finding } from '../../rules/findings/finding.js'
import type { IncomingReference } from '../../rules/plan/plan.js'
import { columnOf } from '../../rules/plan/spelled-column.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { FoundRow } from '../find/found-rows.js'
import { byMasking, type CheckedCollection, fault } from './checked-collection.js'
import { type CollectionToErase, decidedRows, type ErasureContext, eraserOf, foundRowsOf } from './erasure-context.js'
import {
  isPointedToByNone,
  type PointedTo,
  pointedTo,
  referencingInside,
  referencingName,
  referencingOutside,
} from './referencing-rows.js'

const cascaded: Readonly<Record<NonNullable<IncomingReference['onDelete']>, string>> = {
  cascade: 'would go with them',
  'set null': 'would lose what they refer to',
  'set default': 'would refer to something else',
  restrict: 'keep them from being deleted',
  'no action': 'keep them from being deleted',
}

/** Rows that this request does not delete, and that a foreign key would carry a deletion to (docs/erasure.md). */
export async function deletionImpact(
  context: ErasureContext,
  collection: CollectionToErase,
  checked: ReadonlyMap<string, CheckedCollection>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const shared = checked.get(collection.address)?.shared
  for (const reference of collection.erasure.pointedToBy) {
    if (reference.onDelete === undefined) continue
    const going = pointedTo(collection, reference)
    for await (const rows of decidedRows(context, collection, shared)) {
      for (const { foundRow, decision } of rows) {
        if (decision.kind === 'delete') going.add(foundRow)
      }
    }
    if (isPointedToByNone(going.found)) continue
    const told = (why: string) =>
      fault(collection, undefined, `Rows of '${collection.address}' cannot be deleted: ${why}`)
    const instead = `mask '${collection.address}' instead of deleting its rows ${byMasking}`
    const outside = await referencingOutside(context, reference, going.found, goesToo(context, reference, checked))
    if ('unknown' in outside)
      findings.push(told(`${outside.unknown} Either ${instead}, or have those rows deleted as well.`))
    else if (outside.rows > 0) {
      const rows = `${countedRows(outside.rows)} of '${referencingName(reference)}' that this request does not delete`
      const { why, canGo } = await whyTheyStay(context, reference, going.found, checked, outside.rows)
      const way = canGo ? `Either ${instead}, or have those rows deleted as well` : `You can ${instead}`
      const later = 'rows that came only just now are found by a retry'
      findings.push(told(`${rows} ${cascaded[reference.onDelete]}${why}. ${way}; ${later}.`))
    }
  }
  return findings
}

/** Why rows that point there stay, and whether the description could have some of them deleted. */
async function whyTheyStay(
  context: ErasureContext,
  reference: IncomingReference,
  found: PointedTo,
  checked: ReadonlyMap<string, CheckedCollection>,
  rows: number,
): Promise<{ readonly why: string; readonly canGo: boolean }> {
  const { address } = reference
  const decisionOf = decisionReader(context, reference, checked)
  if (!decisionOf || address === undefined) return { why: '', canGo: true }
  const goes = goesToo(context, reference, checked)
  const reasonOf = (foundRow: FoundRow) => (goes(foundRow) ? undefined : stays(decisionOf(foundRow)))
  const reasons = new Set<string>()
  for await (const batch of foundRowsOf(context, address))
    for (const foundRow of batch) reasons.add(reasonOf(foundRow) ?? '')
  const counts: string[] = []
  let hers = 0
  for (const reason of [...reasons].filter(Boolean).sort()) {
    const inside = await referencingInside(context, reference, found, (foundRow) => reasonOf(foundRow) === reason)
    const count = inside.reduce((sum, each) => sum + each, 0)
    if (count > 0) counts.push(`${count} ${reason}`)
    hers += count
  }
  if (rows > hers) counts.push(`${rows - hers} not found as the person's own`)
  return { why: ` (${counts.join('; ')})`, canGo: hers > 0 }
}

function stays(decision: RowDecision): string {
  if (decision.kind === 'unchanged')
    return 'with nothing that the policy asks for: without data categories all of the person’s go'
  if (decision.kind === 'retained') return `kept: ${decision.reason}`
  return decision.kind === 'mask' && decision.reason !== undefined ? decision.reason : 'masked'
}

/** What becomes of the request's rows that point there; undefined where it writes none of them. */
function decisionReader(
  context: ErasureContext,
  { address }: IncomingReference,
  checked: ReadonlyMap<string, CheckedCollection>,
) {
  const from = address === undefined ? undefined : context.byAddress.get(address)
  if (!from?.erasure) return undefined
  const decisionOf = eraserOf(context, from as CollectionToErase)
  const shared = checked.get(from.address)?.shared
  return ({ place, row, leftOut }: FoundRow) => decisionOf({ row, leftOut, shared: shared?.get(place) })
}

/** Whether a row that points there is deleted by this request itself, or points nowhere once it is masked. */
export function goesToo(
  context: ErasureContext,
  reference: IncomingReference,
  checked: ReadonlyMap<string, CheckedCollection>,
) {
  const decisionOf = decisionReader(context, reference, checked)
  if (!decisionOf) return () => false
  const referencing = new Set(reference.fields.map(columnOf))
  return (foundRow: FoundRow) => {
    const decision = decisionOf(foundRow)
    if (decision.kind !== 'mask') return decision.kind === 'delete'
    return decision.changes.some(({ column, becomes }) => becomes === null && referencing.has(column))
  }
}
