import type { CoverageGaps } from '../../model/coverage-gaps.js'
import { type ErasedConnection, erasurePlan, erasureUnits } from '../erase/erasure-plan.js'
import type { ErasureTargets } from '../erase/field-decisions.js'
import type { Finding } from '../findings/finding.js'
import { liveFindings } from '../findings/live-findings.js'
import { uncoveredTypes } from '../findings/reference-findings.js'
import type { CollectionNode } from './collection-node.js'
import { type Coverage, coverageFindings } from './coverage.js'
import type { DatasetGraph, DescribedDataset } from './dataset-graph.js'
import { doubtfulMembers, namingMembers } from './doubtful-members.js'
import type { IdentityEntries, IdentityOptions } from './identity-entries.js'
import { searchFindings, uncountedFindings } from './member-searches.js'
import { confirmingCollections, countedBy, neededCollections } from './needed-collections.js'
import { openReferences } from './open-references.js'
import { isOwnedByNobody } from './ownership.js'
import { partDoubts, withoutDoubts } from './part-doubts.js'
import { partitionFilters } from './partition-filters.js'
import type { Plan } from './plan.js'
import { planCollections } from './plan-collections.js'
import { planComponents } from './plan-components.js'
import type { PlannedOpenEdge } from './plan-draft.js'
import { plannedDoubts } from './planned-doubts.js'
import { possiblyShared } from './possibly-shared.js'
import { searchGraph } from './search-graph.js'
import type { Targeted, TargetedField, Targets } from './targeted.js'
import type { Traversal, Way } from './traversal.js'
import { unreferencedKeys } from './unreferenced-keys.js'
import { unsearchedCollections } from './unsearched-collections.js'

export interface PlanOptions extends IdentityOptions {
  /** False: every reference without a described direction is open. */
  readonly inferOwners?: boolean
}

export interface AccessPlanInput {
  readonly datasets: readonly DescribedDataset[]
  /** The property names of each identity object of the request. */
  readonly identities: readonly (readonly string[])[]
  readonly targets: Targets
  /** The targets of the policy's erasure rules, if it has any. */
  readonly erasureTargets?: ErasureTargets | undefined
  readonly options?: PlanOptions
}

/** Decides before any query who owns which rows, what to read, in which order, and what not to read. */
export function accessPlan(input: AccessPlanInput): Plan {
  const { graph, identities, owners, all, traversal, memberSearches } = searchGraph(input.datasets, input.identities, {
    ...input.options,
    erases: input.erasureTargets !== undefined,
  })
  const unreferenced = unreferencedKeys(graph, owners)
  const doubtful = doubtfulMembers(graph, owners, identities, unreferenced)
  const doubts = partDoubts(doubtful)
  const targeted = targetedFields(graph, input.targets)
  const { pointedTo, withoutErasure } = possiblyShared(traversal, identities)
  const connections = connectionsOf(input.datasets)
  const erasing =
    input.erasureTargets &&
    erasurePlan(graph, input.erasureTargets, connections, {
      pointedTo,
      owned: owners.owned,
      doubts,
      withoutErasure,
    })
  // Rows that belong to nobody are not the person's, even if the policy asks for them.
  const isTargeted = (address: string) =>
    (targeted.has(address) || erasing?.erasures.has(address) === true) &&
    !isOwnedByNobody(graph.nodes.get(address) as CollectionNode)
  const found = openReferences(graph, { ownership: owners, directedEdges: all, traversal, identities, isTargeted })
  const guards = judgingEdges(identities, traversal, found)
  const leads = [...traversal.directedEdges, ...guards]
  const counting = erasing
    ? countedBy(erasing, connections).filter(({ to }) => pointedTo.has(to) && isTargeted(to))
    : []
  const seeds = [...found.map(({ planned }) => planned.by), ...counting.map(({ from }) => from)]
  const needed = neededCollections(traversal, leads, seeds, isTargeted, (some) =>
    confirmingCollections(identities, some),
  )
  const counted = new Set(found.map(({ planned }) => planned.address))
  const unsearched = unsearchedCollections(graph, identities, traversal, {
    directedEdges: all,
    needed,
    counted,
    isTargeted,
  })
  const order = traversal.order.filter((address) => needed.has(address))
  const directedEdges = traversal.directedEdges.filter(
    (directedEdge) => needed.has(directedEdge.from) && needed.has(directedEdge.to),
  )
  const { components, findings } = planComponents(order, [...directedEdges, ...guards], traversal.after)
  const coverage = coverageFindings(graph, {
    unreferenced: [...unreferenced, ...namingMembers(doubtful)],
    datasets: input.datasets,
    isSearched: (address) => needed.has(address),
    isOwned: (address) => owners.owned.has(address),
    holdsPeople: (address) => owners.people.has(address),
    erases: (address) => erasing?.erasures.has(address) === true,
    isErased: (address, field) =>
      erasing?.erasures.get(address)?.targeted.some((path) => path.join('.') === field) === true,
  })
  const writing = erasing && erasureUnits(graph, order, directedEdges, erasing.erasures)
  const live = liveFindings(
    graph,
    order,
    graph.edges.filter((edge) => needed.has(edge.from) || needed.has(edge.to)),
  )
  const collections = planCollections({
    graph,
    order,
    directedEdges,
    identities,
    targeted: withoutDoubts(targeted, doubts),
    erasing,
    ownership: owners,
    open: found,
    unreferenced,
    doubts: plannedDoubts(doubtful, input, erasing),
  })
  const open = found.map(({ planned }) => planned)
  const { filters, filtered, findings: ofFilters } = partitionFilters(graph, { collections, open })
  const told = (finding: Finding) => (erasing ? stopping(finding) : finding)
  return {
    collections,
    components,
    identities: identities.objects.map(({ properties, alone, confirmers, unconfirmable }) => ({
      properties,
      alone,
      confirmedBy: confirmers,
      unconfirmable,
    })),
    unsearched,
    open,
    ...(filters.length > 0 && { filters }),
    coverage: { ...coverageNames(coverage), ...(filtered.length > 0 && { filtered }) },
    ...(writing && { erasure: writing.units }),
    findings: [
      ...graph.findings,
      ...owners.findings,
      ...searchFindings(memberSearches),
      ...uncoveredTypes(graph).filter(searched(needed)),
      ...uncountedFindings(graph, { collections, open }),
      ...coverage.findings,
      ...identities.findings.map(told),
      ...traversal.findings,
      ...findings,
      ...live.map(told),
      ...ofFilters,
      ...(erasing?.findings.filter(searched(needed)) ?? []),
      ...(writing?.findings ?? []),
      ...(erasing && unsearched.every(({ targeted }) => !targeted) ? nothingSearched(graph, input.datasets) : []),
    ],
  }
}

