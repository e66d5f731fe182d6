import type { CatalogueCollection } from '../../model/catalogue.js'
import { lastPart } from '../draft/name-words.js'
import { namesPersonKey } from '../draft/ownership-names.js'
import type { CollectionNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import { isOwnedByNobody, isReferring, type Ownership } from './ownership.js'
import { seenCollection } from './seen-collection.js'
import type { UnreferencedKey } from './unreferenced-keys.js'

/**
 * Columns named like the key or the e-mail address of a person, in collections that nothing connects with a person, and
 * of which the description says nothing. Where a collection is reached, its columns without a category are named
 * instead.
 */
export function unreachedKeys(
  graph: DatasetGraph,
  ownership: Ownership,
  known: readonly UnreferencedKey[],
): readonly UnreferencedKey[] {
  const named = new Set(known.map(({ node, field }) => `${node.address}.${field}`))
  return [...graph.nodes.values()].flatMap((node): UnreferencedKey[] => {
    const { address, live, unavailable } = node
    if (!live || live.view || unavailable !== undefined || ownership.owned.has(address) || isOwnedByNobody(node))
      return []
    const { columns } = seenCollection(node) as CatalogueCollection
    return columns
      .filter(({ name }) => namesPersonKey(lastPart(name)) && !named.has(`${address}.${name}`))
      .filter(({ name }) => !isOwnKey(node, name) && !isAnswered(node, name) && !isReferring(ownership, address, name))
      .map(({ name }) => ({ node, field: name, names: 'is named like the key or the address of a person' }))
  })
}

/** The only key of a collection names its own rows: `client_id` of `clients`. */
function isOwnKey({ keys }: CollectionNode, name: string): boolean {
  return keys.some((key) => key.length === 1 && key[0] === name)
}

/** Whether the description says something of a column, or of a column around it. */
function isAnswered({ fields }: CollectionNode, name: string): boolean {
  const path = name.split('.')
  return path.some((_, at) => {
    const node = fields.get(path.slice(0, at + 1).join('.'))
    if (!node) return false
    const { reviewed, identity, references } = node.field.service_meta
    return reviewed || identity !== undefined || references.length > 0 || node.categories.length > 0
  })
}
