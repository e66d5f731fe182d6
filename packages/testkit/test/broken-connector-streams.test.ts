import type { Row } from '@habeas/core'
import { describe } from 'vitest'
import { type BrokenConnector, connectorsFoundOut, faulty } from './faulty-connector.js'

/** A pool of as many cursors as the connection says, and a reason to give one back. */
const pooled = (givesBack: 'only at the end' | 'not on abort') =>
  faulty((connection) => {
    let free = connection.concurrency
    const waiting: (() => void)[] = []
    const acquire = async () => {
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
      else free -= 1
    }
    const release = () => {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
    return {
      async *read(read, { signal } = {}) {
        signal?.throwIfAborted()
        await acquire()
        let ended = false
        try {
          for await (const batch of connection.read(read)) {
            yield batch
            signal?.throwIfAborted()
          }
          ended = true
        } finally {
          if (givesBack === 'not on abort' || ended) release()
        }
      },
    }
  })

const streams: readonly BrokenConnector[] = [
  [
    'gives all rows in one batch',
    faulty(() => ({}), { batchSize: 1_000 }),
    'rows come in several batches, sized by bytes',
  ],
  [
    'loses the last batch',
    faulty((connection) => ({
      async *read(read, options) {
        let held: readonly Row[] | undefined
        for await (const batch of connection.read(read, options)) {
          if (held !== undefined) yield held
          held = batch
        }
      },
    })),
    'rows come in several batches, sized by bytes',
  ],
  [
    'gives a row of nothing when it finds none',
    faulty((connection) => ({
      async *read(read, options) {
        let found = false
        for await (const batch of connection.read(read, options)) {
          found = true
          yield batch
        }
        if (!found) yield [read.columns.map(() => null)]
      },
    })),
    'a read that finds nothing ends without rows',
  ],
  [
    'keeps a cursor when a consumer stops early',
    pooled('only at the end'),
    'a consumer that stops early frees the connection',
    'a consumer that throws frees the connection',
    'an abort makes the next batch reject and frees the connection',
  ],
  [
    'keeps a cursor after an abort until it is asked again',
    pooled('not on abort'),
    'an abort frees the connection even if the next batch is never requested',
  ],
  [
    'ignores signals',
    faulty((connection) => ({
      read: (read) => connection.read(read),
      count: (counts) => connection.count(counts),
    })),
    'an abort makes the next batch reject and frees the connection',
    'every call rejects when its signal has been aborted before',
  ],
  [
    'ends quietly when aborted',
    faulty((connection) => ({
      async *read(read, { signal } = {}) {
        for await (const batch of connection.read(read)) {
          if (signal?.aborted === true) return
          yield batch
        }
      },
    })),
    'an abort makes the next batch reject and frees the connection',
  ],
  [
    'runs one read at a time',
    faulty((connection) => {
      let last: Promise<void> = Promise.resolve()
      return {
        async *read(read, options) {
          const before = last
          let end = () => {}
          last = new Promise((resolve) => {
            end = resolve
          })
          await before
          try {
            yield* connection.read(read, options)
          } finally {
            end()
          }
        },
      }
    }),
    'reads run at the same time, as many as the connection says',
  ],
  [
    'opens a cursor before it is asked for rows',
    faulty((connection) => {
      let free = connection.concurrency
      return {
        read(read, options) {
          free -= 1
          if (free < 0) throw new Error('no cursor is free')
          return connection.read(read, options)
        },
      }
    }),
    'a read that is never begun holds nothing',
  ],
  [
    'never ends what is running when it is closed',
    faulty((connection) => ({
      async *read(read, options) {
        for await (const batch of connection.read(read, options)) {
          yield batch
          await new Promise(() => {})
        }
      },
    })),
    'close ends what is running',
  ],
  [
    'cannot be closed twice',
    faulty((connection) => {
      let closed = 0
      return {
        async close() {
          closed += 1
          if (closed === 2) throw new Error('closed already')
          await connection.close()
        },
      }
    }),
    'close may be called twice',
  ],
]

describe('connectorReadContract, on streams', () => connectorsFoundOut(streams))
