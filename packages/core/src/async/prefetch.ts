/**
 * Makes the next item while the one before it is worked on. It is begun only once that work waits for something, so that
 * what it sends is on its way first.
 */
export async function* prefetch<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
  const iterator = items[Symbol.asyncIterator]()
  let next = iterator.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done) return
      next = new Promise<void>((resolve) => setImmediate(resolve)).then(() => iterator.next())
      // Told when it is asked for.
      next.catch(() => {})
      yield value
    }
  } finally {
    await next.catch(() => {})
    await iterator.return?.()
  }
}
