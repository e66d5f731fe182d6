import { isCovered, type ParentLinks } from '../../model/is-covered.js'
import type { Dimension } from '../../model/policy.js'

export { isCovered }

/**
 * Whether declared keys match one dimension of a rule (data categories, uses or subjects).
 *
 * - ANY: some declared item is covered by a value.
 * - ALL: every value covers some declared item.
 * - NONE: no declared item is covered.
 * - OTHER: some declared item is covered by no value.
 *
 * Without a declaration nothing matches, whatever the value of `matches`.
 */
export function matchesDimension(dimension: Dimension, declared: readonly string[], parents?: ParentLinks): boolean {
  if (declared.length === 0) return false
  const { matches, values } = dimension
  const covered = (item: string) => values.some((value) => isCovered(item, value, parents))
  if (matches === 'ANY') return declared.some(covered)
  if (matches === 'ALL') return values.every((value) => declared.some((item) => isCovered(item, value, parents)))
  if (matches === 'NONE') return !declared.some(covered)
  return !declared.every(covered)
}
