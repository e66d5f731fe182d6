import { orderColumns } from './order-columns.js'
import { cell, type Placeable, type Position } from './placeable.js'

/** Between two ranks, where edges run. */
const gap = 130
/** A rank of more nodes than this stands in several columns, as long as the picture is not too wide. */
const mostRows = 14

/** Puts each rank into a column of its own, or into several where it is long. */
export function columns(
  nodes: readonly Placeable[],
  edges: readonly { readonly from: number; readonly to: number }[],
  shape: number,
): Position[] {
  const ranks = [...new Set(nodes.map(({ rank }) => rank))].sort((a, b) => a - b)
  const ordered = orderColumns(
    nodes.length,
    edges,
    ranks.map((rank) => nodes.flatMap((node, at) => (node.rank === rank ? [at] : []))),
  )
  const lengths = ordered.map(({ length }) => length)
  const rows = rowsFor(lengths, shape)
  const tallest = Math.max(1, ...lengths.map((length) => Math.min(rows, length)))
  const positions: Position[] = nodes.map(() => ({ x: 0, y: 0 }))
  let left = 0
  for (const column of ordered) {
    const top = ((tallest - Math.min(rows, column.length)) * cell.height) / 2
    for (const [slot, at] of column.entries())
      positions[at] = {
        x: left + Math.floor(slot / rows) * cell.width + cell.width / 2,
        y: top + (slot % rows) * cell.height + cell.height / 2,
      }
    left += Math.ceil(column.length / rows) * cell.width + gap
  }
  return positions
}

/** The number of rows with which the picture is about as wide and as high as asked for. */
function rowsFor(lengths: readonly number[], shape: number): number {
  const longest = Math.max(1, ...lengths)
  const widthOf = (rows: number) =>
    lengths.reduce((sum, length) => sum + Math.ceil(length / rows) * cell.width + gap, -gap)
  let rows = Math.min(longest, mostRows)
  while (rows < longest && widthOf(rows) > rows * cell.height * shape) rows++
  return rows
}
