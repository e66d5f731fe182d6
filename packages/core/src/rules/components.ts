/** Groups of nodes that lead to one another, each group before those it leads to (Tarjan's algorithm, without recursion). */
export function stronglyConnected(
  nodes: readonly string[],
  next: ReadonlyMap<string, Iterable<string>>,
): readonly (readonly string[])[] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()
  const groups: string[][] = []
  for (const root of nodes) {
    if (index.has(root)) continue
    const path: { node: string; rest: Iterator<string> }[] = []
    const enter = (node: string) => {
      index.set(node, index.size)
      low.set(node, index.get(node) as number)
      open.push(node)
      isOpen.add(node)
      path.push({ node, rest: (next.get(node) ?? [])[Symbol.iterator]() })
    }
    enter(root)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const step = top.rest.next()
      if (!step.done) {
        if (!index.has(step.value)) enter(step.value)
        else if (isOpen.has(step.value)) {
          low.set(top.node, Math.min(low.get(top.node) as number, index.get(step.value) as number))
        }
        continue
      }
      path.pop()
      const above = path.at(-1)
      if (above) low.set(above.node, Math.min(low.get(above.node) as number, low.get(top.node) as number))
      if (low.get(top.node) !== index.get(top.node)) continue
      const group = open.splice(open.lastIndexOf(top.node))
      for (const node of group) isOpen.delete(node)
      groups.push(group)
    }
  }
  return groups.reverse()
}
