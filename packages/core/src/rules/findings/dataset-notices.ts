import { formatAddress, placeOf } from '../../model/address.js'
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
import type { DescribedDataset } from '../plan/dataset-graph.js'
import { describedOwnershipByPieces, type OwnershipInferences } from '../plan/described-ownership.js'
import { doubtfulMembers, namingMembers } from '../plan/doubtful-members.js'
import { memberSearches, searchFindings } from '../plan/member-searches.js'
import { filterFindings } from '../plan/partition-filters.js'
import { followedEdges, traverseByPieces } from '../plan/traversal.js'
import { type UnreferencedKey, unreferencedKeyFinding, unreferencedKeys } from '../plan/unreferenced-keys.js'
import { appendTo } from '../value/append-to.js'
import { slipIndex } from '../value/slip-index.js'
import type { Finding } from './finding.js'
import { impossibleMasks } from './impossible-masks.js'
import { ineffectiveStrategies } from './ineffective-strategies.js'
import { liveFindings } from './live-findings.js'
import { misspelledIdentities, similarKeys } from './misspelled-names.js'
import { peopleOfNobody } from './people-of-nobody.js'
import { referenceFindings } from './reference-findings.js'
import { datasetLinks, systemLinks } from './resource-links.js'
import { storedViews, unaskedCopies } from './stored-views.js'
import { type KnownKeys, unknownLinkFindings, unknownLinks } from './unknown-links.js'
import { unreachableCollections } from './unreachable-collections.js'

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

/** Says it of the dataset with a key. */
export type NoticesOf = (key: string) => DatasetNotices

/**
 * Looks at all datasets once, yielding after each piece, so that the notices of many cost little more than those of one.
 */
export function* datasetNotices(input: DatasetFindingsInput): Generator<void, NoticesOf> {
  const { described, systems, known, ...inferences } = input
  const { graph, properties, identities, owners } = yield* describedOwnershipByPieces(described, inferences)
  yield
  const keys = unreferencedKeys(graph, owners)
  yield
  const unreferenced = [...keys, ...namingMembers(doubtfulMembers(graph, owners, identities, keys))]
  yield
  const directedEdges = followedEdges(owners)
  const unreachable = unreachableCollections({ graph, properties, identities, owners }, directedEdges)
  yield
  const entered = new Set([...identities.fields.keys(), ...identities.entries.keys()])
  const isSearchable = (address: string) => graph.nodes.get(address)?.unavailable !== 'skip_processing'
  const traversal = yield* traverseByPieces(graph, directedEdges, entered, isSearchable)
  yield
  const sources = new Map(described.map((source) => [source.dataset.service_key, source]))
  const referred = new Set(systems.flatMap(systemLinks).flatMap(({ kind, key }) => (kind === 'dataset' ? [key] : [])))
  const slipOf = slipIndex(sources.keys())
  yield
  const ofGraph = byDataset(graph.findings)
  const ofIdentities = byDataset(identities.findings.filter(({ type }) => type.startsWith('identity_')))
  const ofOwners = byDataset(owners.findings)
  const ofReferences = byDataset(referenceFindings(graph, owners))
  yield
  const ofTraversal = byDataset(traversal.findings)
  const ofSearches = byDataset(searchFindings(memberSearches(graph, identities, traversal, false)))
  const ofKeys = byDataset(
    unreferenced.filter(({ to, names }) => to !== undefined || names !== undefined).map(unreferencedKeyFinding),
  )
  const keysOf = new Map<string, UnreferencedKey[]>()
  for (const each of unreferenced) appendTo(keysOf, each.node.dataset.service_key, each)
  const ofLive = byDataset(liveFindings(graph, [...graph.nodes.keys()], graph.edges))
  yield
  const misspelled = misspelledIdentities(graph)
  const ineffective = ineffectiveStrategies(graph)
  const impossible = impossibleMasks(graph, owners.owned)
  return (key) => {
    const open = referenceQuestions(key, graph, owners, [], keysOf.get(key) ?? [])
    const source = sources.get(key)
    if (!source) return { findings: [], open }
    const { dataset } = source
    const nodes = dataset.collections.map(
      (collection) => graph.nodes.get(formatAddress(key, collection.name)) as CollectionNode,
    )
    const findings = [
      ...(referred.has(key) ? [] : [orphan(key)]),
      ...similarKeys('dataset', key, slipOf),
      ...empty(source),
      // Links to other datasets are checked as references below.
      ...unknownLinkFindings(
        unknownLinks(
          datasetLinks(dataset).filter((link) => link.kind !== 'dataset'),
          known,
        ),
      ),
      ...ofGraph(key),
      ...ofIdentities(key),
      ...nodes.flatMap(unreachable),
      ...ofOwners(key),
      ...ofReferences(key),
      ...ofTraversal(key),
      ...ofSearches(key),
      ...open.references.map((each) => openFinding(key, each)),
      ...ofKeys(key),
      ...misspelled(nodes),
      ...nodes.flatMap(peopleOfNobody),
      ...nodes.flatMap(placeholders),
      ...unaskedCopies(key, source.catalogue ?? {}),
      ...nodes.flatMap((node) => storedViews(node, source.catalogue)),
      ...nodes.flatMap(primaryKey),
      ...ofLive(key),
      ...nodes.filter(({ unavailable }) => unavailable !== 'skip_processing').flatMap(filterFindings),
      ...ineffective(nodes).map(({ finding }) => finding),
      ...impossible(source, nodes),
    ]
    return { findings, open }
  }
}

/** The findings about each dataset. One about an order is about the dataset of each collection it names. */
function byDataset(findings: readonly Finding[]): (key: string) => readonly Finding[] {
  const found = new Map<string, Finding[]>()
  for (const finding of findings) {
    const { type, loc } = finding
    const keys =
      type === 'ordering' ? new Set(loc.map((address) => placeOf(String(address)).dataset)) : [String(loc[0])]
    for (const key of keys) appendTo(found, key, finding)
  }
  return (key) => found.get(key) ?? []
}

function orphan(key: string): Finding {
  const message = `No system refers to the dataset '${key}': name it in the dataset_references of a privacy declaration.`
  return { type: 'orphan_dataset', severity: 'warning', loc: [key], message }
}

/** Nothing can be found in a database that shows nothing, unless people look the rows up, nor by a dataset that describes nothing. */
function empty({ dataset: { service_key: key, collections }, connection, catalogue }: DescribedDataset): Finding[] {
  if (catalogue?.collections.length === 0 && !connection?.manual)
    return [{ type: 'empty_connection', severity: 'warning', loc: [key], message: emptyConnection(key) }]
  if (collections.length > 0) return []
  const message = `The dataset '${key}' describes no collection, so no request finds anything there: add some, by hand or as draftDataset proposes them.`
  return [{ type: 'empty_dataset', severity: 'warning', loc: [key], message }]
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
