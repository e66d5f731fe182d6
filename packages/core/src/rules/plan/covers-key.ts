import type { CollectionNode } from './collection-node.js'

/** Whether `names` include a whole key of the collection, so that they name at most one row. */
export function coversKey(node: Pick<CollectionNode, 'keys'>, names: readonly string[]): boolean {
  return node.keys.some((key) => key.every((name) => names.includes(name)))
}
