import { expect } from 'vitest'
import type { Finding } from '../../src/rules/findings/finding.js'
import { accessPlan } from '../../src/rules/plan/access-plan.js'
import { type DescribedDataset, datasetGraph } from '../../src/rules/plan/dataset-graph.js'
import { identityEntries } from '../../src/rules/plan/identity-entries.js'
import { ownership } from '../../src/rules/plan/ownership.js'
import type { Plan } from '../../src/rules/plan/plan.js'
import { followedEdges, traverse } from '../../src/rules/plan/traversal.js'
import type { Case, Json } from './bank.js'
import { type DatasetInput, describedDatasets, everything, targeting } from './datasets.js'

interface Input extends DatasetInput {
  readonly seeds?: Json
  /** Alternatives, where the seeds are not one object. */
  readonly identities?: readonly Json[]
  readonly policy_targets?: readonly string[]
}

type Links = Readonly<Record<string, readonly string[]>>
type Pairs = readonly (readonly [string, string])[]

interface Expected {
  readonly map?: Readonly<Record<string, { readonly from: Links; readonly to: Links }>>
  readonly terminators?: readonly string[]
  readonly must_precede?: Pairs
  readonly visit_before?: Pairs
  readonly visits?: Readonly<Record<string, readonly number[]>>
  readonly components?: readonly (readonly string[])[]
  readonly edge_present?: Pairs
  readonly edge_absent?: Pairs
  readonly reachable?: readonly string[]
  readonly parents?: Readonly<Record<string, readonly string[]>>
  readonly edges_total?: number
  readonly each_edge_used_exactly_once?: boolean
  readonly skipped?: readonly string[] | Readonly<Record<string, unknown>>
  /** Why collections are not searched. */
  readonly unsearched?: Readonly<Record<string, string>>
  /** References that nobody has given a meaning, of which rows are counted. */
  readonly open?: readonly string[]
  readonly finding?: string
  readonly error?: { readonly kind: string; readonly nodes?: readonly string[] } | null
}

/** What leads to the collections that an identity enters. */
export const root = '__ROOT__:__ROOT__'

/** The types of finding that stop a plan, by what the cases call them. */
const errorTypes: Readonly<Record<string, readonly string[]>> = {
  graph: ['unknown_dataset', 'unknown_collection'],
  ordering: ['ordering'],
}

export function checkTraversal({ input, expected }: Case<Input, Expected>): void {
  const datasets = describedDatasets(input)
  const properties = (input.identities ?? [input.seeds ?? {}]).map((object) => Object.keys(object))
  const targets = input.policy_targets ? targeting(input.policy_targets) : everything
  const plan = accessPlan({ datasets, identities: properties, targets })
  checkErrors(plan, expected)
  checkSkipped(plan, expected)
  if (expected.open) expect([...new Set(plan.open.map(({ name }) => name))].sort()).toEqual(expected.open)

  const walk = walked(datasets, properties)
  const { order, links } = walk
  if (expected.map) expect(mapOf(links)).toEqual(expectedMap(expected.map))
  if (expected.terminators) {
    const parents = new Set(links.map(({ from }) => from))
    const terminators = order.filter((address) => !parents.has(address))
    expect(terminators.sort()).toEqual([...expected.terminators].sort())
  }
  if (expected.reachable) expect([...order].sort()).toEqual([...expected.reachable].sort())
  for (const [address, parents] of Object.entries(expected.parents ?? {})) {
    const found = new Set(links.filter(({ to }) => to === address).map(({ from }) => from))
    expect([...found].sort(), `parents of ${address}`).toEqual([...parents].sort())
  }
  const joined = new Set(links.map(({ from, to }) => `${from} -> ${to}`))
  for (const [from, to] of expected.edge_present ?? []) expect(joined).toContain(`${from} -> ${to}`)
  for (const [from, to] of expected.edge_absent ?? []) expect(joined).not.toContain(`${from} -> ${to}`)
  if (expected.edges_total !== undefined) expect(walk.joined.size).toBe(expected.edges_total)
  if (expected.each_edge_used_exactly_once) {
    expect([...walk.joined].filter((pair) => walk.waysOver(pair) !== 1)).toEqual([])
  }
  for (const [address, positions] of Object.entries(expected.visits ?? {})) {
    expect(positions, `position of ${address}`).toContain(order.indexOf(address) + 1)
  }
  for (const [before, later] of expected.visit_before ?? []) {
    expect(order.indexOf(before), `${before} is visited before ${later}`).toBeLessThan(order.indexOf(later))
  }
  for (const pair of [...(expected.must_precede ?? []), ...(expected.visit_before ?? [])]) {
    expect(runsBefore(plan, ...pair), `${pair[0]} ends before ${pair[1]} starts`).toBe(true)
  }
  for (const members of expected.components ?? []) {
    const groups = plan.components.map((component) => [...component.members].sort())
    expect(groups).toContainEqual([...members].sort())
  }
  const text = JSON.stringify(links)
  for (let seed = 1; seed <= 100; seed++) {
    expect(JSON.stringify(walked(shuffled(datasets, seed), properties).links), `shuffle ${seed}`).toBe(text)
  }
}

function checkErrors(plan: Plan, { error }: Expected): void {
  const errors = plan.findings.filter((finding) => finding.severity === 'error')
  if (!error) {
    expect(errors).toEqual([])
    return
  }
  const types = errorTypes[error.kind] ?? [error.kind]
  const fitting = errors.filter((finding) => types.includes(finding.type))
  expect(fitting, `an error of kind ${error.kind}`).not.toEqual([])
  const named = fitting.map(namesOf).join(' ')
  for (const address of error.nodes ?? []) expect(named).toContain(address)
}

