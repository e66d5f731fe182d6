/**
 * Groups nodes that lead to each other, each group before those it leads to (Tarjan's algorithm, without recursion). A
 * node is a position in `next`, which lists the nodes it leads to.
 */
export function stronglyConnected(next: readonly (readonly number[])[]): readonly (readonly number[])[] {
  return [...groupsFromBehind(next.length, (node) => next[node] ?? [])].reverse()
}

/** The same groups in the opposite order, one at a time. */
export function* groupsFromBehind(
  count: number,
  next: (node: number) => ArrayLike<number>,
): Iterable<readonly number[]> {
  const unvisited = -1
  const index = new Int32Array(count).fill(unvisited)
  const low = new Int32Array(count)
  const followed = new Int32Array(count)
  const isOpen = new Uint8Array(count)
  const open: number[] = []
  const path: number[] = []
  let visited = 0
  const enter = (node: number) => {
    index[node] = low[node] = visited++
    isOpen[node] = 1
    open.push(node)
    path.push(node)
  }
  const lower = (node: number, to: number) => {
    low[node] = Math.min(low[node] as number, to)
  }
  for (let root = 0; root < count; root++) {
    if (index[root] !== unvisited) continue
    enter(root)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const at = followed[top] as number
      const to = next(top)[at]
      if (to !== undefined) {
        followed[top] = at + 1
        if (index[to] === unvisited) enter(to)
        else if (isOpen[to]) lower(top, index[to] as number)
        continue
      }
      path.pop()
      const above = path.at(-1)
      if (above !== undefined) lower(above, low[top] as number)
      if (low[top] !== index[top]) continue
      const group = open.splice(open.lastIndexOf(top))
      for (const node of group) isOpen[node] = 0
      yield group
    }
  }
}
