/**
 * Fetches the next item while the caller works on the current one. The fetch starts once that work waits for something, so
 * that the work sends its own calls first.
 */
export async function* prefetch<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
  const iterator = items[Symbol.asyncIterator]()
  let next = iterator.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done) return
      next = new Promise<void>((resolve) => setImmediate(resolve)).then(() => iterator.next())
      // The loop throws the error when it awaits the item.
      next.catch(() => {})
      yield value
    }
  } finally {
    await next.catch(() => {})
    await iterator.return?.()
  }
}