/** An erasure that searches nothing at all must not look like one that found nothing. */
function nothingSearched({ nodes }: DatasetGraph, datasets: readonly DescribedDataset[]): Finding[] {
  const connected = datasets.find(({ connection }) => connection !== undefined)
  const isMeant = (node: CollectionNode) => node.unavailable !== 'skip_processing' && !isOwnedByNobody(node)
  const meant = [...nodes.values()].filter(isMeant)
  if (!connected || (meant.length === 0 && nodes.size > 0) || meant.some(({ missing }) => !missing)) return []
  const message =
    "No described collection can be searched, so nothing could be found or erased: describe where the person's data lies, or correct the names of what is described."
  return [{ type: 'nothing_searched', severity: 'error', loc: [connected.dataset.service_key], message }]
}

/** The names of everything left out, by kind. Empty kinds are absent. */
function coverageNames({
  columns,
  tables,
  references,
  histories,
  hidden,
  unmasked,
  collections,
}: Coverage): CoverageGaps {
  const names = {
    columns: columns.map(({ address, column }) => `${address}.${column}`),
    tables: tables.map(({ dataset, table }) => `${dataset}:${table}`),
    references: references.map(({ node, field }) => `${node.address}.${field}`),
    histories: histories.map(({ dataset, table }) => `${dataset}:${table}`),
    hidden,
    unmasked: unmasked.map(({ address, field }) => `${address}.${field}`),
    collections,
  }
  return Object.fromEntries(Object.entries(names).filter(([, list]) => list.length > 0))
}

function targetedFields(graph: DatasetGraph, targets: Targets): Targeted {
  const result = new Map<string, readonly TargetedField[]>()
  for (const node of graph.nodes.values()) {
    const targeted: TargetedField[] = []
    for (const field of node.fields.values()) {
      const rules = targets(node, field)
      if (rules.length > 0) targeted.push({ field, rules })
    }
    if (targeted.length > 0) result.set(node.address, targeted)
  }
  return result
}

/**
 * Edges that make a collection wait for others that no reference leads from, because its rows are judged by what those
 * find.
 */
function judgingEdges(
  { entries, fields }: IdentityEntries,
  { order, directedEdges }: Traversal,
  open: readonly PlannedOpenEdge[],
): Way[] {
  const searched = new Set(order)
  const pointedTo = new Set(directedEdges.flatMap(({ kind, to }) => (kind === 'part' ? [to] : [])))
  const ways: Way[] = []
  // By an open reference, a row with the person's identity, or a row that the person's rows refer to, may belong to
  // somebody else.
  for (const { planned, edge } of open) {
    const isJudged = searched.has(edge.from) && (fields.has(edge.from) || pointedTo.has(edge.from))
    if (planned.kind === 'reference' && edge.from !== edge.to && isJudged) ways.push({ from: edge.to, to: edge.from })
  }
  // Rows found by one identity may reveal further identities of the person.
  const asked = new Set([...entries.values()].flatMap((all) => all.map(({ property }) => property)))
  const identified = order.filter((address) => entries.has(address))
  for (const [to, byProperty] of fields) {
    if (!searched.has(to) || entries.has(to)) continue
    const lacking = [...byProperty.keys()].filter((property) => !asked.has(property))
    for (const from of identified)
      if (lacking.some((property) => fields.get(from)?.has(property))) ways.push({ from, to })
  }
  return ways
}

function connectionsOf(datasets: readonly DescribedDataset[]): Map<string, ErasedConnection> {
  const found = new Map<string, ErasedConnection>()
  for (const { connection, catalogue } of datasets) {
    if (!connection) continue
    const { access = 'write', manual = false, writeLimits = [] } = connection
    found.set(connection.key, { access, manual, writeLimits, ...(catalogue && { catalogue }) })
  }
  return found
}

/** A problem in a collection that is not searched does not stop an erasure. */
function searched(needed: ReadonlySet<string>) {
  return ({ loc }: Finding) => needed.has(`${loc[0]}:${loc[1]}`)
}

/**
 * An erasure must not depend on a guess about the person, and must not skip a column that is described as an identity, nor
 * a member that is described as a column.
 */
function stopping(finding: Finding): Finding {
  const { type, message } = finding
  if (type === 'identity_inferred' || type === 'identity_doubted') {
    const why = `${message} Nothing is erased until it is declared.`
    return { ...finding, type: 'erasure_rests_on_guess', severity: 'error', message: why }
  }
  if (type !== 'unsearchable_identity' && type !== 'dotted_field') return finding
  return { ...finding, severity: 'error', message: `${message} Nothing is erased until then.` }
}
