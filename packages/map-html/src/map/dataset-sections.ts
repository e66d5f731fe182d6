import type { Dataset } from '@habeas/core'
import { counted, fact, filled, sorted } from '../picture/facts.js'
import type { Section } from '../picture/picture.js'
import { flowFacts } from './flow-facts.js'
import type { MapDocuments } from './map-documents.js'
import type { MapGraph } from './map-graph.js'
import { tableEntry } from './table-facts.js'

/** What a click on a dataset shows. */
export function datasetSections(dataset: Dataset, documents: MapDocuments, graph: MapGraph): Section[] {
  const { categories } = documents.taxonomies
  const { collections, service_key: key } = dataset
  const place = graph.at('dataset', key) as number
  const organization = documents.organizations.get(dataset.organization_service_key)
  return filled([
    {
      heading: 'Dataset',
      facts: [
        ...fact('What it is', dataset.description),
        ...fact('Organization', organization?.name ?? dataset.organization_service_key),
        ...fact('All fields', ...dataset.data_categories.map(categories.nameOf)),
        ...fact('Kept for', dataset.retention),
        ...fact('Third countries', ...dataset.third_country_transfers),
      ],
    },
    {
      heading: 'Used by',
      facts: graph.edges
        .filter(({ kind, to }) => kind === 'uses' && to === place)
        .flatMap(({ from, words }) => fact('System', { node: from, note: sorted(words).join(', ') })),
    },
    { heading: 'Flows', facts: flowFacts(place, documents, graph) },
    {
      heading: counted(collections.length, 'table'),
      entries: collections.map((collection) => tableEntry(collection, categories)),
      folded: true,
    },
  ])
}
