import type { Plan } from '../rules/plan.js'
import { canonicalHash } from './canonical-hash.js'

/**
 * What an approval is bound to: the same for plans that do the same, whatever is remarked about them and in whatever
 * order a storage gives the members of an object back.
 */
export function planHash(plan: object): string {
  const { findings: _, found: __, coverage: ___, ...work } = plan as Partial<Plan>
  return canonicalHash(work)
}
