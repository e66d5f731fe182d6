import { namedMembers } from '../draft/member-columns.js'
import { isGroupTable, isOrganizationTable, looksLikePeople } from '../draft/ownership-names.js'
import {
  categoryOf,
  freeText,
  isFreeText,
  isOfAnother,
  isPlainName,
  type NamedColumn,
  ofAnother,
} from '../draft/propose-categories.js'
import type { Finding } from '../findings/finding.js'
import { ineffectiveStrategies } from '../findings/ineffective-strategies.js'
import { appendTo } from '../value/append-to.js'
import type { CollectionNode, FieldNode } from './collection-node.js'
import type { DatasetGraph, DescribedDataset } from './dataset-graph.js'
import { edgesAt } from './graph-index.js'
import { historyTables } from './history-tables.js'
import { knownMembers, liveAt } from './known-members.js'
import { tablesNamingPeople } from './tables-naming-people.js'
import { uncategorised } from './uncategorised.js'
import { type Database, type UncoveredTable, uncoveredTables } from './uncovered-table.js'
import { type UnreferencedKey, unreferencedKeyFinding } from './unreferenced-keys.js'

/** Gaps in the description, because of which a request neither delivers nor erases data. */
export interface Coverage {
  /**
   * Live columns of searched collections that no field describes, or whose proposed category is neither applied nor
   * refused, and documents of which nobody has said what they hold.
   */
  readonly columns: readonly UncoveredColumn[]
  /**
   * Live tables that no dataset describes and that have a foreign key to, or inherit from, a table with an owner, a
   * column named like the key of one, or an e-mail address.
   */
  readonly tables: readonly UncoveredTable[]
  /** Columns that seem to refer to a table with an owner and that have no described reference. */
  readonly references: readonly UnreferencedKey[]
  /** Live tables that no dataset describes and whose names look like the history of a searched table. */
  readonly histories: readonly { readonly dataset: string; readonly table: string; readonly of: string }[]
  /** Searched collections in which the server may hide rows. */
  readonly hidden: readonly string[]
  /** Fields with a masking strategy that no rule asks for, because they have no category. */
  readonly unmasked: readonly { readonly address: string; readonly field: string }[]
  /** Collections whose rows may have an owner and in which no field has a data category. */
  readonly collections: readonly string[]
  /** All gaps in words. Gaps that other findings of a plan report are left out. */
  readonly findings: readonly Finding[]
}

export interface UncoveredColumn {
  readonly address: string
  readonly column: string
  /** False where no field describes it. */
  readonly described: boolean
  /** The category that its name suggests. Absent for a document of which nothing says what it holds. */
  readonly proposal?: string
}

export interface CoverageOptions {
  readonly unreferenced: readonly UnreferencedKey[]
  /** Whether rows of a collection may have an owner. */
  readonly isOwned: (address: string) => boolean
  /** Whether rows of a collection have an identity. */
  readonly holdsPeople?: (address: string) => boolean
  readonly datasets: readonly DescribedDataset[]
  readonly isSearched: (address: string) => boolean
  /** Whether an erasure covers a field because of its name alone. */
  readonly isErased?: (address: string, field: string) => boolean
  /** Whether an erasure writes to a collection. */
  readonly erases?: (address: string) => boolean
}

const no = () => false

/** Compares the description with the live catalogue, as far as a request depends on it. */
export function coverageFindings(
  graph: DatasetGraph,
  {
    datasets,
    unreferenced: references,
    isOwned,
    isSearched,
    holdsPeople = no,
    isErased = no,
    erases = no,
  }: CoverageOptions,
): Coverage {
  const nodes = [...graph.nodes.values()]
  const searched = nodes.filter(({ address }) => isSearched(address))
  const proposed = proposedBy(isOwned, holdsPeople)
  const isKeyAlone = keysAlone(references)
  const columns = searched
    .flatMap((node) => {
      const uncovered = uncoveredColumns(graph, node, proposed)
      const documents = isOwned(node.address) ? unknownDocuments(node, uncovered) : []
      return [...uncovered.filter((column) => !isKeyAlone(column)), ...documents]
    })
    .filter(({ address, column, described }) => !described || !isErased(address, column))
  const databases = undescribedTables(datasets, nodes)
  const tables = databases.flatMap((database) => uncoveredTables(database, databases, isOwned))
  const referring = new Set(tables.map(({ dataset, table }) => `${dataset}:${table}`))
  for (const each of databases.flatMap((database) => tablesNamingPeople(database, isOwned)))
    if (!referring.has(`${each.dataset}:${each.table}`)) tables.push(each)
  const listed = new Set(tables.map(({ dataset, table }) => `${dataset}:${table}`))
  const histories = databases
    .flatMap((database) => historyTables(database, isSearched))
    .filter(({ dataset, table }) => !listed.has(`${dataset}:${table}`))
  const hidden = searched.flatMap(({ address, live }) => (live?.hidesRows ? [address] : []))
  const unmasked = ineffectiveStrategies(graph)(searched).filter(({ address, field }) => !isErased(address, field))
  const bare = uncategorised(graph, {
    isSearched,
    mayHoldRows: (address) => (isOwned(address) || isSearched(address)) && !erases(address),
  })
  return {
    columns,
    tables,
    references,
    histories,
    hidden,
    // The same whatever the order of datasets.
    collections: bare.map(({ address }) => address).sort(),
    unmasked: unmasked.map(({ address, field }) => ({ address, field })),
    findings: [
      ...columns.flatMap((column) => columnFinding(graph, column) ?? []),
      ...tables.map(tableFinding),
      ...references.map(unreferencedKeyFinding),
      ...histories.map(historyFinding),
      ...unmasked.map(({ finding }) => finding),
      ...bare.map(collectionFinding),
    ],
  }
}

