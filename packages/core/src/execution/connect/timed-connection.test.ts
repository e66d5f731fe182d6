import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Connection, Erase, Read } from '../../ports/connector.js'
import { timedConnection } from './timed-connection.js'

const never = new Promise<never>(() => {})
const read = { collection: 'c', columns: ['a'], anyOf: [] } satisfies Read
const timedOut = { code: 'connection_failed', details: { reason: 'timeout', transient: true } }

const silent = {
  concurrency: 3,
  ping: () => never,
  describe: () => never,
  async *read() {
    yield [['first']]
    await never
  },
  count: () => never,
  countEach: () => never,
  erase: () => never,
  endWrites: () => never,
  close: async () => {},
} satisfies Connection

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a connection that gives no answer', () => {
  it.each<[string, (connection: Connection) => Promise<unknown>]>([
    ['ping', (connection) => connection.ping()],
    ['describe', (connection) => connection.describe()],
    ['count', (connection) => connection.count([read])],
    ['countEach', (connection) => connection.countEach!({ collection: 'c', group: { fields: [], values: [] } })],
    ['erase', (connection) => connection.erase!({} as Erase)],
    ['endWrites', (connection) => connection.endWrites!('lock')],
  ])('fails the call of %s in a way that may pass', async (_, call) => {
    const onSilence = vi.fn()
    const ended = expect(call(timedConnection(silent, 2, onSilence))).rejects.toMatchObject(timedOut)
    await vi.advanceTimersByTimeAsync(119_999)
    expect(onSilence).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await ended
    expect(onSilence).toHaveBeenCalledOnce()
  })

  it('fails a read between two batches, and does not wait for its end', async () => {
    const onSilence = vi.fn()
    const rows = timedConnection(silent, 2, onSilence).read(read)[Symbol.asyncIterator]()
    expect(await rows.next()).toEqual({ done: false, value: [['first']] })
    // what the reader takes for itself does not count
    await vi.advanceTimersByTimeAsync(600_000)
    const ended = expect(rows.next()).rejects.toMatchObject(timedOut)
    await vi.advanceTimersByTimeAsync(120_000)
    await ended
    expect(onSilence).toHaveBeenCalledOnce()
  })

  it('is told to stop', async () => {
    let told: AbortSignal | undefined
    const count: Connection['count'] = (_, options) => {
      told = options?.signal
      return never
    }
    const connection = timedConnection({ ...silent, count }, 2, () => {})
    const ended = expect(connection.count([read], { signal: new AbortController().signal })).rejects.toMatchObject(
      timedOut,
    )
    await vi.advanceTimersByTimeAsync(120_000)
    await ended
    expect(told?.aborted).toBe(true)
  })
})

describe('a connection that gives empty batches without an end', () => {
  const empty = {
    ...silent,
    async *read() {
      for (;;) yield []
    },
  } satisfies Connection
  const all = async (rows: AsyncIterable<unknown>) => {
    for await (const _ of rows);
  }

  it('is silent', async () => {
    vi.useRealTimers()
    const rows = timedConnection(empty, 0.001, () => {}).read(read)
    const message = expect.stringContaining('gave nothing but empty batches for 0.001 minutes')
    await expect(all(rows)).rejects.toMatchObject({ ...timedOut, message })
  })

  it('ends when its caller says so', async () => {
    vi.useRealTimers()
    const rows = timedConnection(empty, 2, () => {}).read(read, { signal: AbortSignal.timeout(30) })
    await expect(all(rows)).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})

describe('a connection that answers', () => {
  it('gives what it gave, and ends a read that its reader ends', async () => {
    let isReleased = false
    const onSilence = vi.fn()
    const answering = {
      ...silent,
      async *read() {
        try {
          yield [[1]]
          yield [[2]]
        } finally {
          isReleased = true
        }
      },
      count: async () => [7],
    } satisfies Connection
    const timed = timedConnection(answering, 2, onSilence)
    expect(await timed.count([read])).toEqual([7])
    const all: unknown[] = []
    for await (const rows of timed.read(read)) all.push(...rows)
    expect(all).toEqual([[1], [2]])
    isReleased = false
    for await (const _ of timed.read(read)) break
    expect(isReleased).toBe(true)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(onSilence).not.toHaveBeenCalled()
  })

  it('fails as it fails', async () => {
    const error = new Error('no such table')
    const failing = { ...silent, count: () => Promise.reject(error) } satisfies Connection
    await expect(timedConnection(failing, 2, () => {}).count([read])).rejects.toBe(error)
  })
})
