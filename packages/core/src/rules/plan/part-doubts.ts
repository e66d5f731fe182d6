import { appendTo } from '../value/append-to.js'
import type { DoubtfulMember } from './doubtful-members.js'
import type { Targeted } from './targeted.js'

/** Parts of rows of which nobody has said whose they are, by collection. */
export interface PartDoubts {
  /** The name of the member that leaves open whose a field is: `dataset:collection.field`. */
  over(address: string, path: readonly string[]): string | undefined
  /** The paths of the parts. */
  parts(address: string): readonly (readonly string[])[]
}

/** `dataset:collection.field`. */
export const doubtName = ({ node, field }: DoubtfulMember) => `${node.address}.${field}`

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
      return found && doubtName(found)
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
