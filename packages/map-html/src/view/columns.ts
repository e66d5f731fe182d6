import { orderColumns } from './order-columns.js'
import { cell, type Placeable, type Position } from './placeable.js'

/** A rank of more nodes than this stands in several columns, as long as the picture is not too wide. */
const mostRows = 20

/** Puts each rank into a column of its own, or into several where it is long. */
export function columns(
  nodes: readonly Placeable[],
  edges: readonly { readonly from: number; readonly to: number }[],
  { shape, gap }: { readonly shape: number; readonly gap: number },
): Position[] {
  const ranks = [...new Set(nodes.map(({ rank }) => rank))].sort((a, b) => a - b)
  const ordered = orderColumns(
    nodes.length,
    edges,
    ranks.map((rank) => nodes.flatMap((node, at) => (node.rank === rank ? [at] : []))),
  )
  const lengths = ordered.map(({ length }) => length)
  const rows = rowsFor(lengths, { shape, gap })
  const tallest = Math.max(1, ...lengths.map((length) => Math.min(rows, length)))
  const gaps = ranks.map((rank, column) => {
    const isCrossed = edges.some(({ from, to }) => isBeside(rank, nodes[from]?.rank, nodes[to]?.rank))
    return column === ranks.length - 1 ? 0 : isCrossed ? gap : gap / 4
  })
  const width = sum(lengths.map((length) => Math.ceil(length / rows) * cell.width)) + sum(gaps)
  // A picture that is lower than the window is drawn apart a little.
  const height = cell.height * Math.min(1.5, Math.max(1, width / shape / (tallest * cell.height)))
  const positions: Position[] = nodes.map(() => ({ x: 0, y: 0 }))
  let left = 0
  for (const [at, column] of ordered.entries()) {
    const top = ((tallest - Math.min(rows, column.length)) * height) / 2
    for (const [slot, node] of column.entries())
      positions[node] = {
        x: left + (Math.floor(slot / rows) + 0.5) * cell.width,
        y: top + ((slot % rows) + 0.5) * height,
      }
    left += Math.ceil(column.length / rows) * cell.width + (gaps[at] as number)
  }
  return positions
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

/** Whether an edge between two ranks, or around the side of one, runs in the gap behind a rank. */
function isBeside(rank: number, from = 0, to = 0): boolean {
  return from === to ? from === rank : Math.min(from, to) <= rank && Math.max(from, to) > rank
}

/** The number of rows with which the picture is about as wide and as high as asked for. */
function rowsFor(lengths: readonly number[], { shape, gap }: { readonly shape: number; readonly gap: number }): number {
  const longest = Math.max(1, ...lengths)
  const widthOf = (rows: number) =>
    lengths.reduce((sum, length) => sum + Math.ceil(length / rows) * cell.width + gap, -gap)
  let rows = Math.min(longest, mostRows)
  while (rows < longest && widthOf(rows) > rows * cell.height * shape) rows++
  return rows
}
