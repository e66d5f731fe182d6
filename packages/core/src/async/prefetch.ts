/** An item, and a call that begins to fetch the next one. */
export interface Fetched<Item> {
  readonly item: Item
  fetchNext(): void
}

/**
 * Fetches the next item while the caller works on the current one, from the moment that the caller chooses: best when it waits for
 * something long. The fetch starts once the caller waits, so that its own calls are sent first.
 */
export async function* prefetch<Item>(items: AsyncIterable<Item>): AsyncIterable<Fetched<Item>> {
  const iterator = items[Symbol.asyncIterator]()
  let next: Promise<IteratorResult<Item>> | undefined
  const fetchNext = () => {
    next ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => iterator.next())
    // the loop throws the error when it awaits the item
    next.catch(() => {})
  }
  try {
    for (;;) {
      const { done, value } = await (next ?? iterator.next())
      next = undefined
      if (done) return
      yield { item: value, fetchNext }
    }
  } finally {
    await next?.catch(() => {})
    await iterator.return?.()
  }
}
