import type { RowDecision } from '../../rules/erase/row-eraser.js'
import type { Finding } from '../../rules/findings/finding.js'
import type { IncomingReference } from '../../rules/plan/plan.js'
import { columnOf } from '../../rules/plan/spelled-column.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { FoundRow } from '../find/found-rows.js'
import { type CheckedCollection, fault } from './checked-collection.js'
import { isAlsoDeleted } from './deletion-impact.js'
import { type CheckingContext, type CollectionToErase, type DecidingContext, decidedRows } from './erasure-context.js'
import { isReferencedByNone, referencedKeys, referencingName, referencingOutside } from './referencing-rows.js'

const cascaded: Partial<Record<NonNullable<IncomingReference['onUpdate']>, string>> = {
  cascade: 'would be changed with it',
  'set null': 'would lose their reference',
  'set default': 'would refer to something else',
}

/** Finds rows outside the request that a foreign key would change when a key is masked. */
export async function maskingImpact(
  context: CheckingContext,
  collection: CollectionToErase,
  checked: ReadonlyMap<string, CheckedCollection>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const reference of collection.erasure.cascadedBy ?? []) {
    const changed = referencedKeys(collection, reference)
    for await (const rows of decidedRows(context, collection, checked.get(collection.address)?.shared)) {
      for (const { foundRow, decision } of rows) if (changesKey(decision, reference)) changed.add(foundRow)
    }
    if (isReferencedByNone(changed.found)) continue
    const names = reference.to.map(({ name }) => name).join(', ')
    const what = `The key '${[collection.address, names].filter(Boolean).join('.')}' cannot be masked`
    const instead = "Remove its masking_strategy, keep it with 'retain', or change the foreign key's ON UPDATE."
    const finding = (why: string) => fault(collection, reference.to[0]?.name, `${what}: ${why} ${instead}`)
    const isFine = isCascaded(context, reference, checked)
    const outside = await referencingOutside(context, reference, changed.found, isFine)
    if ('unknown' in outside) findings.push(finding(outside.unknown))
    else if (outside.rows > 0) {
      const rows = `${countedRows(outside.rows)} of '${referencingName(reference)}'`
      findings.push(finding(`${rows} ${cascaded[reference.onUpdate ?? 'cascade']}.`))
    }
  }
  return findings
}

function changesKey(decision: RowDecision, { to }: IncomingReference): boolean {
  if (decision.kind !== 'mask') return false
  return decision.changes.some(
    ({ column, differs }) => differs && (to.length === 0 || to.some((field) => columnOf(field) === column)),
  )
}

/** Tells whether a referring row may change as well: a cascade keeps the subject's rows together, other actions do not. */
function isCascaded(
  context: DecidingContext,
  reference: IncomingReference,
  checked: ReadonlyMap<string, CheckedCollection>,
): (foundRow: FoundRow) => boolean {
  if (reference.onUpdate !== 'cascade') return isAlsoDeleted(context, reference, checked)
  const shared = checked.get(reference.address ?? '')?.shared
  return ({ own, place }) => own || (shared !== undefined && !shared.has(place))
}
