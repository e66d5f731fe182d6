import type { CatalogueCollection } from '../../model/catalogue.js'
import type { DescribedOwnership } from '../plan/described-ownership.js'
import { nameIn } from '../plan/uncovered-table.js'
import { appendTo } from '../value/append-to.js'

/** One step of a path: from a table or collection, over columns of either end, to the next one. */
interface Step {
  readonly to: string
  /** How the step is written where the path begins or goes on here. */
  readonly text: string
}

/** How rows lead to a person: `shop:orders.customer_id → shop:customers`. Undefined for a collection that does not. */
export type PersonPath = (address: string) => string | undefined

/** The shortest path from each described collection whose rows may have an owner to a collection of people. */
export function personPaths({ owners }: DescribedOwnership): PersonPath {
  const towards = new Map<string, (Step & { readonly from: string })[]>()
  const lead = (from: string, to: string, text: string) => appendTo(towards, to, { from, to, text })
  for (const meant of owners.references.values()) {
    for (const { edge, meaning } of meant) {
      const columns = edge.parts.map(({ from }) => from).join('+')
      if (meaning === 'owner' || meaning === 'both' || meaning === 'open')
        lead(edge.from, edge.to, `${edge.from}.${columns} → `)
      if (meaning === 'to' || meaning === 'both') lead(edge.to, edge.from, `${edge.to} ← ${edge.from}.${columns}, `)
    }
  }
  const path = new Map([...owners.people].map((address) => [address, address]))
  for (const [to, text] of path)
    for (const step of towards.get(to) ?? []) if (!path.has(step.from)) path.set(step.from, `${step.text}${text}`)
  return (address) => path.get(address)
}

/**
 * The steps from a live table to other tables of its database: over foreign keys, from a child to its parent, from a view. A table
 * of another schema goes on where a table here is told that it leads to it.
 */
export function stepsFrom({ name, foreignKeys, inheritsFrom = [], view }: CatalogueCollection): readonly Step[] {
  return [
    ...foreignKeys.map(({ columns, references }) => ({
      to: nameIn(references),
      text: `${name}.${columns.join('+')} → `,
    })),
    ...inheritsFrom.map((to) => ({ to, text: `${name} inherits from ` })),
    ...(view?.shows ?? []).map((to) => ({ to, text: `${name} shows ` })),
  ]
}
