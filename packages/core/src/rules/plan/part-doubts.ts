import type { ErasurePlan } from '../erase/erasure-plan.js'
import type { ErasureTargets } from '../erase/field-decisions.js'
import { appendTo } from '../value/append-to.js'
import type { Targets } from './access-plan.js'
import type { DoubtfulMember } from './doubtful-members.js'
import type { Targeted } from './targeted.js'

/** Parts of rows of which nobody has said whose they are, by collection. */
export interface PartDoubts {
  /** The name of the member that leaves open whose a field is: `dataset:collection.field`. */
  over(address: string, path: readonly string[]): string | undefined
  /** The paths of the parts. */
  parts(address: string): readonly (readonly string[])[]
}

/** A member that leaves open whose a part of a row is, with what a request leaves alone because of it. */
export interface PlannedDoubt {
  /** `dataset:collection.field`. */
  readonly name: string
  readonly why: string
  readonly answers: string
  /** What the policy asks for there. A row that holds something in one of these is undecided in part. */
  readonly left: readonly (readonly string[])[]
}

const nameOf = ({ node, field }: DoubtfulMember) => `${node.address}.${field}`

/** Whether a field lies in a part, or a part in the field. */
export function isWithin(path: readonly string[], part: readonly string[]): boolean {
  const length = Math.min(path.length, part.length)
  return path.slice(0, length).every((segment, at) => segment === part[at])
}

export function partDoubts(doubtful: readonly DoubtfulMember[]): PartDoubts {
  const byAddress = new Map<string, DoubtfulMember[]>()
  for (const each of doubtful) appendTo(byAddress, each.node.address, each)
  const of = (address: string) => byAddress.get(address) ?? []
  return {
    over: (address, path) => {
      const found = of(address).find(({ within }) => isWithin(path, within))
      return found && nameOf(found)
    },
    parts: (address) => of(address).map(({ within }) => within),
  }
}

/** What is delivered, without the parts of which nobody has said whose they are. */
export function withoutDoubts(targeted: Targeted, doubts: PartDoubts): Targeted {
  return new Map(
    [...targeted].map(([address, fields]) => [
      address,
      fields.filter(({ field }) => field.field.fields.length > 0 || doubts.over(address, field.path) === undefined),
    ]),
  )
}

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
    if (paths.length > 0) appendTo(found, node.address, { name: nameOf(each), why, answers, left: paths })
  }
  return found
}
