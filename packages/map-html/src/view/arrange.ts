import { blocks } from './blocks.js'
import { columns } from './columns.js'
import type { Arrangement, Placeable } from './placeable.js'

/** With more nodes than this, lines between all of them would hide more than they show. */
const mostInColumns = 120

/**
 * Where nodes stand: in a column for each rank, or in blocks of their groups where there are many. The whole has about
 * the `shape` of the window, its width divided by its height. `gap` is what is left free between ranks. The same nodes have the same places each time.
 */
export function arrange(
  nodes: readonly Placeable[],
  edges: readonly { readonly from: number; readonly to: number }[],
  { shape, gap }: { readonly shape: number; readonly gap: number },
): Arrangement {
  if (nodes.length > mostInColumns) return blocks(nodes, shape)
  return { positions: columns(nodes, edges, { shape, gap }), panels: [] }
}
