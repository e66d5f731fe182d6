import type { Catalogue, ForeignKey, IncomingForeignKey } from '../../model/catalogue.js'
import type { ValueKind } from '../../model/value.js'
import type { CollectionNode } from './collection-node.js'
import { coversKey } from './covers-key.js'
import type { DatasetGraph } from './dataset-graph.js'
import { edgesAt } from './graph-index.js'
import { namesOf, unsearchable } from './member-searches.js'
import type { IncomingReference } from './plan.js'
import { type PlannedField, plannedConditionsOf, plannedField } from './planned-field.js'
import type { ReferenceEdge } from './reference-edges.js'
import { spelledColumns, spelledEnds, spelledFields } from './spelled-edge.js'

/**
 * All references by which other rows may refer to rows of this collection: those that any dataset declares, and live
 * foreign keys, also of undescribed tables. A duplicate appears once. References with different conditions stay apart.
 */
export function incomingReferences(
  node: CollectionNode,
  graph: DatasetGraph,
  catalogue?: Catalogue,
): IncomingReference[] {
  const found = new Map<string, readonly IncomingReference[]>()
  const wayOf = ({ connectionKey, schema, collection, fields, to }: IncomingReference) =>
    JSON.stringify([
      [connectionKey, schema ?? null, collection],
      ...fields
        .map(({ name }, at) => [name, to[at]?.name])
        .sort((a, b) => ((a[0] as string) < (b[0] as string) ? -1 : 1)),
    ])
  const conditionsOf = ({ when }: IncomingReference) => JSON.stringify(when.map(({ path, equals }) => [path, equals]))
  const note = (given: IncomingReference) => {
    const uncounted = whyUncounted(given, graph, node, catalogue)
    const reference = uncounted ? { ...given, uncounted } : given
    const way = wayOf(reference)
    const known = found.get(way) ?? []
    const isKnown = (each: IncomingReference) =>
      each.when.length === 0 || conditionsOf(each) === conditionsOf(reference)
    // A reference without a condition, such as a foreign key, includes those with conditions. Partitions may have their
    // own rules.
    if (reference.when.length === 0)
      found.set(way, [{ ...reference, ...stricter(known[0], reference), ...(known[0]?.ofOwner && { ofOwner: true }) }])
    else if (!known.some(isKnown)) found.set(way, [...known, reference])
  }
  for (const edge of graph.edges) {
    for (const forward of [true, false]) {
      if ((forward ? edge.to : edge.from) !== node.address) continue
      const parts = forward ? edge.parts : edge.parts.map(({ from, to }) => ({ from: to, to: from }))
      const from = graph.nodes.get(forward ? edge.from : edge.to) as CollectionNode
      const names = parts.map((part) => part.to)
      // A declared reference counts even if no whole key names the row: any row with the value may be meant.
      const points = forward || coversKey(node, names)
      if (from.connectionKey === undefined || !points) continue
      // A key that names one row at both ends connects a row with its own counterpart.
      if (
        edge.direction !== undefined &&
        !forward &&
        coversKey(
          from,
          parts.map((part) => part.from),
        )
      )
        continue
      const spelled = spelledEnds(from, node, parts)
      const onThisSide = edge.when && (edge.when.side === 'from') === forward
      const reference: IncomingReference = {
        address: from.address,
        connectionKey: from.connectionKey,
        collection: from.collection.name,
        fields: spelledFields(
          parts.map((part) => fieldOf(from, part.from)),
          spelled?.from,
        ),
        to: spelledFields(
          names.map((name) => fieldOf(node, name)),
          spelled?.to,
        ),
        when: onThisSide && edge.when ? plannedConditionsOf(from, edge.when.equals) : [],
        ...(forward && isLeftToOwner(from, edge, graph) && { ofOwner: true }),
      }
      note(reference)
    }
  }
  const foreignKeys: ReferencingKey[] = (catalogue?.collections ?? []).flatMap((table) =>
    table.foreignKeys
      .filter(({ references }) => references.schema === undefined && references.collection === node.live?.name)
      .map((key) => ({ ...key, collection: table.name, references: key.references.columns })),
  )
  const elsewhere: readonly ReferencingKey[] = node.live?.incomingForeignKeys ?? []
  for (const key of [...foreignKeys, ...elsewhere]) {
    const { schema, collection, columns, references, onDelete, onUpdate, behind, loose } = key
    const connectionKey = node.connectionKey as string
    const rules = { onDelete, ...(onUpdate && { onUpdate }) }
    const referencing = { connectionKey, collection, ...(schema !== undefined && { schema }), when: [], ...rules }
    if (behind) {
      note({ ...referencing, fields: [], to: [] })
      continue
    }
    const isIt = (name: string) => schema === undefined && name === collection
    const from = [...graph.nodes.values()].find(
      (each) => each.connectionKey === connectionKey && isIt(each.collection.name),
    )
    const live = catalogue?.collections.find(({ name }) => isIt(name))
    const column = (name: string) => rawField(name, live?.columns.find((each) => each.name === name)?.kind)
    const spelled = loose && spelledColumns(columns, { collection: node.collection.name, columns: references })
    const reference: IncomingReference = {
      ...(from && { address: from.address }),
      ...referencing,
      fields: spelledFields(
        columns.map((name) => (from ? exactly(fieldOf(from, name)) : column(name))),
        spelled?.from,
      ),
      to: spelledFields(
        references.map((name) => exactly(fieldOf(node, name))),
        spelled?.to,
      ),
    }
    const known = found.get(wayOf(reference))?.[0]
    note(reference.address === undefined && known?.address ? { ...reference, address: known.address } : reference)
  }
  return [...found.values()].flat()
}

