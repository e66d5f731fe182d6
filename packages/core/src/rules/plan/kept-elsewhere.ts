import type { Catalogue } from '../../model/catalogue.js'
import type { KeptCopy, KeptElsewhere } from '../../model/kept-copy.js'
import type { CollectionNode } from './collection-node.js'

/** Copies that may be collections of their own. What the server makes of rows stays, whether or not it is described. */
const copies: ReadonlySet<KeptCopy['kind']> = new Set(['snapshot', 'clone', 'stream', 'history'])

/** What keeps rows of a collection, and is not described as a collection of its own. */
export function keptCopies(
  { dataset, collection, live, fields }: Pick<CollectionNode, 'dataset' | 'collection' | 'live' | 'fields'>,
  catalogue: Catalogue | undefined,
): readonly KeptCopy[] {
  const erasesAll = collection.service_meta?.erase === 'delete'
  const described = new Set(dataset.collections.map((each) => each.name))
  const kept = (live?.keptIn ?? []).filter(({ name, kind }) => {
    // an object stays where its number is erased
    if (kind === 'large_object') return erasesAll || (fields.get(name)?.categories.length ?? 0) > 0
    return !copies.has(kind) || !described.has(name)
  })
  const listed = (catalogue?.collections ?? []).flatMap(({ name, view, copyOf }): KeptCopy[] => {
    if (copyOf === collection.name && !described.has(name)) return [{ name, kind: view ? 'snapshot' : 'clone' }]
    return view?.stored && view.shows?.includes(collection.name) ? [{ name, kind: 'materialized_view' }] : []
  })
  const far = (live?.heldIn ?? []).flatMap(({ schema, collection: name, as }): KeptCopy[] => {
    return as === 'materialized view' ? [{ name: `${schema}.${name}`, kind: 'materialized_view' }] : []
  })
  return [...listed, ...far, ...kept]
}

export function keptElsewhere(node: CollectionNode, catalogue: Catalogue | undefined): KeptElsewhere {
  const copies = keptCopies(node, catalogue)
  const { keepsHistoryDays: keptDays } = node.live ?? {}
  return { ...(keptDays && { keptDays }), ...(copies.length > 0 && { keptCopies: copies }) }
}