type Proposed = (node: CollectionNode, column: NamedColumn) => string | undefined

/** The category that a name suggests, in a collection with an owner or with people. */
export function proposedBy(isOwned: CoverageOptions['isOwned'], holdsPeople: (address: string) => boolean): Proposed {
  const isOfPeople = ({ address, collection, fields }: CollectionNode) => {
    const all = [...fields.values()]
    // Vendors with a declared identity are people.
    const isDeclared = all.some(({ field }) => field.service_meta.identity !== undefined)
    if ((isDeclared ? isGroupTable : isOrganizationTable)(collection.name)) return false
    return holdsPeople(address) || looksLikePeople(all.flatMap(({ categories }) => categories))
  }
  return (node, column) => {
    const { address, collection } = node
    const category = categoryOf(collection.name, column)
    if (category !== undefined) return category
    if (isOwned(address) && isFreeText(collection.name, column)) return freeText
    return isPlainName(column) && isOfPeople(node) ? 'user.name' : undefined
  }
}

/** Whether nothing is open about a column but where it leads. Whether its key is personal data is asked of nobody then. */
export function keysAlone(unreferenced: readonly UnreferencedKey[]): (column: UncoveredColumn) => boolean {
  const named = new Set(unreferenced.map(({ node, field }) => `${node.address}.${field}`))
  return ({ address, column, described, proposal }) =>
    described && proposal === 'user.unique_id' && named.has(`${address}.${column}`)
}

export function uncoveredColumns(graph: DatasetGraph, node: CollectionNode, proposed: Proposed): UncoveredColumn[] {
  const { address, undescribed, fields } = node
  const open = [...fields.values()].flatMap((field) => {
    if ((field.path.length > 1 && field.field.fields.length > 0) || isDecided(node, field)) return []
    const proposal = proposed(node, namedColumn(node, field))
    if (proposal === undefined || holdsPlainKeys(graph, node, field, proposed)) return []
    // A key that leads to a person is already described as a reference.
    const leads = field.field.service_meta.references.length > 0 || field.field.service_meta.primary_key
    if (leads && proposal === 'user.unique_id') return []
    return [{ address, column: field.name, described: true, proposal }]
  })
  const unknown = [...undescribed, ...undescribedMembers(node)].map((column) => {
    const { name } = column
    const proposal = proposed(node, column)
    return { address, column: name, described: false, ...(proposal !== undefined && { proposal }) }
  })
  return [...open, ...unknown]
}

/** Documents on which nobody has decided, that are not told as `uncovered` already, and of which neither the description nor the catalogue says the members. */
export function unknownDocuments(node: CollectionNode, uncovered: readonly UncoveredColumn[]): UncoveredColumn[] {
  const told = new Set(uncovered.map(({ column }) => column))
  return [...node.fields.values()].flatMap((field) => {
    const { name, kind, path } = field
    const live = liveAt(node, path)
    if (kind !== 'object' || field.field.fields.length > 0 || told.has(name) || isDecided(node, field)) return []
    if (field.field.service_meta.references.length > 0 || !live || namedMembers(live).length > 0) return []
    return [{ address: node.address, column: name, described: true }]
  })
}

function namedColumn(node: CollectionNode, { name, path, kind, column }: FieldNode): NamedColumn {
  return { name, kind, values: column?.values, holds: liveAt(node, path)?.holds }
}

