import { formatAddress, resolveReference } from '../model/address.js'
import type { Catalogue, CatalogueCollection } from '../model/catalogue.js'
import type { Collection, Dataset, Field } from '../model/dataset.js'
import { parseDataType } from '../model/dataset.js'
import type { ValueKind } from '../model/value.js'
import { declaredFields } from './declared-categories.js'
import type { Finding } from './findings.js'

/** A dataset with what is known of the database behind it. */
export interface DescribedDataset {
  readonly dataset: Dataset
  readonly connection?: { readonly key: string; readonly disabled: boolean }
  readonly catalogue?: Catalogue
}

/** Why a described collection cannot be searched at all, whatever the request. */
export type Unavailable = 'no connection' | 'disabled' | 'skip_processing'

export interface FieldNode {
  /** Dotted path. */
  readonly name: string
  readonly path: readonly string[]
  readonly field: Field
  readonly kind?: ValueKind
  /** True when a list may stand anywhere on the path. */
  readonly array: boolean
  /** Arrays up to this segment of the path are filtered; `return_all_elements` leaves alone those from where it stands. */
  readonly filteredDepth: number
  readonly categories: readonly string[]
  readonly ownCategories: readonly string[]
  readonly qualifiers: readonly string[]
}

export interface CollectionNode {
  readonly address: string
  readonly dataset: Dataset
  readonly collection: Collection
  readonly connectionKey?: string
  readonly unavailable?: Unavailable
  readonly live?: CatalogueCollection
  /** The live catalogue is known and holds no such collection. */
  readonly missing: boolean
  readonly fields: ReadonlyMap<string, FieldNode>
  /** Every set of fields that names one row at most. */
  readonly keys: readonly (readonly string[])[]
}

/** Ends are `from` → `to`; an undirected edge has its ends sorted. */
export interface ReferenceEdge {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly parts: readonly { readonly from: string; readonly to: string }[]
  readonly directed: boolean
  /** Equalities on the collection that declares the reference. */
  readonly when?: { readonly side: 'from' | 'to'; readonly equals: Readonly<Record<string, string | number | boolean>> }
}

export interface DatasetGraph {
  readonly nodes: ReadonlyMap<string, CollectionNode>
  readonly edges: readonly ReferenceEdge[]
  readonly findings: readonly Finding[]
}

const kindOfDataType: Record<string, ValueKind> = {
  string: 'string',
  integer: 'integer',
  float: 'float',
  boolean: 'boolean',
  object_id: 'object_id',
  object: 'object',
}

/**
 * Collections as nodes, references as edges (§3, §7.1). A reference to something unknown is a finding of severity
 * `error` and no edge: a plan that meets one refuses.
 */
export function datasetGraph(described: readonly DescribedDataset[]): DatasetGraph {
  const nodes = new Map<string, CollectionNode>()
  for (const source of described) {
    const live = new Map(source.catalogue?.collections.map((collection) => [collection.name, collection]))
    for (const collection of source.dataset.collections) {
      const node = collectionNode(source, collection, live.get(collection.name))
      nodes.set(node.address, node)
    }
  }
  const { edges, findings } = referenceEdges(described, nodes)
  return { nodes, edges, findings }
}

function collectionNode(source: DescribedDataset, collection: Collection, live?: CatalogueCollection): CollectionNode {
  const columns = new Map(live?.columns.map((column) => [column.name, column]))
  const fields = new Map<string, FieldNode>()
  for (const declared of declaredFields(source.dataset, collection)) {
    const { field, path, ancestors } = declared
    const column = path.length === 1 ? columns.get(path[0] as string) : undefined
    const dataType = parseDataType(field.service_meta.data_type)
    const kind = column ? column.kind : dataType.type === undefined ? undefined : kindOfDataType[dataType.type]
    const all = [...ancestors, field].findIndex((each) => each.service_meta.return_all_elements)
    fields.set(path.join('.'), {
      name: path.join('.'),
      path,
      field,
      ...(kind && { kind }),
      array:
        columns.get(path[0] as string)?.array === true ||
        dataType.array ||
        ancestors.some((each) => parseDataType(each.service_meta.data_type).array),
      filteredDepth: all === -1 ? path.length : all,
      categories: declared.categories,
      ownCategories: field.data_categories,
      qualifiers: declared.qualifiers,
    })
  }
  const unavailable: Unavailable | undefined = !source.connection
    ? 'no connection'
    : source.connection.disabled
      ? 'disabled'
      : collection.service_meta.skip_processing
        ? 'skip_processing'
        : undefined
  return {
    address: formatAddress(source.dataset.service_key, collection.name),
    dataset: source.dataset,
    collection,
    ...(source.connection && { connectionKey: source.connection.key }),
    ...(unavailable && { unavailable }),
    ...(live && { live }),
    missing: source.catalogue !== undefined && !live && unavailable === undefined,
    fields,
    keys: uniqueKeys(fields, live),
  }
}

/** The live keys; without any, the declared one. `_id` is always a key of its own, so what is declared beside it is another. */
function uniqueKeys(fields: ReadonlyMap<string, FieldNode>, live?: CatalogueCollection): string[][] {
  const keys = [live?.primaryKey ?? [], ...(live?.uniqueKeys ?? [])].filter((key) => key.length > 0)
  const declared = [...fields.values()].filter((each) => each.field.service_meta.primary_key).map((each) => each.name)
  if (declared.includes('_id')) {
    const others = declared.filter((name) => name !== '_id')
    return [...keys, ['_id'], ...(others.length > 0 ? [others] : [])].map((key) => [...key])
  }
  if (keys.length === 0 && declared.length > 0) keys.push(declared)
  return keys.map((key) => [...key])
}

