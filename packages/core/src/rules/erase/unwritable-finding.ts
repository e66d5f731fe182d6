import type { Finding } from '../findings/finding.js'
import type { CollectionNode } from '../plan/collection-node.js'

/** Reports a collection that cannot be written before anything is written, instead of failing at the first statement. */
export function unwritableFinding({ address, dataset, collection, live }: CollectionNode): Finding[] {
  if (live?.view?.writable !== false && live?.unwritable === undefined) return []
  const shows = live.view?.shows?.map((name) => `'${name}'`).join(', ')
  const way = shows ? `describe the tables behind it (${shows})` : 'erase its rows on the server that holds them'
  const why =
    live.unwritable === undefined
      ? `shows rows of other tables and cannot be written, so it cannot be erased: ${way}, and set`
      : `cannot be erased. ${live.unwritable} Or set`
  const message = `'${address}' ${why} 'skip_processing' on it and give it no data categories, or keep its fields with 'read_only'.`
  return [{ type: 'erasure_impossible', severity: 'error', loc: [dataset.service_key, collection.name], message }]
}
