import assert from 'node:assert/strict'
import type { CallOptions, Connection, Read } from '@habeas/core'
import type { Test } from '../test.js'
import {
  anyOf,
  batchesOf,
  type ConnectorContractOptions,
  connectorCases,
  type OpenConnector,
  rowsOf,
  tableOf,
} from './connector-under-test.js'
import { deadline } from './deadline.js'

/** Twelve mebibytes: never a single batch. */
const large: Read = { collection: 'attachments', columns: ['id', 'content'], anyOf: [anyOf('customer_id', 1)] }
const small: Read = { collection: 'customers', columns: ['id'], anyOf: [anyOf('email', 'john@example.com')] }
const largestBatch = 8 * 1024 * 1024

/** How rows stream, and how connections are freed when rows are not read to the end. */
export const connectorStreamsContract = (test: Test, open: OpenConnector, options: ConnectorContractOptions): void => {
  const given = connectorCases(test, open, options)
  const promptly = deadline(options)

  /** A read whose first batch has arrived, with more to come. */
  const begun = async (connection: Connection, options?: CallOptions) => {
    const iterator = connection.read(large, options)[Symbol.asyncIterator]()
    const first = await promptly(iterator.next(), 'the first batch comes')
    assert.ok(first.done !== true && first.value.length < 48, 'the first batch is not everything')
    return iterator
  }

  /** As many reads as may run at once: they cannot all end when something else still holds a cursor. */
  const worksStill = async (connection: Connection): Promise<void> => {
    const reads = Array.from({ length: connection.concurrency }, () => rowsOf(connection, small))
    for (const rows of await promptly(Promise.all(reads), 'the reads that follow end')) assert.deepEqual(rows, [[3]])
  }

  given('rows come in several batches, sized by bytes', async ({ connection }) => {
    const batches = await batchesOf(connection, large)
    assert.deepEqual(
      batches.flatMap((batch) => batch.map(([id]) => Number(id))).sort((left, right) => left - right),
      tableOf('attachments').rows.map(({ id }) => id),
    )
    for (const batch of batches) {
      const bytes = batch.reduce((sum, [, content]) => sum + String(content).length, 0)
      assert.ok(bytes <= largestBatch, `a batch of ${bytes} bytes`)
    }
  })

  given('a read that finds nothing ends without rows', async ({ connection }) => {
    assert.deepEqual(await rowsOf(connection, { ...small, anyOf: [anyOf('email', 'nobody@example.com')] }), [])
  })

  given('reads run at the same time, as many as the connection says', async ({ connection }) => {
    assert.ok(connection.concurrency >= 1)
    const reads = await Promise.all(Array.from({ length: connection.concurrency }, () => begun(connection)))
    const rests = reads.map(async (iterator) => {
      let rows = 0
      for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) rows += step.value.length
      return rows
    })
    for (const rows of await Promise.all(rests)) assert.ok(rows > 0 && rows < 48)
  })

  given('a consumer that stops early frees the connection', async ({ connection }) => {
    for (let turn = 0; turn < connection.concurrency * 3; turn += 1) {
      const iterator = await begun(connection)
      await promptly(Promise.resolve(iterator.return?.()), 'the iterator returns')
    }
    await worksStill(connection)
  })

  given('a consumer that throws frees the connection', async ({ connection }) => {
    const failure = new Error('consumer failed')
    const consume = async () => {
      for await (const batch of connection.read(large)) if (batch.length > 0) throw failure
    }
    for (let turn = 0; turn < connection.concurrency * 2; turn += 1) {
      await assert.rejects(promptly(consume(), 'the read ends'), (error) => error === failure)
    }
    await worksStill(connection)
  })

  given('a read that is never begun holds nothing', async ({ connection }) => {
    for (let turn = 0; turn < connection.concurrency * 2; turn += 1) connection.read(large)
    await worksStill(connection)
  })

  given('an abort makes the next batch reject and frees the connection', async ({ connection }) => {
    for (let turn = 0; turn < connection.concurrency * 2; turn += 1) {
      const abort = new AbortController()
      const iterator = await begun(connection, { signal: abort.signal })
      abort.abort()
      await assert.rejects(promptly(drain(iterator), 'the read ends'), isNotLate)
    }
    await worksStill(connection)
  })

  given('an abort frees the connection even if the next batch is never requested', async ({ connection }) => {
    for (let turn = 0; turn < connection.concurrency * 2; turn += 1) {
      const abort = new AbortController()
      await begun(connection, { signal: abort.signal })
      abort.abort()
    }
    await worksStill(connection)
  })

  given('every call rejects when its signal has been aborted before', async ({ connection }) => {
    const options = { signal: AbortSignal.abort() }
    const calls: (() => Promise<unknown>)[] = [
      () => drain(connection.read(small, options)[Symbol.asyncIterator]()),
      () => connection.count([small], options),
      () => connection.describe(options),
      () => connection.ping(options),
    ]
    for (const call of calls) await assert.rejects(promptly(call(), 'the call ends'), isNotLate)
    await worksStill(connection)
  })

  given('close ends what is running', async ({ connection }) => {
    const iterator = await begun(connection)
    const rest = drain(iterator)
    const settled = rest.then(
      () => {},
      () => {},
    )
    await promptly(connection.close(), 'close resolves')
    await promptly(settled, 'the read ends')
  })

  given('close may be called twice', async ({ connection }) => {
    await worksStill(connection)
    await promptly(Promise.all([connection.close(), connection.close()]), 'close resolves')
    await promptly(connection.close(), 'close resolves')
  })
}

const drain = async (iterator: AsyncIterator<unknown>): Promise<void> => {
  for (let step = await iterator.next(); step.done !== true; step = await iterator.next());
}

const isNotLate = (error: unknown): boolean => !(error instanceof assert.AssertionError)
