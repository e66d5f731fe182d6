import { canonicalHash } from '../../crypto/canonical-hash.js'
import type { Plan, PlannedCollection } from '../../rules/plan/plan.js'

/**
 * The hash to which an approval is bound. Plans that do the same have the same hash, whatever their remarks, and
 * whatever order a storage gives the members of an object.
 */
export function planHash(plan: object): string {
  const { findings: _, found: __, coverage: ___, collections, ...work } = plan as Partial<Plan>
  return canonicalHash({ ...work, ...(collections && { collections: collections.map(whatIsDone) }) })
}

/**
 * The names of foreign keys decide nothing; the foreign keys themselves stand among those that refer to rows. Nor does it
 * matter for what is done how long the server keeps old values, or where.
 */
function whatIsDone({ erasure, ...collection }: PlannedCollection) {
  if (!erasure) return collection
  const { referencedBy: _, keptDays: __, keptCopies: ___, ...done } = erasure
  return { ...collection, erasure: done }
}
