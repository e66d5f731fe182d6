import { fact, filled, sorted } from '../picture/facts.js'
import type { Section } from '../picture/picture.js'
import type { MapDocuments } from './map-documents.js'
import type { MapGraph } from './map-graph.js'

/** What a click on a category shows: what lies in it, and where it is. */
export function categorySections(
  key: string,
  { taxonomies }: MapDocuments,
  { at, edges, places }: MapGraph,
): Section[] {
  const { nameOf, descriptionOf } = taxonomies.categories
  const own = at('category', key)
  const holders = edges.filter(({ kind, to }) => kind === 'holds' && to === own)
  const inside = sorted(holders.flatMap(({ words }) => [...words])).filter((each) => each !== key)
  const links = (kind: string) =>
    holders
      .filter(({ from }) => places[from]?.kind === kind)
      .map(({ from, words }) => ({ node: from, note: sorted(words).map(nameOf).join(', ') }))
  return filled([
    {
      heading: 'Category',
      facts: [
        ...fact('What it is', descriptionOf(key)),
        ...fact('In it', ...inside.map(nameOf)),
        ...fact('Held in', ...links('dataset')),
        ...fact('Declared by', ...links('system')),
      ],
    },
  ])
}
