import type { Finding } from '../findings/finding.js'
import type { ErasureUnit } from '../plan/plan.js'
import { stronglyConnected } from '../plan/strongly-connected.js'

/** One collection must be written before another. */
export interface WriteEdge {
  readonly first: string
  readonly next: string
}

/**
 * The order in which collections are written (see docs/semantics.md, 'Order of writing'). `reached`: a collection comes
 * after everything it leads to, so that a failure never cuts off rows that are still to be erased. `demanded`: the
 * order that foreign keys of deleted rows and `erase_after` require. Where the two contradict each other the
 * collections form one unit, and `demanded` decides inside it.
 */
export function erasureOrder(
  addresses: readonly string[],
  reached: readonly WriteEdge[],
  demanded: readonly WriteEdge[],
): { units: ErasureUnit[]; findings: Finding[] } {
  const position = new Map(addresses.map((address, at) => [address, at]))
  const hard = following(position, demanded)
  const next = following(position, [...reached, ...demanded])
  const findings: Finding[] = []
  for (const circle of stronglyConnected(hard)) {
    if (circle.length === 1) continue
    const names = circle.map((at) => addresses[at] as string).sort()
    findings.push({
      type: 'erasure_order',
      severity: 'error',
      loc: names,
      message: `${names.join(' and ')} cannot be erased in any order: each must come after the other, because of 'erase_after' or a foreign key of rows to delete. Remove an 'erase_after', or mask one of them instead of deleting its rows.`,
    })
  }
  const groups = stronglyConnected(next)
  const groupOf = addresses.map(() => -1)
  for (const [at, group] of groups.entries()) for (const member of group) groupOf[member] = at
  const units = groups.map((group, at) => {
    const needs = new Set<number>()
    for (const [from, targets] of next.entries()) {
      if (groupOf[from] === at) continue
      if (targets.some((to) => groupOf[to] === at)) needs.add(groupOf[from] as number)
    }
    return {
      members: inside(group, hard).map((member) => addresses[member] as string),
      needs: [...needs].sort((a, b) => a - b),
    }
  })
  return { units, findings }
}

function following(position: ReadonlyMap<string, number>, directedEdges: readonly WriteEdge[]): number[][] {
  const next: number[][] = Array.from(position, () => [])
  for (const { first, next: later } of directedEdges) {
    const [from, to] = [position.get(first), position.get(later)]
    if (from !== undefined && to !== undefined && from !== to && !next[from]?.includes(to)) next[from]?.push(to)
  }
  return next
}

/** The members of one unit, each after the members that must come before it. */
function inside(group: readonly number[], hard: readonly (readonly number[])[]): number[] {
  const sorted = [...group].sort((a, b) => a - b)
  const place = new Map(sorted.map((member, at) => [member, at]))
  const within = sorted.map((member) => (hard[member] ?? []).flatMap((to) => place.get(to) ?? []))
  return stronglyConnected(within).flatMap((circle) => circle.map((at) => sorted[at] as number))
}