/** Whether a field refers to keys that say nothing of a person, whatever it is called: `contact` to `people.id`. */
function holdsPlainKeys(graph: DatasetGraph, { address }: CollectionNode, { name }: FieldNode, proposed: Proposed) {
  return edgesAt(graph, address).some(({ from, to, parts }) => {
    const part = from === address ? parts.find((each) => each.from === name) : undefined
    const target = graph.nodes.get(to)
    const key = part && target?.fields.get(part.to)
    if (!target || !key || key.categories.length > 0 || key.field.service_meta.identity !== undefined) return false
    return proposed(target, namedColumn(target, key)) === undefined
  })
}

/** Live members of described columns that no field describes, unless the column is decided as a whole. */
function undescribedMembers(node: CollectionNode): NamedColumn[] {
  return knownMembers(node).filter(({ field, above }) => {
    if (field || !above) return false
    const isWhole = above.field.fields.length === 0 && above.categories.length > 0
    return !isWhole && !above.field.service_meta.reviewed
  })
}

function isDecided(node: CollectionNode, field: FieldNode): boolean {
  const { reviewed, identity } = field.field.service_meta
  return reviewed || identity !== undefined || field.categories.length > 0 || isCategorisedWithin(node, field)
}

function isCategorisedWithin({ fields }: CollectionNode, { field, path }: FieldNode): boolean {
  if (field.fields.length === 0) return false
  return [...fields.values()].some(
    (each) => each.categories.length > 0 && path.every((segment, at) => each.path[at] === segment),
  )
}

/** Collects undescribed tables once per database, since several datasets may describe one. */
export function undescribedTables(datasets: readonly DescribedDataset[], nodes: readonly CollectionNode[]): Database[] {
  const databases = new Map<string, Database>()
  const byConnection = new Map<string | undefined, CollectionNode[]>()
  for (const node of nodes) appendTo(byConnection, node.connectionKey, node)
  for (const { dataset, connection, catalogue } of datasets) {
    if (!connection || !catalogue || databases.has(connection.key)) continue
    const described = new Map((byConnection.get(connection.key) ?? []).map((node) => [node.collection.name, node]))
    const tables = catalogue.collections.filter(({ name }) => !described.has(name))
    const { schema } = catalogue
    const database = { connection: connection.key, dataset: dataset.service_key, tables, described }
    databases.set(connection.key, { ...database, ...(schema !== undefined && { schema }) })
  }
  return [...databases.values()]
}

/** Columns without a field have another finding. */
function columnFinding(graph: DatasetGraph, { address, column, described, proposal }: UncoveredColumn) {
  if (!described) return undefined
  const { dataset, collection } = graph.nodes.get(address) as CollectionNode
  if (proposal === undefined)
    return warning(
      'undecided_category',
      [dataset.service_key, collection.name, column],
      `Nobody has said what '${column}' of '${address}' holds, and no rule asks for it: describe its members, give it a category, or say 'reviewed'.`,
    )
  const isOthers = isOfAnother(collection.name, column, proposal)
  return warning(
    'undecided_category',
    [dataset.service_key, collection.name, column],
    `'${column}' of '${address}' looks like data of the category '${proposal}', but has none: no rule asks for it. Give it a category, or say 'reviewed'.${isOthers ? ` ${ofAnother}` : ''}`,
  )
}

function tableFinding({ dataset, table, foreignKey, into, column }: UncoveredTable): Finding {
  const named = into === undefined ? 'an e-mail address' : `a key of '${into}'`
  const how =
    column !== undefined
      ? `has '${column}', which ${into === undefined ? 'looks' : 'is named'} like ${named}`
      : foreignKey === undefined
        ? `inherits from '${into}'`
        : `refers to '${into}' by its foreign key '${foreignKey}'`
  return warning(
    'undescribed_table',
    [dataset, table],
    `The table '${table}' ${how}, and no dataset describes it: its data about people is neither found nor erased.`,
  )
}

function historyFinding({ dataset, table, of }: Coverage['histories'][number]): Finding {
  return warning(
    'undescribed_history',
    [dataset, table],
    `The table '${table}' is named like a history of '${of}', and no dataset describes it: its data is neither found nor erased.`,
  )
}

function collectionFinding({ address, dataset, collection }: CollectionNode): Finding {
  return warning(
    'undecided_collection',
    [dataset.service_key, collection.name],
    `No field of '${address}' has a data category, so no rule asks for any: give a field a category, say 'reviewed' on a field where none is personal, or say owner: [] where its rows belong to nobody.`,
  )
}

function warning(type: string, loc: Finding['loc'], message: string): Finding {
  return { type, severity: 'warning', loc, message }
}