/** Those whose rows may be another person's. */
export function sharing(references: readonly IncomingReference[]): readonly IncomingReference[] {
  return references.filter(({ ofOwner }) => !ofOwner)
}

/**
 * Whether nobody searches the rows that refer, and this reference alone says who owns each: the owner of the row that it
 * refers to.
 */
function isLeftToOwner(
  { address, collection, fields, unavailable }: CollectionNode,
  edge: ReferenceEdge,
  graph: DatasetGraph,
): boolean {
  if (unavailable !== 'skip_processing' || edge.direction !== 'from' || edge.when) return false
  const others = edgesAt(graph, address).some(
    (other) => other !== edge && other.from === address && other.direction !== 'to' && other.direction !== 'none',
  )
  const names = [...fields.values()].some(({ field }) => field.service_meta.identity !== undefined)
  return !others && !names && collection.service_meta.owner === undefined
}

/** Why the rows that refer cannot all be counted. */
function whyUncounted(
  reference: IncomingReference,
  graph: DatasetGraph,
  node: CollectionNode,
  catalogue: Catalogue | undefined,
): IncomingReference['uncounted'] {
  if (isHiddenFrom(reference, graph, node, catalogue)) return 'hidden'
  const from = reference.address === undefined ? undefined : graph.nodes.get(reference.address)
  const left = from ? unsearchable(from, namesOf(reference.fields), namesOf(reference.when)) : []
  if (left.length === 0) return undefined
  return from?.wholeColumns && left.some((name) => name.includes('.')) ? 'members' : 'columns'
}

/** Whether the server may hide rows that refer. */
function isHiddenFrom(
  { address, schema, collection, connectionKey }: IncomingReference,
  graph: DatasetGraph,
  node: CollectionNode,
  catalogue: Catalogue | undefined,
): boolean {
  const described = address === undefined ? undefined : graph.nodes.get(address)?.live
  if (described || schema !== undefined || connectionKey !== node.connectionKey) return described?.hidesRows === true
  return catalogue?.collections.find(({ name }) => name === collection)?.hidesRows === true
}

type ReferencingKey = Omit<IncomingForeignKey, 'name'> & Pick<ForeignKey, 'loose'>

const strictest = [undefined, 'no action', 'restrict', 'set default', 'set null', 'cascade'] as const
type Rules = Pick<IncomingReference, 'onDelete' | 'onUpdate'>

/** Of two foreign keys over the same columns, the rules that change more rows. */
function stricter(one: IncomingReference | undefined, other: IncomingReference): Rules {
  const of = (name: keyof Rules) => {
    const rule = strictest[Math.max(strictest.indexOf(one?.[name]), strictest.indexOf(other[name]))]
    return rule && { [name]: rule }
  }
  return { ...of('onDelete'), ...of('onUpdate') }
}

const carries = (rule: IncomingReference['onUpdate']) => strictest.indexOf(rule) >= strictest.indexOf('set default')

/** The live foreign keys that change other rows when one of these columns changes (ON UPDATE). */
export function keyCascadingReferences(
  node: CollectionNode,
  graph: DatasetGraph,
  catalogue: Catalogue | undefined,
  changed: ReadonlySet<string>,
): IncomingReference[] {
  const behind = new Set(
    (node.live?.incomingForeignKeys ?? [])
      .filter((key) => key.behind && key.references.some((name) => changed.has(name)))
      .map(({ collection }) => collection),
  )
  return incomingReferences(node, graph, catalogue).filter(
    ({ onUpdate, to, collection }) =>
      carries(onUpdate) && (to.some(({ name }) => changed.has(name)) || (to.length === 0 && behind.has(collection))),
  )
}

/** A foreign key compares every value, including blank ones and placeholders. */
function exactly(field: PlannedField): PlannedField {
  return { ...field, placeholders: [], caseInsensitive: false }
}

function fieldOf(node: CollectionNode, name: string): PlannedField {
  const field = node.fields.get(name)
  if (field) return plannedField(field)
  return rawField(name, node.live?.columns.find((column) => column.name === name)?.kind)
}

/** A column that no field describes. */
function rawField(name: string, kind?: ValueKind): PlannedField {
  return { name, path: [name], ...(kind && { kind }), caseInsensitive: false, placeholders: [], filteredDepth: 1 }
}
