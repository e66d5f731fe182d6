/** Hands chunks from a producer that pushes to a consumer that pulls; `push` resolves when there is room again. */
export function pipe<Item>() {
  let waiting: { item: Item; taken: () => void } | undefined
  let ended = false
  let failure: unknown
  let wake = () => {}
  let release: (() => void) | undefined
  const stream = async function* (): AsyncIterable<Item> {
    for (;;) {
      if (failure !== undefined) throw failure
      if (waiting) {
        const { item, taken } = waiting
        waiting = undefined
        taken()
        yield item
      } else if (ended) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return {
    stream: stream(),
    async push(item: Item): Promise<void> {
      while (waiting && failure === undefined) await new Promise<void>((resolve) => (release = resolve))
      if (failure !== undefined) throw failure
      waiting = { item, taken: () => release?.() }
      wake()
    },
    end() {
      ended = true
      wake()
    },
    /** Both sides reject from now on. */
    fail(error: unknown) {
      failure ??= error ?? new Error('The stream was given up.')
      wake()
      release?.()
    },
  }
}