interface DraftEdge {
  readonly from: string
  readonly to: string
  readonly directed: boolean
  when?: NonNullable<ReferenceEdge['when']>
  readonly parts: { from: string; to: string }[]
}

function referenceEdges(described: readonly DescribedDataset[], nodes: ReadonlyMap<string, CollectionNode>) {
  const findings: Finding[] = []
  const drafts = new Map<string, DraftEdge>()
  const datasets = new Map(
    described.map(({ dataset }) => [dataset.service_key, new Set(dataset.collections.map(({ name }) => name))]),
  )
  let single = 0
  for (const node of nodes.values()) {
    for (const each of node.fields.values()) {
      for (const reference of each.field.service_meta.references) {
        const loc = [node.dataset.service_key, node.collection.name, each.name]
        const place = `${node.address}.${each.name}`
        const collections = datasets.get(reference.dataset)
        const target = collections && resolveReference(reference.field, collections)
        if (!target) {
          const message = collections
            ? `'${place}' refers to '${reference.dataset}:${reference.field}', a collection that dataset '${reference.dataset}' does not describe: add it or remove the reference.`
            : `'${place}' refers to '${reference.field}' of dataset '${reference.dataset}', which does not exist: add the dataset or remove the reference.`
          findings.push({
            type: collections ? 'unknown_collection' : 'unknown_dataset',
            severity: 'error',
            loc,
            message,
          })
          continue
        }
        const other = nodes.get(formatAddress(reference.dataset, target.collection)) as CollectionNode
        const otherField = target.path.join('.')
        if (!other.fields.has(otherField)) {
          const message = `'${place}' refers to '${other.address}.${otherField}', a field that is not described: the reference is not followed until it is.`
          findings.push({ type: 'unknown_field', severity: 'warning', loc, message })
          continue
        }
        const outward = reference.direction !== 'from'
        const key = reference.group
          ? JSON.stringify([node.address, other.address, reference.direction ?? null, reference.group])
          : `${single++}`
        const draft: DraftEdge = drafts.get(key) ?? {
          from: outward ? node.address : other.address,
          to: outward ? other.address : node.address,
          directed: reference.direction !== undefined,
          parts: [],
        }
        if (reference.when) {
          const contrary = Object.entries(reference.when).filter(
            ([name, value]) => (draft.when?.equals[name] ?? value) !== value,
          )
          if (contrary.length > 0) findings.push(contraryFinding(place, loc, reference.group, contrary[0]?.[0]))
          draft.when = { side: outward ? 'from' : 'to', equals: { ...draft.when?.equals, ...reference.when } }
        }
        draft.parts.push(outward ? { from: each.name, to: otherField } : { from: otherField, to: each.name })
        drafts.set(key, draft)
      }
    }
  }
  const edges = new Map<string, ReferenceEdge>()
  for (const draft of drafts.values()) {
    const edge = canonicalEdge(draft)
    edges.set(edge.id, edge)
  }
  return { edges: [...edges.values()].sort((a, b) => (a.id < b.id ? -1 : 1)), findings }
}

/** Every part of a composite reference holds together, so what two of them say of one field must agree. */
function contraryFinding(place: string, loc: readonly string[], group = '', field = ''): Finding {
  return {
    type: 'contrary_condition',
    severity: 'error',
    loc,
    message: `'${place}' and another part of the reference '${group}' ask for different values of '${field}' in 'when': no row can meet both.`,
  }
}

/** One spelling for edges that mean the same, so that identical ones collapse and an undirected one equals its mirror. */
function canonicalEdge(draft: DraftEdge): ReferenceEdge {
  const sorted = (edge: DraftEdge) =>
    [...edge.parts].sort((a, b) => (`${a.from}\0${a.to}` < `${b.from}\0${b.to}` ? -1 : 1))
  const identify = (edge: DraftEdge) =>
    JSON.stringify([
      edge.from,
      edge.to,
      sorted(edge).map((part) => [part.from, part.to]),
      edge.directed,
      edge.when && [edge.when.side, Object.entries(edge.when.equals).sort()],
    ])
  const mirror: DraftEdge = {
    ...draft,
    from: draft.to,
    to: draft.from,
    parts: draft.parts.map((part) => ({ from: part.to, to: part.from })),
    ...(draft.when && {
      when: { ...draft.when, side: draft.when.side === 'from' ? ('to' as const) : ('from' as const) },
    }),
  }
  const spellings = (draft.directed ? [draft] : [draft, mirror]).map((edge) => ({ id: identify(edge), edge }))
  const { id, edge } = spellings.reduce((least, each) => (each.id < least.id ? each : least))
  return {
    id,
    from: edge.from,
    to: edge.to,
    parts: sorted(edge),
    directed: edge.directed,
    ...(edge.when && { when: edge.when }),
  }
}

/** True when `names` hold a whole key of the collection, so that they name one row at most. */
export function coversKey(node: CollectionNode, names: readonly string[]): boolean {
  return node.keys.some((key) => key.every((name) => names.includes(name)))
}
