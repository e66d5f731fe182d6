/** A queue that returns the least item first. `before` must be a total order. */
export function leastFirst<Item>(before: (a: Item, b: Item) => boolean) {
  const items: Item[] = []
  const swap = (i: number, j: number) => {
    const held = items[i] as Item
    items[i] = items[j] as Item
    items[j] = held
  }
  return {
    get size() {
      return items.length
    },
    push(item: Item) {
      items.push(item)
      for (let at = items.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1
        if (!before(items[at] as Item, items[parent] as Item)) break
        swap(at, parent)
        at = parent
      }
    },
    pop(): Item | undefined {
      const least = items[0]
      const last = items.pop()
      if (items.length > 0) {
        items[0] = last as Item
        for (let at = 0; ; ) {
          let next = at
          for (const child of [2 * at + 1, 2 * at + 2]) {
            if (child < items.length && before(items[child] as Item, items[next] as Item)) next = child
          }
          if (next === at) break
          swap(at, next)
          at = next
        }
      }
      return least
    },
  }
}
