import { randomUUID } from 'node:crypto'
import { type Blobs, PrivacyError } from '@habeas/core'
import { blobStatements, type WrittenChunk } from './blob-statements.js'
import { evenChunks } from './even-chunks.js'
import { holdPool, type PostgresStateOptions } from './host-pool.js'
import type { StatementResult } from './server-line.js'
import { openState } from './state-database.js'
import { refuseUnstorable } from './state-failure.js'

const chunkBytes = 256 * 1024
const tidiedEveryMilliseconds = 60 * 60 * 1_000

/** Blobs in PostgreSQL. */
export interface PostgresBlobs extends Blobs {
  /** Ends the pool that was opened for a `connectionString`. A pool of yours stays open. */
  close(): Promise<void>
}

/**
 * Stores blobs in PostgreSQL, in chunks of 256 KiB. This is for hosts that have no other place that all their processes can
 * reach. No transaction stays open while it waits for bytes. Throws `misconfigured` and names the option when one is wrong.
 */
export function postgresBlobs(options: PostgresStateOptions = {}): PostgresBlobs {
  const database = openState(holdPool('postgresBlobs', options))
  const statements = blobStatements(database.schema)
  let tidiedAt = Number.NEGATIVE_INFINITY

  /** Removes from time to time what killed processes have left. Until then it does no harm. */
  async function tidy(): Promise<void> {
    if (Date.now() - tidiedAt < tidiedEveryMilliseconds) return
    tidiedAt = Date.now()
    await database.run(statements.removeAbandoned())
  }

  return {
    async write(key, bytes) {
      refuseUnstorable('A key', key)
      await tidy()
      const content = randomUUID()
      let storing: Promise<void> = Promise.resolve()
      let last: WrittenChunk | undefined
      try {
        for await (const chunk of evenChunks(bytes, chunkBytes)) {
          // One chunk is being stored while the next one is filled.
          await storing
          if (last !== undefined) {
            storing = stillThere(key, database.run(statements.store(last)))
            storing.catch(() => {})
          }
          last = { content, key, start: last === undefined ? 0 : last.start + chunkBytes, bytes: chunk }
        }
        await storing
        await stillThere(key, database.run(statements.publish(last as WrittenChunk)))
      } catch (error) {
        await storing.catch(() => {})
        // What cannot be removed now is removed later by `tidy`.
        await database.run(statements.giveUp(content)).catch(() => {})
        throw error
      }
    },

    async *read(key, { from = 0 } = {}) {
      refuseUnstorable('A key', key)
      const [found] = (await database.run(statements.open(key, from))).rows as readonly OpenedBlob[]
      if (found === undefined) throw new PrivacyError('not_found', `There is no blob ${key}`, { kind: 'blob', id: key })
      const size = Number(found.size)
      if (from >= size) return
      const first = bytesOf(key, [found])
      let position = Number(found.start) + first.length
      const fetched = (start: number) => database.run(statements.chunk(found.content, start))
      let next = position < size ? fetched(position) : undefined
      next?.catch(() => {})
      yield first.subarray(from - Number(found.start))
      while (next !== undefined) {
        const chunk = bytesOf(key, (await next).rows)
        position += chunk.length
        // The next chunk is fetched while the caller works on this one.
        next = position < size ? fetched(position) : undefined
        next?.catch(() => {})
        yield chunk
      }
    },

    async size(key) {
      refuseUnstorable('A key', key)
      const [found] = (await database.run(statements.size(key))).rows
      return found === undefined ? undefined : Number(found['size'])
    },

    async delete(prefix) {
      await database.run(statements.delete(prefix))
    },

    close: () => database.close(),
  }
}

interface OpenedBlob extends Readonly<Record<string, unknown>> {
  readonly content: string
  readonly size: string
  readonly start: string | null
}

function bytesOf(key: string, [row]: StatementResult['rows']): Uint8Array {
  const text = row?.['bytes']
  if (typeof text === 'string' && text !== '') return Buffer.from(text, 'base64')
  const message = `The blob ${key} was replaced or deleted while it was read: read it again.`
  throw new PrivacyError('unavailable', message, { reason: 'replaced' })
}

async function stillThere(key: string, storing: Promise<StatementResult>): Promise<void> {
  if ((await storing).rows.length > 0) return
  throw new PrivacyError('unavailable', `The blob ${key} was deleted while it was written.`, { reason: 'deleted' })
}
