import { expect, it } from 'vitest'
import type { Connection, Erase, Read } from '../../ports/connector.js'
import { pacedConnection } from './paced-connection.js'

const never = async () => {}
const rows = {
  concurrency: 2,
  async *read() {
    yield [[1]]
    yield [[2]]
  },
  erase: never,
  close: never,
} as unknown as Connection

it('rests after each batch that was read or written', async () => {
  const slow = pacedConnection(rows, 100)
  const at: number[] = []
  for await (const _ of slow.read({} as Read)) at.push(performance.now())
  await slow.erase?.({} as Erase)
  at.push(performance.now())
  const [first = 0, second = 0, erased = 0] = at
  expect(second - first).toBeGreaterThan(95)
  // After the second batch, and after the write.
  expect(erased - second).toBeGreaterThan(195)
})

it('a run that is told to end does not wait', async () => {
  const slow = pacedConnection(rows, 2 ** 30)
  const stop = new AbortController()
  const seen: unknown[] = []
  for await (const batch of slow.read({} as Read, { signal: stop.signal })) {
    seen.push(batch)
    stop.abort()
  }
  expect(seen).toEqual([[[1]], [[2]]])
})
