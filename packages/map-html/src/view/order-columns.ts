/** How often the columns are gone through. More changes little. */
const sweeps = 6

/** Orders the nodes of each column so that few edges cross: each stands at the mean of what it is connected with. */
export function orderColumns(
  count: number,
  edges: readonly { readonly from: number; readonly to: number }[],
  columns: readonly (readonly number[])[],
): number[][] {
  const near: number[][] = Array.from({ length: count }, () => [])
  for (const { from, to } of edges) {
    near[from]?.push(to)
    near[to]?.push(from)
  }
  // From 0 at the top to 1 at the bottom of a column.
  const heights = near.map(() => 0)
  const note = (column: readonly number[]) => {
    for (const [row, at] of column.entries()) heights[at] = (row + 0.5) / column.length
  }
  const ordered = columns.map((column) => [...column])
  for (const column of ordered) note(column)
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (const column of sweep % 2 === 0 ? ordered : [...ordered].reverse()) {
      const means = new Map(
        column.map((at) => [at, mean(near[at]?.map((each) => heights[each] as number)) ?? heights[at]]),
      )
      column.sort((a, b) => (means.get(a) as number) - (means.get(b) as number) || a - b)
      note(column)
    }
  }
  return ordered
}

function mean(numbers: readonly number[] = []): number | undefined {
  return numbers.length === 0 ? undefined : numbers.reduce((sum, each) => sum + each, 0) / numbers.length
}
