import { formatAddress } from '../../model/address.js'
import type { Dataset } from '../../model/dataset.js'
import type { System } from '../../model/system.js'
import { answersText } from '../draft/answers-to.js'
import { nothing } from '../draft/propose-identities.js'
import {
  emptyConnection,
  type OpenReference,
  type OpenReferences,
  referenceQuestions,
} from '../draft/reference-questions.js'
import type { CollectionNode } from '../plan/collection-node.js'
import type { DatasetGraph, DescribedDataset } from '../plan/dataset-graph.js'
import { describedOwnership, type OwnershipInferences } from '../plan/described-ownership.js'
import { doubtfulMembers, namingMembers } from '../plan/doubtful-members.js'
import { identityEntries } from '../plan/identity-entries.js'
import { memberSearches, searchFindings } from '../plan/member-searches.js'
import { isOwnedByNobody, type Ownership } from '../plan/ownership.js'
import { filterFindings } from '../plan/partition-filters.js'
import { fieldsOf } from '../plan/reference-edges.js'
import { distances, followedEdges, traverse, type Way } from '../plan/traversal.js'
import { unreferencedKeyFinding, unreferencedKeys } from '../plan/unreferenced-keys.js'
import { collectionsByProperty } from '../plan/unsearched-collections.js'
import { appendTo } from '../value/append-to.js'
import type { Finding } from './finding.js'
import { ineffectiveStrategies } from './ineffective-strategies.js'
import { liveFindings } from './live-findings.js'
import { misspelledIdentities, similarKeys } from './misspelled-names.js'
import { peopleOfNobody } from './people-of-nobody.js'
import { referenceFindings } from './reference-findings.js'
import { datasetLinks, systemLinks } from './resource-links.js'
import { storedViews, unaskedCopies } from './stored-views.js'
import { type KnownKeys, unknownLinkFindings, unknownLinks } from './unknown-links.js'

export interface DatasetFindingsInput extends OwnershipInferences {
  /** All datasets, including the one to check. */
  readonly described: readonly DescribedDataset[]
  readonly systems: readonly System[]
  readonly known: KnownKeys
}

/** What a person should know about one dataset among all others, and its open references. */
export interface DatasetNotices {
  readonly findings: readonly Finding[]
  readonly open: OpenReferences
}

export function datasetNotices(key: string, input: DatasetFindingsInput): DatasetNotices {
  const { described, systems, known, ...inferences } = input
  const { graph, properties, identities, owners } = describedOwnership(described, inferences)
  const keys = unreferencedKeys(graph, owners)
  const unreferenced = [...keys, ...namingMembers(doubtfulMembers(graph, owners, identities, keys))]
  const open = referenceQuestions(key, graph, owners, [], unreferenced)
  const source = described.find(({ dataset }) => dataset.service_key === key)
  const dataset = source?.dataset
  if (!dataset) return { findings: [], open }
  const directedEdges = followedEdges(owners)
  const reached = reachingIdentities([...directedEdges, ...openWays(owners)], collectionsByProperty(identities.fields))
  const entered = new Set([...identities.fields.keys(), ...identities.entries.keys()])
  const isSearchable = (address: string) => graph.nodes.get(address)?.unavailable !== 'skip_processing'
  const traversal = traverse(graph, directedEdges, entered, isSearchable)
  const nodes = dataset.collections.map(
    (collection) => graph.nodes.get(formatAddress(key, collection.name)) as CollectionNode,
  )
  const own = ({ type, loc }: Finding) =>
    type === 'ordering' ? loc.some((address) => String(address).startsWith(`${key}:`)) : loc[0] === key
  const findings = [
    ...orphan(dataset, systems),
    ...similarKeys(
      'dataset',
      key,
      described.map((each) => each.dataset.service_key),
    ),
    ...empty(source),
    // Links to other datasets are checked as references below.
    ...unknownLinkFindings(
      unknownLinks(
        datasetLinks(dataset).filter((link) => link.kind !== 'dataset'),
        known,
      ),
    ),
    ...graph.findings.filter(own),
    ...identities.findings.filter(({ type }) => type.startsWith('identity_')).filter(own),
    ...nodes.flatMap((node) => unreachable(node, graph, reached, properties, owners)),
    ...owners.findings.filter(own),
    ...referenceFindings(graph, owners).filter(own),
    ...traversal.findings.filter(own),
    ...searchFindings(memberSearches(graph, identities, traversal, false)).filter(own),
    ...open.references.map((each) => openFinding(key, each)),
    ...unreferenced
      .filter(({ to, names }) => to !== undefined || names !== undefined)
      .map(unreferencedKeyFinding)
      .filter(own),
    ...misspelledIdentities(graph, nodes),
    ...nodes.flatMap(peopleOfNobody),
    ...nodes.flatMap(placeholders),
    ...unaskedCopies(key, source.catalogue ?? {}),
    ...nodes.flatMap((node) => storedViews(node, source.catalogue)),
    ...nodes.flatMap(primaryKey),
    ...liveFindings(graph, [...graph.nodes.keys()], graph.edges).filter(own),
    ...nodes.filter(({ unavailable }) => unavailable !== 'skip_processing').flatMap(filterFindings),
    ...ineffectiveStrategies(graph, nodes).map(({ finding }) => finding),
  ]
  return { findings, open }
}

