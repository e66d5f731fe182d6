import { liveFindings } from '../findings/live-findings.js'
import type { CollectionNode } from '../plan/collection-node.js'
import { keysAlone, proposedBy, undescribedTables } from '../plan/coverage.js'
import type { DatasetGraph, DescribedDataset } from '../plan/dataset-graph.js'
import { describedOwnershipByPieces, type OwnershipInferences } from '../plan/described-ownership.js'
import { edgesAt } from '../plan/graph-index.js'
import { isOwnedByNobody } from '../plan/ownership.js'
import { seenCollection } from '../plan/seen-collection.js'
import { uncategorised } from '../plan/uncategorised.js'
import { unreferencedKeys } from '../plan/unreferenced-keys.js'
import { columnGaps } from './column-gaps.js'
import type { DescriptionGap } from './description-gap.js'
import { directIdentifier } from './direct-identifiers.js'
import { livePaths } from './live-paths.js'
import { expiredGaps, reviewedGaps, skippedGaps } from './reason-gaps.js'
import { tableGaps } from './table-gaps.js'

export interface GapsInput extends OwnershipInferences {
  readonly described: readonly DescribedDataset[]
  /** The day of today, such as 2030-12-31. */
  readonly today: string
}

/** Holds descriptions against their live catalogues, yielding after each piece. In the order of datasets and tables. */
export function* descriptionGaps({ described, today, ...inferences }: GapsInput): Generator<void, DescriptionGap[]> {
  const ownership = yield* describedOwnershipByPieces(described, inferences)
  yield
  const { graph, owners } = ownership
  const nodes = [...graph.nodes.values()]
  const databases = undescribedTables(described, nodes)
  const paths = livePaths(databases, ownership)
  yield
  const leads = (address: string) => paths.of(address) !== undefined
  const proposed = proposedBy(leads, (address) => owners.people.has(address))
  const read = new Set(described.flatMap(({ dataset, catalogue }) => (catalogue ? dataset.service_key : [])))
  const isKeyAlone = keysAlone(unreferencedKeys(graph, owners))
  yield
  const gaps: DescriptionGap[] = []
  for (const database of databases) {
    gaps.push(...tableGaps(database, paths))
    yield
  }
  for (const node of nodes) {
    const { address, dataset, live, unavailable } = node
    const path = paths.of(address)?.text
    gaps.push(...expiredGaps(node, today), ...skippedGaps(node, { path, isRead: read.has(dataset.service_key) }))
    if (unavailable !== 'skip_processing') {
      const isAsked = path === undefined ? askedOfThings(node) : () => true
      const references = undirected(graph, address, leads)
      const keys = paths.reviewed(address).flat()
      gaps.push(...reviewedGaps(node, { path, keys, references, types: typeColumns(graph, address), isAsked }))
      if (live)
        gaps.push(...columnGaps(graph, node, { path, proposed, keys: paths.undecided(address), isAsked, isKeyAlone }))
    }
    yield
  }
  const named = new Set(gaps.map((gap) => `${gap.dataset}:${gap.collection}`))
  for (const { address, dataset, collection } of uncategorised(graph, {
    isSearched: () => false,
    mayHoldRows: leads,
  })) {
    if (named.has(address)) continue
    const message = `No field of '${address}' has a data category, so no request asks for anything there: give a field a category, or waive one, or the collection, with a reason (service_meta: {waived: {reason: …}}).`
    const place = { dataset: dataset.service_key, collection: collection.name }
    gaps.push({ kind: 'category', ...place, path: paths.of(address)?.text as string, message })
  }
  for (const { type, loc, message } of liveFindings(graph, [...graph.nodes.keys()], [])) {
    if (type !== 'missing_collection' && type !== 'missing_column') continue
    const [dataset, collection, field] = loc.map(String) as [string, string, string?]
    gaps.push({ kind: 'missing', dataset, collection, ...(field !== undefined && { field }), message })
  }
  return gaps
}

/** Fields of references to rows that lead to a person, where no description says whose the rows are. */
function undirected(graph: DatasetGraph, address: string, leads: (address: string) => boolean): string[] {
  return edgesAt(graph, address).flatMap(({ from, to, direction, parts }) => {
    if (from !== address || to === address || direction !== undefined || !leads(to)) return []
    return parts.map((part) => part.from)
  })
}

/** Fields on whose value references from a collection depend: `owner_type` beside `owner_id`. */
function typeColumns(graph: DatasetGraph, address: string): string[] {
  return edgesAt(graph, address).flatMap(({ from, when }) =>
    from === address && when?.side === 'from' ? Object.keys(when.equals) : [],
  )
}

/**
 * Of a table that does not lead to a person, only columns that identify one by themselves are asked for. Where its rows
 * are said to be nobody's, described columns are decided.
 */
function askedOfThings(node: CollectionNode): (column: string) => boolean {
  const { collection, fields } = node
  const columns = new Map((seenCollection(node)?.columns ?? []).map((column) => [column.name, column]))
  return (name) => {
    const column = columns.get(name)
    if (!column || (isOwnedByNobody(node) && fields.has(name))) return false
    return directIdentifier(collection.name, column) !== undefined
  }
}
