import { resolveAddress } from '../../model/address.js'
import type { Catalogue } from '../../model/catalogue.js'
import { type WriteLimit, writeLimits } from '../../model/collection-result.js'
import type { Finding } from '../findings/finding.js'
import type { CollectionNode } from '../plan/collection-node.js'
import type { DatasetGraph } from '../plan/dataset-graph.js'
import { incomingReferences, keyCascadingReferences } from '../plan/incoming-references.js'
import { keptElsewhere } from '../plan/kept-elsewhere.js'
import type { PartDoubts } from '../plan/part-doubts.js'
import type {
  ErasureUnit,
  FieldRetention,
  IncomingReference,
  KeyColumnName,
  PlannedErasure,
  PlannedMask,
} from '../plan/plan.js'
import type { PlannedField } from '../plan/planned-field.js'
import type { PossiblyShared } from '../plan/possibly-shared.js'
import { isSpelled } from '../plan/spelled-column.js'
import type { DirectedEdge } from '../plan/traversal.js'
import { erasureOrder, type WriteEdge } from './erasure-order.js'
import { deletesUntargeted, type ErasureTargets, fieldDecisions } from './field-decisions.js'
import { keyFindings, keyOf, rewrittenKey } from './row-key.js'
import { viewsAndTables } from './views-and-tables.js'
import { writeFindings } from './write-findings.js'

/** The known properties of the connection of a collection. */
export interface ErasedConnection {
  readonly access: 'read' | 'write'
  readonly manual?: boolean
  readonly writeLimits?: readonly WriteLimit[]
  readonly catalogue?: Catalogue
}

/** The additions of an erasure to the plan of an access: what becomes of fields, and what must be read for that. */
export interface ErasurePlan {
  readonly erasures: ReadonlyMap<string, PlannedErasure>
  /** By collection, the fields and columns to read for the erasure, each with its purpose. */
  readonly reads: ReadonlyMap<string, ReadonlyMap<string, 'erasure' | 'key' | 'reference'>>
  /** Collections whose found rows are stored until everything is written. */
  readonly kept: ReadonlySet<string>
  /** For collections without anything to erase: the references to their rows. Dependents of a shared row stay. */
  readonly sharedBy: ReadonlyMap<string, readonly IncomingReference[]>
  readonly findings: readonly Finding[]
}

/**
 * Decides what becomes of each collection that erasure rules ask for, before any row is read (see docs/semantics.md,
 * 'What is erased').
 */
