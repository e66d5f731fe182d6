import type { Facet, Filter } from '../picture/picture.js'
import { declaredCategories, type MapDocuments } from './map-documents.js'
import type { MapGraph } from './map-graph.js'
import { treeFilter } from './taxonomy.js'

/** The filters of a map, and for each of its places what it meets. */
export function mapFacets(
  documents: MapDocuments,
  { places, edges, at }: MapGraph,
): { readonly filters: readonly Filter[]; readonly facets: readonly (readonly Facet[])[] } {
  const { systems, held, taxonomies } = documents
  const { categories, uses, subjects } = taxonomies
  const declarations = systems.flatMap((system) =>
    system.privacy_declarations.map((declaration) => ({
      ...{ system: system.service_key, declaration },
      categories: declaredCategories(declaration, documents),
    })),
  )
  const flows = edges.filter(({ kind }) => kind === 'flow')
  const used = [
    ...[...held.values()].flat(),
    ...declarations.flatMap((each) => each.categories),
    ...flows.flatMap(({ words }) => [...words]),
  ]
  const byCategory = treeFilter({ label: 'Category', all: 'All categories' }, categories, used)
  const byUse = treeFilter(
    { label: 'Use', all: 'All uses' },
    uses,
    declarations.flatMap(({ declaration }) => declaration.data_use ?? []),
  )
  const bySubject = treeFilter(
    { label: 'Subject', all: 'All subjects' },
    subjects,
    declarations.flatMap(({ declaration }) => declaration.data_subjects),
  )
  const positions = (tree: typeof byCategory, lineOf: (key: string) => readonly string[], keys: readonly string[]) =>
    [...new Set(keys.flatMap(lineOf))].map((key) => tree.positions.get(key) as number).sort((a, b) => a - b)
  const facetOf = (keys: readonly string[], use?: string, about: readonly string[] = []): Facet => [
    positions(byCategory, categories.lineOf, keys),
    positions(byUse, uses.lineOf, use === undefined ? [] : [use]),
    positions(bySubject, subjects.lineOf, about),
  ]

  const found: Map<string, Facet>[] = places.map(() => new Map())
  const add = (place: number | undefined, facet: Facet) => {
    if (place !== undefined) found[place]?.set(JSON.stringify(facet), facet)
  }
  /** To the categories themselves as well, each with what lies in it. */
  const addToCategories = (keys: readonly string[], ...rest: [use?: string, about?: readonly string[]]) => {
    for (const [top, below] of grouped(keys, categories.topOf)) add(at('category', top), facetOf(below, ...rest))
  }
  for (const { system, declaration, categories: keys } of declarations) {
    const { data_use: use, data_subjects: about, dataset_references: references } = declaration
    add(at('system', system), facetOf(keys, use, about))
    addToCategories(keys, use, about)
    for (const key of references) add(at('dataset', key), facetOf(held.get(key) ?? keys, use, about))
  }
  for (const [key, keys] of held) {
    const place = at('dataset', key) as number
    if (found[place]?.size === 0) add(place, facetOf(keys))
    addToCategories(keys)
  }
  for (const { from, to, words } of flows) for (const place of [from, to]) add(place, facetOf([...words]))
  const filters = [byCategory, byUse, bySubject].map(({ filter }) => filter)
  return { filters, facets: found.map((each) => [...each.values()]) }
}

function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
