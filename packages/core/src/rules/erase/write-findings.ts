import type { Finding } from '../findings/finding.js'
import type { CollectionNode } from '../plan/collection-node.js'

/** What is known of a write before anything is written: that it is impossible, or what it may change unseen. */
export function writeFindings(node: CollectionNode, how: 'mask' | 'delete'): Finding[] {
  return [...unwritable(node), ...(how === 'delete' ? unseenReferences(node) : [])]
}

/** Reports a collection that cannot be written, instead of failing at the first statement. */
function unwritable({ address, dataset, collection, live }: CollectionNode): Finding[] {
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

/** The server carries a deletion on to rows that refer, whether or not the user of the connection may see their table. */
function unseenReferences({ address, dataset, collection, live }: CollectionNode): Finding[] {
  if (live?.referencesUnknown === undefined) return []
  const message = `Rows of '${address}' are deleted, and the user of the connection is not told of foreign keys of tables on which it has no right: where one of them cascades, rows that nobody has seen are deleted or changed as well. ${live.referencesUnknown}`
  return [{ type: 'unseen_references', severity: 'warning', loc: [dataset.service_key, collection.name], message }]
}
