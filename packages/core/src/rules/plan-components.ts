import { stronglyConnected } from './components.js'
import type { Finding } from './findings.js'
import type { PlannedComponent } from './plan.js'

interface Precedence {
  readonly from: string
  readonly to: string
}

/** Groups collections that lead to one another, and says which group waits for which (§7.2). */
export function planComponents(
  order: readonly string[],
  arrows: readonly Precedence[],
  after: ReadonlyMap<string, readonly string[]>,
): { components: PlannedComponent[]; findings: Finding[] } {
  const position = new Map(order.map((address, at) => [address, at]))
  const next = new Map<string, Set<string>>(order.map((address) => [address, new Set()]))
  // What comes first must not depend on the order in which datasets and arrows were given.
  const positionOf = (address: string) => position.get(address) ?? -1
  for (const { from, to } of [...arrows].sort((a, b) => positionOf(a.to) - positionOf(b.to))) {
    if (position.has(to)) next.get(from)?.add(to)
  }
  const groups = stronglyConnected(order, next)
  const groupOf = new Map(groups.flatMap((members, at) => members.map((member) => [member, `${at}`] as const)))
  const findings: Finding[] = []
  const needs = new Map<string, Set<string>>()
  const waits = new Map<string, Set<string>>()
  const leads = new Map<string, Set<string>>()
  const record = (map: Map<string, Set<string>>, key: string, value: string) => {
    const set = map.get(key)
    if (set) set.add(value)
    else map.set(key, new Set([value]))
  }
  for (const [from, targets] of next) {
    for (const to of targets) {
      const [one, other] = [groupOf.get(from) as string, groupOf.get(to) as string]
      if (one === other) continue
      record(needs, other, one)
      record(leads, one, other)
    }
  }
  for (const address of order) {
    for (const each of [...(after.get(address) ?? [])].sort()) {
      const [one, other] = [groupOf.get(each), groupOf.get(address)]
      if (one === undefined || other === undefined) continue
      if (one === other) findings.push(orderingFinding([address, each], 'they lead to one another and run together'))
      else {
        record(waits, other, one)
        record(leads, one, other)
      }
    }
  }
  const circles = stronglyConnected(
    groups.map((_, at) => `${at}`),
    new Map([...leads].map(([from, to]) => [from, [...to].sort()])),
  )
  for (const circle of circles) {
    if (circle.length === 1) continue
    const addresses = circle.flatMap((at) => groups[Number(at)] as readonly string[]).sort()
    findings.push(orderingFinding(addresses, 'each waits for the other'))
  }
  const sorted = circles.flat()
  const place = new Map(sorted.map((name, at) => [name, at]))
  const renumber = (set: ReadonlySet<string> | undefined) =>
    [...(set ?? [])].map((name) => place.get(name) as number).sort((a, b) => a - b)
  const components = sorted.map((name) => {
    const group = groups[Number(name)] as readonly string[]
    const members = [...group].sort((a, b) => (position.get(a) as number) - (position.get(b) as number))
    const itself = next.get(members[0] as string)?.has(members[0] as string) ?? false
    return {
      members,
      cyclic: members.length > 1 || itself,
      needs: renumber(needs.get(name)),
      after: renumber(waits.get(name)),
    }
  })
  return { components, findings }
}

function orderingFinding(addresses: readonly string[], why: string): Finding {
  return {
    type: 'ordering',
    severity: 'error',
    loc: addresses,
    message: `The order 'after' asks for cannot be kept between ${addresses.join(' and ')}: ${why}. Remove the 'after'.`,
  }
}
