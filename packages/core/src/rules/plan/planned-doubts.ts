import type { ErasurePlan } from '../erase/erasure-plan.js'
import type { ErasureTargets } from '../erase/field-decisions.js'
import { appendTo } from '../value/append-to.js'
import type { DoubtfulMember } from './doubtful-members.js'
import { doubtName, isWithin } from './part-doubts.js'
import type { PlannedDoubt } from './planned-doubt.js'
import type { Targets } from './targeted.js'

/** The doubts that keep something from being delivered or erased, by collection. */
export function plannedDoubts(
  doubtful: readonly DoubtfulMember[],
  asks: { readonly targets: Targets; readonly erasureTargets?: ErasureTargets | undefined },
  erasing: ErasurePlan | undefined,
): ReadonlyMap<string, readonly PlannedDoubt[]> {
  const found = new Map<string, PlannedDoubt[]>()
  for (const each of doubtful) {
    const { node, within, why, answers } = each
    const left = [...node.fields.values()].filter(
      (field) =>
        field.field.fields.length === 0 &&
        isWithin(field.path, within) &&
        (asks.targets(node, field).length > 0 || asks.erasureTargets?.(node, field) !== undefined),
    )
    const paths = left.map(({ path }) => path)
    // A row that is deleted takes the part along.
    if (erasing?.erasures.get(node.address)?.how === 'delete') paths.push(within)
    if (paths.length > 0) appendTo(found, node.address, { name: doubtName(each), why, answers, left: paths })
  }
  return found
}
