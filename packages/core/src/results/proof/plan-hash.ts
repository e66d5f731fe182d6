import { canonicalHash } from '../../crypto/canonical-hash.js'
import type { Plan, PlannedCollection } from '../../rules/plan/plan.js'

/**
 * What an approval is bound to: the same for plans that do the same, whatever is remarked about them and in whatever
 * order a storage gives the members of an object back.
 */
export function planHash(plan: object): string {
  const { findings: _, found: __, coverage: ___, collections, ...work } = plan as Partial<Plan>
  return canonicalHash({ ...work, ...(collections && { collections: collections.map(whatIsDone) }) })
}

/** What foreign keys are called decides nothing; which there are stands among those that point to rows. */
function whatIsDone({ erasure, ...collection }: PlannedCollection) {
  if (!erasure) return collection
  const { referencedBy: _, ...done } = erasure
  return { ...collection, erasure: done }
}
