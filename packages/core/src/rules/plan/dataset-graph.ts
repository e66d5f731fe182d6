import { formatAddress } from '../../model/address.js'
import { atOnce } from '../../model/at-once.js'
import { type Catalogue, type CatalogueCollection, type Column, enforcedKeys } from '../../model/catalogue.js'
import type { WriteLimit } from '../../model/collection-result.js'
import { type Collection, type Dataset, type Field, parseDataType } from '../../model/dataset.js'
import { nearKey } from '../../model/nearest-key.js'
import type { Finding } from '../findings/finding.js'
import { type DeclaredField, declaredFields } from '../policy/declared-fields.js'
import type { CollectionNode, FieldNode, Unavailable } from './collection-node.js'
import { type ReferenceEdge, referenceEdges } from './reference-edges.js'

/** A dataset with its connection and live catalogue, as far as they are known. */
export interface DescribedDataset {
  readonly dataset: Dataset
  readonly connection?: {
    readonly key: string
    readonly disabled: boolean
    readonly access?: 'read' | 'write'
    /** True where there is no database: people look its rows up and erase them. */
    readonly manual?: boolean
    /** What its database lacks to protect writes. */
    readonly writeLimits?: readonly WriteLimit[]
    /** Its connector searches columns only as a whole. */
    readonly wholeColumns?: boolean
  }
  readonly catalogue?: Catalogue
}

export interface DatasetGraph {
  readonly nodes: ReadonlyMap<string, CollectionNode>
  readonly edges: readonly ReferenceEdge[]
  readonly findings: readonly Finding[]
}

/**
 * Builds a graph with collections as nodes and references as edges. A reference to something unknown gives no edge but
 * a finding of severity `error`, which stops the plan.
 */
export function datasetGraph(described: readonly DescribedDataset[]): DatasetGraph {
  return atOnce(datasetGraphByPieces(described))
}

/** The same, yielding after each dataset. */
export function* datasetGraphByPieces(described: readonly DescribedDataset[]): Generator<void, DatasetGraph> {
  const nodes = new Map<string, CollectionNode>()
  const datasets = new Map<string, Map<string, CollectionNode>>()
  for (const source of described) {
    const live = liveCollections(source.catalogue)
    const ofDataset = new Map<string, CollectionNode>()
    for (const collection of source.dataset.collections) {
      const node = collectionNode(source, collection, live.get(collection.name))
      nodes.set(node.address, node)
      ofDataset.set(collection.name, node)
    }
    datasets.set(source.dataset.service_key, ofDataset)
    yield
  }
  const { edges, findings } = yield* referenceEdges(nodes, datasets)
  return { nodes, edges, findings }
}

type LiveCollections = ReadonlyMap<string, CatalogueCollection>

/** A cache, since many datasets may lie behind one connection. */
const liveByCatalogue = new WeakMap<Catalogue, LiveCollections>()

function liveCollections(catalogue: Catalogue | undefined): LiveCollections {
  if (!catalogue) return new Map()
  const live =
    liveByCatalogue.get(catalogue) ?? new Map(catalogue.collections.map((collection) => [collection.name, collection]))
  liveByCatalogue.set(catalogue, live)
  return live
}

function collectionNode(source: DescribedDataset, collection: Collection, live?: CatalogueCollection): CollectionNode {
  const fields = fieldNodes(declaredFields(source.dataset, collection), live)
  const unavailable: Unavailable | undefined = !source.connection
    ? 'no connection'
    : source.connection.disabled
      ? 'disabled'
      : collection.service_meta.skip_processing
        ? 'skip_processing'
        : undefined
  const missing = source.catalogue !== undefined && !live && unavailable === undefined
  const nearest = missing ? nearKey(collection.name.toLowerCase(), undescribedNames(source)) : undefined
  return {
    address: formatAddress(source.dataset.service_key, collection.name),
    dataset: source.dataset,
    collection,
    connectionKey: source.connection?.key,
    unavailable,
    wholeColumns: source.connection?.wholeColumns === true,
    live,
    undescribed: (live?.columns ?? []).filter(({ name }) => fields.get(name)?.path.length !== 1),
    missing,
    ...(nearest !== undefined && { nearest }),
    fields,
    keys: uniqueKeys(fields, live),
  }
}

/** The tables that a name may have meant. One that the dataset describes is none. */
function undescribedNames({ dataset, catalogue }: DescribedDataset): ReadonlySet<string> {
  const described = new Set(dataset.collections.map(({ name }) => name))
  return new Set((catalogue?.collections ?? []).flatMap(({ name }) => (described.has(name) ? [] : [name])))
}

function fieldNodes(all: readonly DeclaredField[], live?: CatalogueCollection): Map<string, FieldNode> {
  const columns = new Map<string, Column>()
  for (const column of live?.columns ?? []) columns.set(column.name, column)
  const fields = new Map<string, FieldNode>()
  for (const { field, path, ancestors, categories, qualifiers } of all) {
    const name = ancestors.length === 0 ? field.name : path.join('.')
    const column = columns.get(path[0] as string)
    const declared = dataTypeOf(field)
    const lived = membersOn(column, path)
    const whole = ancestors.findIndex(returnsAllElements)
    fields.set(name, {
      name,
      path,
      field,
      column,
      kind: column && ancestors.length === 0 ? column.kind : (declared.type ?? lived.at(path.length - 1)?.kind),
      array: lived.some(({ array }) => array) || declared.array || ancestors.some((each) => dataTypeOf(each).array),
      filteredDepth: whole !== -1 ? whole : returnsAllElements(field) ? ancestors.length : path.length,
      categories,
      qualifiers,
    })
  }
  return fields
}

/** The live column of a path, then the members on it, as far as they are known. */
function membersOn(column: Column | undefined, path: readonly string[]): readonly Column[] {
  const found: Column[] = []
  for (let each = column; each; each = each.members?.find(({ name }) => name === path[found.length])) found.push(each)
  return found
}

const noDataType = parseDataType(undefined)
const dataTypeOf = ({ service_meta: { data_type } }: Field) =>
  data_type === undefined ? noDataType : parseDataType(data_type)

const returnsAllElements = (field: Field) => field.service_meta.return_all_elements

/**
 * The live keys, or the declared one where there are none. `_id` is always a key by itself, so the other declared
 * fields form another key.
 */
function uniqueKeys(fields: ReadonlyMap<string, FieldNode>, live?: CatalogueCollection): CollectionNode['keys'] {
  const keys = enforcedKeys(live)
  const declared: string[] = []
  for (const { name, field } of fields.values()) if (field.service_meta.primary_key) declared.push(name)
  if (declared.includes('_id')) {
    const others = declared.filter((name) => name !== '_id')
    return [...keys, ['_id'], ...(others.length > 0 ? [others] : [])]
  }
  return keys.length === 0 && declared.length > 0 ? [declared] : keys
}

/**
 * The live column of a member, where the column holds no objects: for example a number, or JSON in a text. No search
 * finds anything there, and that must not look like an empty member.
 */
export function sealedColumn({ live }: CollectionNode, { path, column }: FieldNode): Column | undefined {
  return path.length > 1 && column?.kind !== 'object' && !live?.schemaless ? column : undefined
}