export function erasurePlan(
  graph: DatasetGraph,
  targets: ErasureTargets,
  connections: ReadonlyMap<string, ErasedConnection>,
  sharing: PossiblyShared & {
    /** Collections whose rows may have an owner. */
    readonly owned: ReadonlySet<string>
    /** Parts of rows of which nobody has said whose they are. */
    readonly doubts?: PartDoubts
  },
): ErasurePlan {
  const { pointedTo, withoutErasure, owned, doubts } = sharing
  const erasures = new Map<string, PlannedErasure>()
  const reads = new Map<string, Map<string, 'erasure' | 'key' | 'reference'>>()
  const kept = new Set<string>()
  const sharedBy = new Map<string, readonly IncomingReference[]>()
  const findings: Finding[] = []
  const references = referenceFields(graph, connections)
  const read = (address: string, name: string, reason: 'erasure' | 'key' | 'reference') => {
    const names = reads.get(address) ?? new Map<string, 'erasure' | 'key' | 'reference'>()
    reads.set(address, names)
    if (!names.has(name)) names.set(name, reason)
  }
  const readField = (address: string, { name, path: [column] }: PlannedField, reason: 'key' | 'reference') => {
    read(address, name, reason)
    if (isSpelled(column)) read(address, column as string, reason)
  }
  /**
   * Notes what to read and keep so that rows of the person and of others that refer to a collection can be told apart.
   */
  const countReferencing = (address: string, pointedToBy: readonly IncomingReference[]) => {
    for (const reference of pointedToBy) {
      for (const field of reference.to) readField(address, field, 'key')
      if (reference.address === undefined) continue
      kept.add(reference.address)
      for (const field of reference.fields) readField(reference.address, field, 'reference')
      for (const { path } of reference.when) read(reference.address, path.join('.'), 'reference')
    }
  }
  // A name alone does not count for rows that belong to nobody, or for a view of other tables.
  const asked: ErasureTargets = (node, field) => {
    const target = targets(node, field)
    const counts = owned.has(node.address) && node.unavailable !== 'skip_processing'
    return target?.inferred && !counts ? undefined : target
  }
  for (const node of graph.nodes.values()) {
    const decisions = fieldDecisions(node, asked, references.get(node.address) ?? noReferences, (path) =>
      doubts?.over(node.address, path),
    )
    const connection = node.connectionKey === undefined ? undefined : connections.get(node.connectionKey)
    const all = owned.has(node.address) && deletesUntargeted(node, decisions, asked)
    if (!all && decisions.targeted.length === 0 && decisions.retained.length === 0) {
      const counts = withoutErasure.get(node.address)
      if (counts === undefined) continue
      const referencing = counts ? incomingReferences(node, graph, connection?.catalogue) : []
      sharedBy.set(node.address, referencing)
      kept.add(node.address)
      countReferencing(node.address, referencing)
      continue
    }
    const { names, keySource } = keyOf(node)
    const key = names.map((name): KeyColumnName => {
      const kind = node.fields.get(name)?.kind ?? node.live?.columns.find((column) => column.name === name)?.kind
      return { column: name, ...(kind && { kind }) }
    })
    const { retain, on_shared: onShared, erase } = node.collection.service_meta
    const how = (erase ?? (decisions.deletes ? 'delete' : 'mask')) === 'delete' ? 'delete' : 'mask'
    const keeps: readonly FieldRetention[] =
      how === 'delete'
        ? [...decisions.keeps, ...(doubts?.parts(node.address) ?? []).map((path) => ({ path }))]
        : decisions.keeps
    // Own rows that are only masked need no check of the rows that refer to them.
    const shareable = how === 'delete' || pointedTo.has(node.address)
    const pointedToBy = shareable ? incomingReferences(node, graph, connection?.catalogue) : []
    const masked = new Set(decisions.masks.map(({ path }) => path[0] as string))
    const cascadedBy = keyCascadingReferences(node, graph, connection?.catalogue, masked)
    const generated = (node.live?.columns ?? []).flatMap(({ name, generated }) => (generated ? name : []))
    const rewritten = (node.live?.columns ?? []).flatMap(({ name, rewritten }) => (rewritten ? name : []))
    erasures.set(node.address, {
      how,
      key,
      keySource,
      masks: decisions.masks,
      retained: decisions.retained,
      ...(retain && { retain }),
      keeps,
      targeted: decisions.targeted,
      ...(all && { all: true as const }),
      onShared,
      ...(connection?.access === 'read' && { readOnly: true as const }),
      ...(node.live?.view && { view: true as const }),
      ...(generated.length > 0 && { generated }),
      ...(rewritten.length > 0 && { rewritten }),
      ...limitsOf(connection?.writeLimits, node.live?.writeLimits),
      ...keptElsewhere(node, connection?.catalogue),
      ...(connection?.manual && { byHand: true as const }),
      pointedToBy,
      ...(how === 'delete' && node.live?.referencedBy !== undefined && { referencedBy: node.live.referencedBy }),
      ...(cascadedBy.length > 0 && { cascadedBy }),
      ...(how === 'delete' && decisions.impossible.length > 0 && { instead: decisions.impossible }),
    })
    const mayGo = !retain || retain.until !== undefined
    if (mayGo) findings.push(...decisions.sealed)
    // A field that is deleted or kept with its row need not be writable.
    if (mayGo && how === 'mask') findings.push(...decisions.impossible)
    findings.push(...decisions.masks.flatMap((mask) => guessFinding(node, mask)))
    if (mayGo && !connection?.manual && (how === 'delete' || decisions.masks.length > 0))
      findings.push(...writeFindings(node, how))
    // A person who erases by hand tells rows apart by their locators.
    if (!connection?.manual) findings.push(...keyFindings(node, { names, keySource }))
    if (mayGo && how === 'mask' && decisions.masks.length > 0) findings.push(...rewrittenKey(node, names))
    kept.add(node.address)
    for (const name of names) read(node.address, name, 'key')
    for (const { field } of decisions.masks) read(node.address, field, 'erasure')
    for (const path of [...decisions.targeted, ...keeps.map((kept) => kept.path)])
      read(node.address, path.join('.'), 'erasure')
    const timed = [retain, ...decisions.masks.map((mask) => mask.retain), ...keeps.map((kept) => kept.retain)]
    for (const each of timed) {
      if (typeof each?.until === 'object') read(node.address, each.until.after, 'erasure')
    }
    countReferencing(node.address, [...pointedToBy, ...cascadedBy])
  }
  return { erasures, reads, kept, sharedBy, findings }
}

/** A person should know that the field is erased although the description does not say what it holds. */
function guessFinding({ address, dataset, collection }: CollectionNode, mask: PlannedMask): Finding[] {
  if (!mask.inferred) return []
  const message = `'${address}.${mask.field}' has no data category and is named like credentials, so it is erased as '${mask.dataCategories[0]}': give it that category, or say 'reviewed' on the field if it holds no credentials.`
  const loc = [dataset.service_key, collection.name, mask.field]
  return [{ type: 'credentials_inferred', severity: 'info', loc, message }]
}

