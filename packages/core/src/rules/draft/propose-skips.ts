import type { Catalogue, CatalogueCollection } from '../../model/catalogue.js'
import type { SkipProposal } from '../../model/proposal.js'

/** Views that need no search, because the rows they show are found in their tables. */
export function proposeSkips({ collections }: Catalogue): SkipProposal[] {
  const tables = new Set(collections.filter(({ view }) => !view).map(({ name }) => name))
  return collections.flatMap((collection) => {
    const reason = skipReason(collection, tables)
    return reason === undefined
      ? []
      : [{ id: `${collection.name}:skip`, kind: 'skip', collection: collection.name, confidence: 0.95, reason }]
  })
}

function skipReason({ view, copyOf }: CatalogueCollection, tables: ReadonlySet<string>): string | undefined {
  if (view && copyOf !== undefined)
    return `It is a copy of '${copyOf}' as it was at some time, and cannot be written: delete it, and make a new one, after each erasure.`
  // The rows of a foreign server are found nowhere else.
  if (!view?.shows) return undefined
  if (view.shows.length > 0 && view.shows.every((name) => tables.has(name))) {
    const names = view.shows.map((name) => `'${name}'`).join(', ')
    return `It is a view of ${names}, where its rows are found.${view.stored ? ' It keeps its rows until it is refreshed: refresh it after erasures.' : ''}`
  }
  if (view.writable) return undefined
  return 'It is a view that cannot be written: describe the tables behind it instead, or search it in an access only.'
}