function checkSkipped(plan: Plan, expected: Expected): void {
  const unsearched = new Map(plan.unsearched.map(({ address, reason }) => [address, reason]))
  for (const address of skippedOf(expected)) expect(unsearched.has(address), `${address} is not searched`).toBe(true)
  for (const [address, reason] of Object.entries(expected.unsearched ?? {})) {
    expect(unsearched.get(address), address).toBe(reason)
  }
  if (expected.finding === undefined) return
  const [field = '', target = ''] = expected.finding.split(' -> ').map((place) => place.replace('.', ':'))
  const messages = plan.findings.map((finding) => finding.message)
  expect(messages.filter((message) => message.includes(field) && message.includes(target))).toHaveLength(1)
}

const skippedOf = ({ skipped = [] }: Expected): readonly string[] =>
  Array.isArray(skipped) ? skipped : Object.keys(skipped)

const namesOf = ({ loc, message }: Finding) => `${loc.join(':')} ${message}`

interface Connected {
  readonly from: string
  readonly to: string
  readonly fields: string
}

/** What leads where, in the words of the cases, identities included. */
export function walked(datasets: readonly DescribedDataset[], properties: readonly (readonly string[])[]) {
  const graph = datasetGraph(datasets)
  const { entries, fields } = identityEntries(graph, properties)
  const searchable = (address: string) => graph.nodes.get(address)?.unavailable === undefined
  const all = followedEdges(ownership(graph, { identities: fields }))
  const entered = new Set([...entries.keys()].filter(searchable))
  const { order, directedEdges } = traverse(graph, all, entered, searchable)
  const links: Connected[] = directedEdges.flatMap(({ from, to, parts }) =>
    parts.map((part) => ({ from, to, fields: `${part.from} -> ${part.to}` })),
  )
  for (const [to, list] of entries) {
    if (!searchable(to)) continue
    for (const { property, field } of list) links.push({ from: root, to, fields: `${property} -> ${field}` })
  }
  const distinct = new Map(links.map((link) => [JSON.stringify(link), link]))
  const sorted = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, link]) => link)
  const pairOf = (ends: readonly string[]) => [...ends].sort().join(' - ')
  const followed = directedEdges.flatMap(({ from, to, parts }) =>
    parts.map((part) => [`${from}.${part.from}`, `${to}.${part.to}`]),
  )
  const ways = new Map<string, Set<string>>()
  for (const ends of followed) {
    ways.set(pairOf(ends), (ways.get(pairOf(ends)) ?? new Set<string>()).add(ends.join(' -> ')))
  }
  return {
    order: [...order],
    links: sorted,
    /** Pairs of fields that a reference joins, one that is described at both ends once. */
    joined: new Set(
      graph.edges.flatMap(({ from, to, parts }) =>
        parts.map((part) => pairOf([`${from}.${part.from}`, `${to}.${part.to}`])),
      ),
    ),
    /** In how many of the two directions a pair is followed. */
    waysOver: (pair: string) => ways.get(pair)?.size ?? 0,
  }
}

type LinkTexts = Readonly<Record<string, readonly string[]>>

function mapOf(links: readonly Connected[]): LinkTexts {
  const map: Record<string, string[]> = {}
  for (const { from, to, fields } of links) {
    const known = map[`${from} => ${to}`]
    if (known) known.push(fields)
    else map[`${from} => ${to}`] = [fields]
  }
  for (const fields of Object.values(map)) fields.sort()
  return map
}

/** Both sides of the expected map say the same; one that does not is a mistake of the case. */
function expectedMap(map: NonNullable<Expected['map']>): LinkTexts {
  const ends = (side: 'from' | 'to') =>
    Object.fromEntries(
      Object.entries(map)
        .flatMap(([address, sides]) =>
          Object.entries(sides[side]).map(([other, fields]) => {
            const name = side === 'to' ? `${address} => ${other}` : `${other} => ${address}`
            return [name, [...fields].sort()] as const
          }),
        )
        .filter(([name]) => !name.includes('__TERMINATE__')),
    )
  expect(ends('from')).toEqual(ends('to'))
  return ends('to')
}

function runsBefore(plan: Plan, before: string, later: string): boolean {
  const at = (address: string) => plan.components.findIndex(({ members }) => members.includes(address))
  const target = at(before)
  const seen = new Set<number>()
  const queue = [at(later)]
  for (let index = queue.pop(); index !== undefined; index = queue.pop()) {
    const component = plan.components[index]
    for (const each of [...(component?.needs ?? []), ...(component?.after ?? [])]) {
      if (each === target) return true
      if (!seen.has(each)) queue.push(each)
      seen.add(each)
    }
  }
  return false
}

function shuffled(datasets: readonly DescribedDataset[], seed: number): DescribedDataset[] {
  let state = seed
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const shuffle = <Item>(items: readonly Item[]): Item[] => {
    const result = [...items]
    for (let at = result.length - 1; at > 0; at--) {
      const other = random(at + 1)
      const held = result[at] as Item
      result[at] = result[other] as Item
      result[other] = held
    }
    return result
  }
  return shuffle(datasets).map((each) => ({
    ...each,
    dataset: { ...each.dataset, collections: shuffle(each.dataset.collections) },
  }))
}