function orphan(dataset: Dataset, systems: readonly System[]): Finding[] {
  const key = dataset.service_key
  const refers = (system: System) => systemLinks(system).some((link) => link.kind === 'dataset' && link.key === key)
  if (systems.some(refers)) return []
  const message = `No system refers to the dataset '${key}': name it in the dataset_references of a privacy declaration.`
  return [{ type: 'orphan_dataset', severity: 'warning', loc: [key], message }]
}

/** Nothing can be found in a database that shows nothing, unless people look the rows up, nor by a dataset that describes nothing. */
function empty({ dataset: { service_key: key, collections }, connection, catalogue }: DescribedDataset): Finding[] {
  if (catalogue?.collections.length === 0 && !connection?.manual)
    return [{ type: 'empty_connection', severity: 'warning', loc: [key], message: emptyConnection(key) }]
  if (collections.length > 0) return []
  const message = `The dataset '${key}' describes no collection, so no request finds anything there: add some, by hand or as draftDataset proposes them.`
  return [{ type: 'empty_dataset', severity: 'warning', loc: [key], message }]
}

type Reached = ReadonlyMap<string, readonly string[]>

/** The identities from which each collection can be reached. */
function reachingIdentities(ways: readonly Way[], byProperty: ReadonlyMap<string, ReadonlySet<string>>): Reached {
  const reached = new Map<string, string[]>()
  for (const [property, addresses] of byProperty) {
    for (const address of distances(ways, addresses).keys()) appendTo(reached, address, property)
  }
  for (const properties of reached.values()) properties.sort()
  return reached
}

/** An open reference leads somewhere once it is decided. It has its own finding. */
function openWays({ references }: Ownership): Way[] {
  const open = [...references.values()].flat().filter(({ meaning }) => meaning === 'open')
  return open.flatMap(({ edge: { from, to } }) => [
    { from, to },
    { from: to, to: from },
  ])
}

