import type { Finding } from '../findings/finding.js'
import type { PlannedComponent } from './plan.js'
import { stronglyConnected } from './strongly-connected.js'

interface Precedence {
  readonly from: string
  readonly to: string
}

/**
 * Groups collections that lead to each other, and says which groups wait for which (see docs/semantics.md,
 * 'Following').
 */
export function planComponents(
  order: readonly string[],
  directedEdges: readonly Precedence[],
  after: ReadonlyMap<string, readonly string[]>,
): { components: PlannedComponent[]; findings: Finding[] } {
  const position = new Map<string, number>()
  for (const [at, address] of order.entries()) position.set(address, at)
  const next = following(position, directedEdges)
  const groups = stronglyConnected(next)
  const groupOf = order.map(() => -1)
  for (const [at, group] of groups.entries()) for (const member of group) groupOf[member] = at
  const findings: Finding[] = []
  const needs: Lists = groups.map(() => [])
  const waits: Lists = groups.map(() => [])
  const leads: Lists = groups.map(() => [])
  const record = (lists: Lists, one: number, other: number) => {
    lists[other]?.push(one)
    leads[one]?.push(other)
  }
  for (const [from, targets] of next.entries()) {
    const one = groupOf[from] as number
    for (const to of targets) {
      const other = groupOf[to] as number
      if (one !== other) record(needs, one, other)
    }
  }
  for (const [at, address] of order.entries()) {
    const other = groupOf[at] as number
    for (const each of after.get(address)?.toSorted() ?? []) {
      const before = position.get(each)
      if (before === undefined) continue
      const one = groupOf[before] as number
      if (one === other) findings.push(orderingFinding([address, each], 'they lead to each other and run together'))
      else record(waits, one, other)
    }
  }
  // Sorted as text, since any fixed order will do.
  const circles = stronglyConnected(leads.map((each) => (each.length < 2 ? each : each.sort())))
  for (const circle of circles) {
    if (circle.length === 1) continue
    const addresses = circle.flatMap((at) => (groups[at] as readonly number[]).map((member) => order[member] as string))
    findings.push(orderingFinding(addresses.sort(), 'they wait for each other'))
  }
  const sorted = circles.flat()
  const place = groups.map(() => -1)
  for (const [at, group] of sorted.entries()) place[group] = at
  const renumber = (list: readonly number[] = []) => {
    const numbers = list.map((group) => place[group] as number)
    return list.length < 2 ? numbers : [...new Set(numbers)].sort((a, b) => a - b)
  }
  const components = sorted.map((at) => {
    const members = (groups[at] as readonly number[]).toSorted((a, b) => a - b)
    const first = members[0] as number
    return {
      members: members.map((member) => order[member] as string),
      cyclic: members.length > 1 || (next[first] as readonly number[]).includes(first),
      needs: renumber(needs[at]),
      after: renumber(waits[at]),
    }
  })
  return { components, findings }
}

type Lists = number[][]

/**
 * Where each collection leads, as positions in the order. The result must not depend on the order of datasets and
 * edges.
 */
function following(position: ReadonlyMap<string, number>, directedEdges: readonly Precedence[]): Lists {
  const before: Lists = Array.from(position, () => [])
  for (const { from, to } of directedEdges) {
    const [one, other] = [position.get(from), position.get(to)]
    if (one !== undefined && other !== undefined) before[other]?.push(one)
  }
  const next: Lists = before.map(() => [])
  for (const [to, all] of before.entries()) {
    for (const from of all) next[from]?.push(to)
  }
  return next
}

function orderingFinding(addresses: readonly string[], why: string): Finding {
  return {
    type: 'ordering',
    severity: 'error',
    loc: addresses,
    message: `The order of 'after' is impossible between ${addresses.join(' and ')}: ${why}. Remove the 'after'.`,
  }
}