/** The order of writing among the searched collections, and what contradicts it. */
export function erasureUnits(
  graph: DatasetGraph,
  order: readonly string[],
  directedEdges: readonly DirectedEdge[],
  erasures: ReadonlyMap<string, PlannedErasure>,
): { units: ErasureUnit[]; findings: Finding[] } {
  const datasets = new Set([...graph.nodes.values()].map((node) => node.dataset.service_key))
  const reached = directedEdges.map(({ from, to }): WriteEdge => ({ first: to, next: from }))
  const demanded: WriteEdge[] = []
  const findings: Finding[] = []
  for (const address of order) {
    const node = graph.nodes.get(address) as CollectionNode
    for (const text of node.collection.service_meta.erase_after) {
      const first = resolveAddress(text, datasets)
      if (first !== undefined && graph.nodes.has(first)) demanded.push({ first, next: address })
      else {
        findings.push({
          type: 'unknown_after',
          severity: 'warning',
          loc: [node.dataset.service_key, node.collection.name, 'erase_after'],
          message: `'${address}' is to be erased after '${text}', which is not described: this order has no effect until it is.`,
        })
      }
    }
    const erasure = erasures.get(address)
    if (erasure?.how !== 'delete') continue
    for (const { address: first, onDelete } of erasure.pointedToBy) {
      if (first !== undefined && onDelete !== undefined) demanded.push({ first, next: address })
    }
  }
  const shown = viewsAndTables(graph, order, erasures, demanded)
  demanded.push(...shown.edges)
  const { units, findings: impossible } = erasureOrder(order, reached, demanded)
  return { units, findings: [...findings, ...shown.findings, ...impossible] }
}

const noReferences = { to: new Set<string>(), from: new Set<string>() }

/**
 * By collection, the fields that references lead to, and the fields that refer or hold a condition. Both declared
 * references and live foreign keys count. A field may be in both sets.
 */
export function referenceFields(graph: DatasetGraph, connections: ReadonlyMap<string, ErasedConnection>) {
  const found = new Map<string, { to: Set<string>; from: Set<string> }>()
  const of = (address: string) => {
    const known = found.get(address) ?? { to: new Set<string>(), from: new Set<string>() }
    found.set(address, known)
    return known
  }
  const byTable = new Map<string, CollectionNode>()
  for (const node of graph.nodes.values()) {
    const { address, live, connectionKey } = node
    for (const { name, field } of node.fields.values()) {
      if (field.service_meta.references.length > 0) of(address).from.add(name)
    }
    for (const { columns } of live?.foreignKeys ?? []) for (const column of columns) of(address).from.add(column)
    for (const { references } of live?.incomingForeignKeys ?? [])
      for (const name of references) of(address).to.add(name)
    byTable.set(`${connectionKey} ${node.collection.name}`, node)
  }
  for (const [key, { catalogue }] of connections) {
    for (const { references } of (catalogue?.collections ?? []).flatMap(({ foreignKeys }) => foreignKeys)) {
      const target = references.schema === undefined && byTable.get(`${key} ${references.collection}`)
      if (target) for (const name of references.columns) of(target.address).to.add(name)
    }
  }
  for (const edge of graph.edges) {
    const [from, to] = [graph.nodes.get(edge.from), graph.nodes.get(edge.to)] as [CollectionNode, CollectionNode]
    // A change of the value would change the meaning of the reference.
    for (const name of Object.keys(edge.when?.equals ?? {}))
      of(edge.when?.side === 'to' ? edge.to : edge.from).from.add(name)
    for (const part of edge.parts) {
      if (refers(from, part.from, to, part.to)) of(edge.to).to.add(part.to)
      if (refers(to, part.to, from, part.from)) of(edge.from).to.add(part.from)
    }
  }
  return found
}

/** Whether a field itself declares the reference to another. */
function refers(node: CollectionNode, name: string, other: CollectionNode, field: string): boolean {
  const references = node.fields.get(name)?.field.service_meta.references ?? []
  const target = `${other.collection.name}.${field}`
  return references.some((each) => each.dataset === other.dataset.service_key && each.field === target)
}

/** What the database lacks to protect the writes, and what this table lacks beside. */
function limitsOf(
  all: readonly WriteLimit[] = [],
  own: readonly WriteLimit[] = [],
): Pick<PlannedErasure, 'writeLimits'> {
  const limits = writeLimits.filter((limit) => all.includes(limit) || own.includes(limit))
  return limits.length === 0 ? {} : { writeLimits: limits }
}