function unreachable(
  node: CollectionNode,
  graph: DatasetGraph,
  reached: Reached,
  properties: readonly string[],
  { people }: Ownership,
): Finding[] {
  if (node.unavailable === 'skip_processing' || isOwnedByNobody(node) || reached.has(node.address)) return []
  const alone = identityEntries(
    { nodes: new Map([[node.address, node]]), edges: [], findings: [] },
    properties.map((property) => [property]),
  )
  const ways = [
    ...alone.findings
      .filter((finding) => finding.type === 'identity_inferred')
      .map((finding) => `its field '${finding.loc[2]}' looks like an identity, so declare 'identity' on it`),
    ...graph.edges
      .filter((edge) => edge.from === node.address && edge.direction !== 'none' && reached.has(edge.to))
      .map((edge) => {
        const names = (reached.get(edge.to) as readonly string[]).join(', ')
        return `with the direction 'from', its reference to '${edge.to}' would let ${names} reach it`
      }),
    ...graph.edges
      .filter((edge) => edge.to === node.address && edge.direction !== 'none' && reached.has(edge.from))
      .map((edge) => {
        const names = (reached.get(edge.from) as readonly string[]).join(', ')
        const fields = edge.parts.map(({ from }) => `'${edge.from}.${from}'`).join(' and ')
        return `with the direction 'to', ${fields} would let ${names} reach it, but then each of its rows belongs to everybody whose rows refer to it`
      }),
  ]
  const categorised = [...node.fields.values()].some((field) => field.categories.length > 0)
  // A person whom the row itself names is a better owner than rows that refer to it.
  const naming = graph.edges
    .filter(({ from, to, direction }) => from === node.address && from !== to && direction === 'none' && people.has(to))
    .map((edge) => `'${edge.from}.${fieldsOf(edge)}' says 'none': if it names the owner of the row, say 'from'`)
  const advice =
    [...naming.slice(0, 1), ...ways.slice(0, 1)].join('; or ') ||
    `declare 'identity' on one of its fields, add a reference, or say owner: [] where its rows belong to nobody`
  return [
    {
      type: 'unreachable_collection',
      // No policy asks for a field without a category.
      severity: categorised ? 'warning' : 'info',
      loc: [node.dataset.service_key, node.collection.name],
      message: `No identity and no reference leads to '${node.address}', so no request finds anything there: ${advice}.`,
    },
  ]
}

/** A finding for an open reference, with the possible answers. */
function openFinding(key: string, { name, collection, field, to, why, answers }: OpenReference): Finding {
  const what =
    to === null
      ? `It is not described what '${name}' refers to (${why}), so rows are neither found nor counted over it.`
      : `It is not described whether '${name}' says who owns a row (it leads to '${to}'; ${why}), so rows that it connects with a person are counted and left alone.`
  const message = `${what} Say one of these: ${answersText(key, answers)}.`
  return { type: 'open_reference', severity: 'warning', loc: [key, collection, field], message }
}

/** People enter texts for "nothing" into free text. All rows with such a text would belong to one person. */
function placeholders({ address, dataset, collection, fields, keys, unavailable }: CollectionNode): Finding[] {
  if (unavailable === 'skip_processing') return []
  return [...fields.values()].flatMap(({ name, kind, column, field: { service_meta: meta } }) => {
    const isUnique = keys.some((key) => key.length === 1 && key[0] === name)
    const isFree = kind === 'string' && !column?.values && !isUnique && !meta.reviewed
    if (meta.identity === undefined || !isFree || meta.placeholders.length > 0) return []
    const message = `'${address}.${name}' is free text that identifies a person, and has no 'placeholders': all rows with a text such as ${nothing.slice(0, 3).join(', ')} would belong to one person. Name such texts, or say 'reviewed: true' where there are none.`
    return [
      { type: 'missing_placeholders', severity: 'info', loc: [dataset.service_key, collection.name, name], message },
    ]
  })
}

function primaryKey(node: CollectionNode): Finding[] {
  if (node.unavailable === 'skip_processing') return []
  const loc = [node.dataset.service_key, node.collection.name]
  const declared = [...node.fields.values()].filter(({ field }) => field.service_meta.primary_key)
  const live = node.live?.primaryKey ?? []
  const names = declared.map(({ name }) => name)
  if (live.length > 0 && names.length > 0 && [...live].sort().join('\0') !== [...names].sort().join('\0')) {
    const message = `'${node.address}' declares the primary key ${names.join(', ')}, but the primary key of the table is ${live.join(', ')}, and that one counts: correct the description.`
    return [{ type: 'primary_key_differs', severity: 'warning', loc, message }]
  }
  const erasable = [...node.fields.values()].some(
    ({ field, categories }) => categories.length > 0 && !field.service_meta.read_only,
  )
  if (node.keys.length > 0 || !erasable) return []
  const message = `'${node.address}' has no primary key, so an erasure must identify its rows by all their values: set 'primary_key' on the fields that name a row.`
  return [{ type: 'missing_primary_key', severity: 'info', loc, message }]
}
