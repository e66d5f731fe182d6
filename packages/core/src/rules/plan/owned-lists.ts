import type { CollectionNode, FieldNode } from './collection-node.js'
import { listsAround } from './known-members.js'
import type { Entry } from './plan.js'
import type { PlannedJudging } from './planned-judging.js'

/** Paths of the lists whose elements have owners of their own. */
export function ownedLists(
  node: CollectionNode,
  { owners, identities }: PlannedJudging,
): readonly (readonly string[])[] {
  const inside = [
    ...owners.flatMap((owner) => (owner.inside ? owner.fields : [])),
    ...identities.flatMap((each) => (each.inside ? [each.field] : [])),
  ]
  const lists = inside.flatMap(({ name }) => listsAround(node, node.fields.get(name) as FieldNode))
  return [...new Map(lists.map((path) => [path.join('.'), path])).values()]
}

/** Names of lists that only hold lists by which elements are told apart: no field says whose their own elements are. */
export function unownedLists(
  node: CollectionNode,
  entries: readonly Entry[],
  { owners, identities }: PlannedJudging,
): string[] {
  const fields = [
    ...entries.flatMap((entry) => (entry.compared ? [] : entry.fields)),
    ...owners.flatMap((owner) => owner.fields),
    ...identities.map(({ field }) => field),
  ]
  const around = fields.flatMap(({ name }) => {
    const field = node.fields.get(name)
    return field ? [listsAround(node, field).map((path) => path.join('.'))] : []
  })
  const owned = new Set(around.map((lists) => lists.at(-1)))
  return [...new Set(around.flat())].filter((list) => !owned.has(list))
}
