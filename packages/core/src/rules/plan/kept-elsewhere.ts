import type { Catalogue } from '../../model/catalogue.js'
import type { KeptCopy, KeptElsewhere } from '../../model/kept-copy.js'
import type { CollectionNode } from './collection-node.js'

/** What keeps rows of a collection, and is not described as a collection of its own. */
export function keptCopies(
  { dataset, collection, live }: Pick<CollectionNode, 'dataset' | 'collection' | 'live'>,
  catalogue: Catalogue | undefined,
): readonly KeptCopy[] {
  const described = new Set(dataset.collections.map((each) => each.name))
  // what the server makes of rows stays, whether or not it is described
  const kept = (live?.keptIn ?? []).filter(
    ({ name, kind }) => !described.has(name) || kind === 'aggregate' || kind === 'compressed',
  )
  const listed = (catalogue?.collections ?? []).flatMap(({ name, view, copyOf }): KeptCopy[] => {
    if (copyOf === collection.name && !described.has(name)) return [{ name, kind: view ? 'snapshot' : 'clone' }]
    return view?.stored && view.shows?.includes(collection.name) ? [{ name, kind: 'materialized_view' }] : []
  })
  return [...listed, ...kept]
}

export function keptElsewhere(node: CollectionNode, catalogue: Catalogue | undefined): KeptElsewhere {
  const copies = keptCopies(node, catalogue)
  const { keepsHistoryDays: keptDays } = node.live ?? {}
  return { ...(keptDays && { keptDays }), ...(copies.length > 0 && { keptCopies: copies }) }
}
