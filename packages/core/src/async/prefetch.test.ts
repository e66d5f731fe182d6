import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { prefetch } from './prefetch.js'

/** Notes which items were fetched, and whether they were let go. */
function source(count: number, fails?: number) {
  const fetched: number[] = []
  let ended = false
  async function* items() {
    try {
      for (let item = 0; item < count; item++) {
        if (item === fails) throw new Error('lost')
        fetched.push(item)
        yield item
      }
    } finally {
      ended = true
    }
  }
  return { items: items(), fetched, ended: () => ended }
}

describe('prefetch', () => {
  it('fetches the next item once the caller asks for it and waits, and each once', async () => {
    const { items, fetched } = source(3)
    const seen: number[] = []
    for await (const { item, fetchNext } of prefetch(items)) {
      expect(fetched.at(-1)).toBe(item)
      fetchNext()
      fetchNext()
      expect(fetched.at(-1)).toBe(item)
      await turn()
      await turn()
      expect(fetched.at(-1)).toBe(Math.min(item + 1, 2))
      seen.push(item)
    }
    expect(seen).toEqual([0, 1, 2])
  })

  it('goes on where the caller never asks', async () => {
    const seen: number[] = []
    for await (const { item } of prefetch(source(3).items)) seen.push(item)
    expect(seen).toEqual([0, 1, 2])
  })

  it('rejects in the loop when fetching fails meanwhile', async () => {
    const { items } = source(3, 1)
    const seen: number[] = []
    const all = async () => {
      for await (const { item, fetchNext } of prefetch(items)) {
        fetchNext()
        await turn()
        seen.push(item)
      }
    }
    await expect(all()).rejects.toThrow('lost')
    expect(seen).toEqual([0])
  })

  it('lets the items go when the caller stops', async () => {
    const { items, ended } = source(3)
    for await (const { fetchNext } of prefetch(items)) {
      fetchNext()
      break
    }
    expect(ended()).toBe(true)
  })
})
