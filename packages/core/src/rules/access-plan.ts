import {
  type CollectionNode,
  type DatasetGraph,
  type DescribedDataset,
  datasetGraph,
  type FieldNode,
} from './dataset-graph.js'
import type { ErasureTargets } from './erasure-masks.js'
import { type ErasedConnection, erasurePlan, erasureUnits } from './erasure-plan.js'
import type { Finding } from './findings.js'
import { type IdentityEntries, type IdentityOptions, identityEntries } from './identity-entries.js'
import { liveFindings } from './live-findings.js'
import type { Plan } from './plan.js'
import { planCollections } from './plan-collections.js'
import { planComponents } from './plan-components.js'
import { type Traversal, traverse } from './traversal.js'
import { unsearchedCollections } from './unsearched.js'

/** Names of the access rules that deliver a field. Pure, asked once per declared field. */
export type Targets = (node: CollectionNode, field: FieldNode) => readonly string[]

export interface AccessPlanInput {
  readonly datasets: readonly DescribedDataset[]
  /** Property names of each identity object of the request. */
  readonly identities: readonly (readonly string[])[]
  readonly targets: Targets
  /** What the policy's erasure rules ask for, where it has some. */
  readonly erasureTargets?: ErasureTargets
  readonly options?: IdentityOptions
}

/** Decides what to read, from where, in what order, and what not, before any query (§7.1–7.3). */
export function accessPlan(input: AccessPlanInput): Plan {
  const graph = datasetGraph(input.datasets)
  const identities = identityEntries(graph, input.identities, input.options)
  const searchable = (address: string) => graph.nodes.get(address)?.unavailable === undefined
  const entered = new Set([...identities.entries.keys()].filter(searchable))
  const traversal = traverse(graph, entered, searchable)
  const targeted = targetedFields(graph, input.targets)
  const lookedUp = lookedUpCollections(traversal)
  const erasing =
    input.erasureTargets &&
    erasurePlan(graph, input.erasureTargets, connectionsOf(input.datasets), lookedUp, leadingOn(traversal, lookedUp))
  const isTargeted = (address: string) => targeted.has(address) || erasing?.erasures.has(address) === true
  const confirmation = confirmationArrows(identities, searchable)
  const needed = neededCollections(traversal, confirmation, isTargeted)
  const unsearched = unsearchedCollections(graph, identities, traversal, needed, isTargeted)
  const order = traversal.order.filter((address) => needed.has(address))
  const arrows = traversal.arrows.filter((arrow) => needed.has(arrow.from) && needed.has(arrow.to))
  const { components, findings } = planComponents(order, [...arrows, ...confirmation], traversal.after)
  const writing = erasing && erasureUnits(graph, order, arrows, erasing.erasures)
  return {
    collections: planCollections(graph, order, arrows, identities, targeted, erasing),
    components,
    identities: input.identities.map((properties, object) => ({
      properties,
      confirmedBy: identities.confirmers[object] as readonly string[],
    })),
    unsearched: unsearched.collections,
    ...(writing && { erasure: writing.units }),
    findings: [
      ...graph.findings,
      ...identities.findings,
      ...traversal.findings,
      ...unsearched.findings,
      ...findings,
      ...liveFindings(graph, order, arrows),
      ...(erasing ? [...erasing.findings.filter(searched(needed)), ...restsOnGuess(identities.findings)] : []),
      ...(writing?.findings ?? []),
    ],
  }
}

/** Per collection, the names of the rules that deliver each field. */
export type Targeted = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

function targetedFields(graph: DatasetGraph, targets: Targets): Targeted {
  const result = new Map<string, Map<string, readonly string[]>>()
  for (const node of graph.nodes.values()) {
    const fields = new Map<string, readonly string[]>()
    for (const field of node.fields.values()) {
      const rules = targets(node, field)
      if (rules.length > 0) fields.set(field.name, rules)
    }
    if (fields.size > 0) result.set(node.address, fields)
  }
  return result
}

/** A collection that waits for an object to be confirmed comes after those that can confirm it. */
function confirmationArrows(identities: IdentityEntries, searchable: (address: string) => boolean) {
  const arrows: { from: string; to: string }[] = []
  for (const [to, entries] of identities.entries) {
    if (!searchable(to)) continue
    for (const entry of entries) {
      if (!entry.needsConfirmation) continue
      for (const from of identities.confirmers[entry.object] as readonly string[]) {
        if (searchable(from)) arrows.push({ from, to })
      }
    }
  }
  return arrows
}

/** Collections that rows may be looked up in: those at the end of a look-up, and whatever is followed out of these. */
function lookedUpCollections({ arrows }: Traversal): Set<string> {
  const found = new Set(arrows.flatMap((arrow) => (arrow.lookup ? [arrow.to] : [])))
  for (let size = -1; size !== found.size; ) {
    size = found.size
    for (const { from, to, undirected } of arrows) if (!undirected && found.has(from)) found.add(to)
  }
  return found
}

/** Collections of rows that are looked up, from which more is found than what these rows point to. */
function leadingOn({ arrows }: Traversal, lookedUp: ReadonlySet<string>): Set<string> {
  const leads = arrows.filter(({ from, undirected, lookup }) => lookedUp.has(from) && !undirected && !lookup)
  return new Set(leads.map(({ from }) => from))
}

/** What is targeted, and what leads to it. Nothing else is read. */
function neededCollections(
  traversal: Traversal,
  confirmation: readonly { from: string; to: string }[],
  isTargeted: (address: string) => boolean,
): Set<string> {
  const before = new Map<string, string[]>()
  for (const { from, to } of [...traversal.arrows, ...confirmation]) {
    const list = before.get(to)
    if (list) list.push(from)
    else before.set(to, [from])
  }
  const needed = new Set(traversal.order.filter(isTargeted))
  const queue = [...needed]
  for (let at = 0; at < queue.length; at++) {
    for (const from of before.get(queue[at] as string) ?? []) {
      if (needed.has(from)) continue
      needed.add(from)
      queue.push(from)
    }
  }
  return needed
}

function connectionsOf(datasets: readonly DescribedDataset[]): Map<string, ErasedConnection> {
  const found = new Map<string, ErasedConnection>()
  for (const { connection, catalogue } of datasets) {
    if (!connection) continue
    const { access = 'write', manual = false } = connection
    found.set(connection.key, { access, manual, ...(catalogue && { catalogue }) })
  }
  return found
}

/** What cannot be done where nothing is searched stands in nobody's way. */
function searched(needed: ReadonlySet<string>) {
  return ({ loc }: Finding) => needed.has(`${loc[0]}:${loc[1]}`)
}

/** An erasure must not rest on a guess about who is meant (§3). */
function restsOnGuess(findings: readonly Finding[]): Finding[] {
  return findings
    .filter(({ type }) => type === 'identity_inferred')
    .map((finding) => ({
      ...finding,
      type: 'erasure_rests_on_guess',
      severity: 'error',
      message: `${finding.message} Nothing is erased until it is declared.`,
    }))
}
