import { isCovered, type ParentLinks } from '../../model/is-covered.js'
import type { Dimension } from '../../model/policy.js'

export { isCovered }

/**
 * The declared keys by which one dimension of a rule (data categories, uses or subjects) matches, or undefined where it
 * does not.
 *
 * - ANY: some declared item is covered by a value.
 * - ALL: every value covers some declared item.
 * - NONE: no declared item is covered.
 * - OTHER: some declared item is covered by no value.
 *
 * Without a declaration nothing matches, whatever the value of `matches`.
 */
export function matchedItems(
  dimension: Dimension,
  declared: readonly string[],
  parents?: ParentLinks,
): readonly string[] | undefined {
  if (declared.length === 0) return undefined
  const { matches, values } = dimension
  const covered = declared.filter((item) => values.some((value) => isCovered(item, value, parents)))
  if (matches === 'ANY') return covered.length > 0 ? covered : undefined
  if (matches === 'ALL') {
    return values.every((value) => covered.some((item) => isCovered(item, value, parents))) ? covered : undefined
  }
  if (matches === 'NONE') return covered.length === 0 ? declared : undefined
  return covered.length < declared.length ? declared.filter((item) => !covered.includes(item)) : undefined
}

/** Whether declared keys match one dimension of a rule. */
export function matchesDimension(dimension: Dimension, declared: readonly string[], parents?: ParentLinks): boolean {
  return matchedItems(dimension, declared, parents) !== undefined
}
