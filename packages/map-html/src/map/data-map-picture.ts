import { type Dataset, type System, walkFields } from '@habeas/core'
import { counted, sorted } from '../picture/facts.js'
import type { LegendLine, NodeKind, Picture, PictureEdge, PictureNode, Section } from '../picture/picture.js'
import { categorySections } from './category-sections.js'
import { datasetSections } from './dataset-sections.js'
import { flowFacts } from './flow-facts.js'
import { type MapDocuments, type MappedInput, mapDocuments } from './map-documents.js'
import { mapFacets } from './map-facets.js'
import { type MapEdge, type MapGraph, type MapPlace, mapGraph } from './map-graph.js'
import { systemSections } from './system-sections.js'

const kinds: readonly NodeKind[] = [
  { key: 'system', one: 'system', many: 'Systems' },
  { key: 'other', one: 'recipient', many: 'Others' },
  { key: 'dataset', one: 'dataset', many: 'Datasets' },
  { key: 'category', one: 'category', many: 'Categories' },
]

const legend: readonly LegendLine[] = [
  { label: 'System', kind: 'system' },
  { label: 'Dataset', kind: 'dataset' },
  { label: 'Data category', kind: 'category' },
  { label: 'Data flows', edge: 'flow' },
  { label: 'Uses, or holds', edge: 'uses' },
  { label: 'Nobody has described it', kind: 'system', tone: 'faint' },
]

/** The data map as a picture. The same documents, in any order, give the same picture. */
export function dataMapPicture(input: MappedInput & { readonly title?: string }): Picture {
  const documents = mapDocuments(input)
  const graph = mapGraph(documents)
  const { filters, facets } = mapFacets(documents, graph)
  const { systems, datasets } = documents
  const systemOf = new Map(systems.map((system) => [system.service_key, system]))
  const datasetOf = new Map(datasets.map((dataset) => [dataset.service_key, dataset]))
  // A dataset stands with the first system that uses it.
  const user = new Map(
    [...graph.edges].reverse().flatMap(({ kind, from, to }) => (kind === 'uses' ? [[to, from]] : [])),
  )
  const groupOf = (at: number) =>
    systemOf.get(graph.places[user.get(at) ?? -1]?.key ?? '')?.administrating_department ?? ''
  const nodes = graph.places.map((place, at): PictureNode => {
    const shown = { ...place, facets: facets[at] ?? [] }
    const system = place.kind === 'system' ? systemOf.get(place.key) : undefined
    if (system) return systemNode(system, shown, documents, graph)
    const dataset = place.kind === 'dataset' ? datasetOf.get(place.key) : undefined
    if (dataset) return { ...datasetNode(dataset, shown, documents, graph), group: groupOf(at) }
    return otherNode(place, shown, at, documents, graph)
  })
  const flows = graph.edges.filter(({ kind }) => kind === 'flow').length
  return {
    title: input.title ?? 'Data map',
    summary: [
      counted(systems.length, 'system'),
      counted(datasets.length, 'dataset'),
      counted(flows, 'flow'),
      counted(graph.places.filter(({ kind }) => kind === 'category').length, 'category', 'categories'),
    ].join(', '),
    kinds,
    filters,
    nodes,
    edges: graph.edges.map((edge) => pictureEdge(edge, documents)),
    legend: graph.places.some(({ unknown }) => unknown) ? legend : legend.slice(0, -1),
  }
}

type Shown = Pick<PictureNode, 'facets' | 'key'>

function systemNode(system: System, { facets, key }: Shown, documents: MapDocuments, graph: MapGraph): PictureNode {
  const { name, system_type: type, administrating_department: department } = system
  const declarations = system.privacy_declarations.flatMap((each) => each.name ?? [])
  return {
    ...{ kind: 'system', label: name, key, note: type, rank: 0, group: department ?? '', facets },
    words: sorted([department ?? '', system.description ?? '', ...declarations]),
    sections: systemSections(system, documents, graph),
  }
}

function datasetNode(dataset: Dataset, { facets, key }: Shown, documents: MapDocuments, graph: MapGraph): PictureNode {
  const { collections, name, description = '' } = dataset
  const fields = collections.flatMap((each) => [...walkFields(each)].map(({ path }) => path.join('.')))
  return {
    ...{ kind: 'dataset', label: name, key, note: counted(collections.length, 'table'), rank: 1, facets },
    words: sorted([description, ...collections.map((each) => each.name), ...fields]),
    sections: datasetSections(dataset, documents, graph),
  }
}

/** What no document describes: a category, somebody who receives data, or a key that leads nowhere. */
function otherNode(
  { kind, unknown, type = '' }: MapPlace,
  { facets, key }: Shown,
  at: number,
  documents: MapDocuments,
  graph: MapGraph,
): PictureNode {
  if (kind === 'category') {
    const { nameOf, lineOf } = documents.taxonomies.categories
    const sections = categorySections(key, documents, graph)
    return {
      kind,
      label: nameOf(key),
      key,
      note: '',
      rank: 2,
      group: 'Data categories',
      facets,
      words: [...lineOf(key)],
      sections,
    }
  }
  const heading = unknown ? `Nobody has described this ${kind}` : 'Other'
  const sections: Section[] = [{ heading, facts: [...flowFacts(at, documents, graph), ...users(at, graph)] }]
  const note = unknown ? 'not described' : type
  const rank = kind === 'dataset' ? 1 : 0
  return { kind, label: key, key, note, ...(unknown && { tone: 'faint' }), rank, facets, words: [], sections }
}

function users(at: number, { edges }: MapGraph) {
  return edges
    .filter(({ kind, to }) => kind === 'uses' && to === at)
    .map(({ from, words }) => ({ term: 'Used by', values: [{ node: from, note: sorted(words).join(', ') }] }))
}

function pictureEdge({ kind, from, to, words }: MapEdge, { taxonomies }: MapDocuments): PictureEdge {
  const label = kind === 'flow' ? sorted(words).map(taxonomies.categories.nameOf).join(', ') : ''
  return { kind, from, to, label }
}
