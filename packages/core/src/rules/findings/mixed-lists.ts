import type { CollectionNode } from '../plan/collection-node.js'
import { allAround, isListAt, liveAt } from '../plan/known-members.js'
import type { Finding } from './finding.js'

/**
 * Lists of objects around the fields by which a collection is searched, where the dataset says that there are objects, or other
 * sampled documents hold one.
 */
export function mixedLists(node: CollectionNode): Finding[] {
  const { address, dataset, collection, fields } = node
  const found = new Map<string, Finding>()
  for (const field of fields.values()) {
    const { identity, references } = field.field.service_meta
    if (identity === undefined && references.length === 0) continue
    for (const path of allAround(field)) {
      const [place, live, isList] = [path.join('.'), liveAt(node, path), isListAt(node, path)]
      if (!live?.array || (isList && !live.orObject) || found.has(place)) continue
      const said = isList
        ? 'the object of such a document is taken for a list with one element, so its fields do not decide whose the rest of the document is. Store lists in all of them'
        : `documents with a list there are undecided where that leaves open whose they are. Say 'data_type: object[]' on '${place}' where its elements may belong to several people, or store an object in all of them`
      found.set(place, {
        type: 'column_with_lists',
        severity: 'warning',
        loc: [dataset.service_key, collection.name, place],
        message: `'${address}' is searched by '${field.name}', but '${place}' is ${live.type}: ${said}.`,
      })
    }
  }
  return [...found.values()]
}
