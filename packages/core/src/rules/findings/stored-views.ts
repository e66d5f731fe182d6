import type { Catalogue } from '../../model/catalogue.js'
import type { CollectionNode } from '../plan/collection-node.js'
import type { Finding } from './finding.js'

/** Materialized views of searched tables. An erasure does not reach the rows they keep. */
export function storedViews(
  { address, dataset, collection, unavailable }: CollectionNode,
  catalogue: Catalogue | undefined,
): Finding[] {
  if (unavailable === 'skip_processing') return []
  return (catalogue?.collections ?? []).flatMap(({ name, view }): Finding[] => {
    if (!view?.stored || !view.shows?.includes(collection.name)) return []
    const message = `The materialized view '${name}' keeps rows of '${address}' until it is refreshed: refresh it after each erasure.`
    return [{ type: 'materialized_view', severity: 'warning', loc: [dataset.service_key, collection.name], message }]
  })
}
