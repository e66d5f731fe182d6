import type { RowDecision } from '../../rules/erase/row-eraser.js'
import type { Finding } from '../../rules/findings/finding.js'
import type { IncomingReference } from '../../rules/plan/plan.js'
import { columnOf } from '../../rules/plan/spelled-column.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { FoundRow } from '../find/found-rows.js'
import { byMasking, type CheckedCollection, fault } from './checked-collection.js'
import {
  type CheckingContext,
  type CollectionToErase,
  type DecidingContext,
  decidedRows,
  eraserOf,
  foundRowsOf,
} from './erasure-context.js'
import {
  isReferencedByNone,
  type ReferencedKeys,
  referencedKeys,
  referencingInside,
  referencingName,
  referencingOutside,
} from './referencing-rows.js'

const cascaded: Readonly<Record<NonNullable<IncomingReference['onDelete']>, string>> = {
  cascade: 'would be deleted with them',
  'set null': 'would lose their reference',
  'set default': 'would refer to something else',
  restrict: 'keep them from being deleted',
  'no action': 'keep them from being deleted',
}

/** Finds rows that this request does not delete and that a foreign key would delete or change (docs/erasure.md). */
export async function deletionImpact(
  context: CheckingContext,
  collection: CollectionToErase,
  checked: ReadonlyMap<string, CheckedCollection>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const shared = checked.get(collection.address)?.shared
  for (const reference of collection.erasure.pointedToBy) {
    if (reference.onDelete === undefined) continue
    const deleted = referencedKeys(collection, reference)
    for await (const rows of decidedRows(context, collection, shared)) {
      for (const { foundRow, decision } of rows) {
        if (decision.kind === 'delete') deleted.add(foundRow)
      }
    }
    if (isReferencedByNone(deleted.found)) continue
    const finding = (why: string) =>
      fault(collection, undefined, `Rows of '${collection.address}' cannot be deleted: ${why}`)
    const instead = `mask '${collection.address}' instead of deleting its rows ${byMasking}`
    const outside = await referencingOutside(
      context,
      reference,
      deleted.found,
      isAlsoDeleted(context, reference, checked),
    )
    if ('unknown' in outside)
      findings.push(finding(`${outside.unknown} Either ${instead}, or have those rows deleted as well.`))
    else if (outside.rows > 0) {
      const rows = `${countedRows(outside.rows)} of '${referencingName(reference)}' that this request does not delete`
      const { why, canBeDeleted } = await whyTheyStay(context, reference, deleted.found, checked, outside.rows)
      const way = canBeDeleted ? `Either ${instead}, or have those rows deleted as well` : `You can ${instead}`
      const later = 'a retry finds rows that were added only just now'
      findings.push(finding(`${rows} ${cascaded[reference.onDelete]}${why}. ${way}; ${later}.`))
    }
  }
  return findings
}

/** Why referring rows stay, and whether the description could have some of them deleted. */
async function whyTheyStay(
  context: DecidingContext,
  reference: IncomingReference,
  keys: ReferencedKeys,
  checked: ReadonlyMap<string, CheckedCollection>,
  rows: number,
): Promise<{ readonly why: string; readonly canBeDeleted: boolean }> {
  const { address } = reference
  const decisionOf = decisionReader(context, reference, checked)
  if (!decisionOf || address === undefined) return { why: '', canBeDeleted: true }
  const isDeleted = isAlsoDeleted(context, reference, checked)
  const reasonOf = (foundRow: FoundRow) => (isDeleted(foundRow) ? undefined : whyItStays(decisionOf(foundRow)))
  const reasons = new Set<string>()
  for await (const batch of foundRowsOf(context, address))
    for (const foundRow of batch) reasons.add(reasonOf(foundRow) ?? '')
  const counts: string[] = []
  let found = 0
  for (const reason of [...reasons].filter(Boolean).sort()) {
    const inside = await referencingInside(context, reference, keys, (foundRow) => reasonOf(foundRow) === reason)
    const count = inside.reduce((sum, each) => sum + each, 0)
    if (count > 0) counts.push(`${count} ${reason}`)
    found += count
  }
  if (rows > found) counts.push(`${rows - found} not found as rows of the person`)
  return { why: ` (${counts.join('; ')})`, canBeDeleted: found > 0 }
}

function whyItStays(decision: RowDecision): string {
  if (decision.kind === 'unchanged')
    return 'without data that the policy asks for: a policy without data categories deletes all rows of the person'
  if (decision.kind === 'retained') return `kept: ${decision.reason}`
  return decision.kind === 'mask' && decision.reason !== undefined ? decision.reason : 'masked'
}

/** Decides what becomes of the request's referring rows. Undefined if the request writes none of them. */
function decisionReader(
  context: DecidingContext,
  { address }: IncomingReference,
  checked: ReadonlyMap<string, CheckedCollection>,
) {
  const from = address === undefined ? undefined : context.byAddress.get(address)
  if (!from?.erasure) return undefined
  const decisionOf = eraserOf(context, from as CollectionToErase)
  const shared = checked.get(from.address)?.shared
  return (foundRow: FoundRow) => decisionOf(foundRow, shared?.get(foundRow.place))
}

/** Tells whether this request deletes a referring row itself, or masks its reference with NULL. */
export function isAlsoDeleted(
  context: DecidingContext,
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
