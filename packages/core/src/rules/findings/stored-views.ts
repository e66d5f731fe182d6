import type { Catalogue } from '../../model/catalogue.js'
import type { CollectionNode } from '../plan/collection-node.js'
import type { Finding } from './finding.js'

/** Materialized views and copies of searched tables. An erasure does not reach the rows they keep. */
export function storedViews(
  { address, dataset, collection, unavailable }: CollectionNode,
  catalogue: Catalogue | undefined,
): Finding[] {
  if (unavailable === 'skip_processing') return []
  const described = new Set(dataset.collections.map((each) => each.name))
  return (catalogue?.collections ?? []).flatMap(({ name, view, copyOf }): Finding[] => {
    if (copyOf === collection.name && !described.has(name)) {
      const way = view
        ? 'delete it, and make a new one, after each erasure'
        : 'describe it as a collection of its own, or delete it'
      const message = `'${name}' is a copy of '${address}' as it was at some time, and an erasure does not reach it: ${way}.`
      return [{ type: 'kept_copy', severity: 'warning', loc: [dataset.service_key, collection.name], message }]
    }
    if (!view?.stored || !view.shows?.includes(collection.name)) return []
    const message = `The materialized view '${name}' keeps rows of '${address}' until it is refreshed: refresh it after each erasure.`
    return [{ type: 'materialized_view', severity: 'warning', loc: [dataset.service_key, collection.name], message }]
  })
}
