import type { CollectionNode } from './collection-node.js'

/** True when `names` hold a whole key of the collection, so that they name one row at most. */
export function coversKey(node: Pick<CollectionNode, 'keys'>, names: readonly string[]): boolean {
  return node.keys.some((key) => key.every((name) => names.includes(name)))
}
