import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { type Blobs, fileBlobs, memoryBlobs } from '@habeas/core'
import { blobsContract } from '@habeas/testkit'
import { afterAll, describe } from 'vitest'
import { foundOut } from './failing-cases.js'

const directory = mkdtempSync(join(tmpdir(), 'habeas-test-'))
afterAll(() => rmSync(directory, { recursive: true }))

const faulty = (fault: (blobs: Blobs) => Partial<Blobs>) => (): Blobs => {
  const blobs = memoryBlobs()
  return { ...blobs, ...fault(blobs) }
}

const faultyKeys = (keyOf: (key: string) => string) =>
  faulty((blobs) => ({
    write: (key, bytes) => blobs.write(keyOf(key), bytes),
    read: (key, options) => blobs.read(keyOf(key), options),
    size: (key) => blobs.size(keyOf(key)),
    delete: (prefix) => blobs.delete(keyOf(prefix)),
  }))

/** Over a plain map, for faults that the real adapters give no room for. */
const faultyMap = (fault: (map: Map<string, Buffer>, blobs: Blobs) => Partial<Blobs>) => (): Blobs => {
  const map = new Map<string, Buffer>()
  const blobs: Blobs = {
    async write(key, bytes) {
      const chunks: Buffer[] = []
      for await (const chunk of bytes) chunks.push(Buffer.from(chunk))
      map.set(key, Buffer.concat(chunks))
    },
    async *read(key, { from = 0 } = {}) {
      const blob = map.get(key)
      if (blob === undefined) throw new Error('not found')
      yield blob.subarray(from)
    },
    size: async (key) => map.get(key)?.length,
    delete: async (prefix) => {
      for (const key of map.keys()) if (key === prefix || key.startsWith(`${prefix}/`)) map.delete(key)
    },
  }
  return { ...blobs, ...fault(map, blobs) }
}

const faultyDelete = (matches: (key: string, prefix: string) => boolean) =>
  faultyMap((map) => ({
    delete: async (prefix) => {
      for (const key of map.keys()) if (matches(key, prefix)) map.delete(key)
    },
  }))

const visiblePart =
  (map: Map<string, Buffer>): Blobs['write'] =>
  async (key, bytes) => {
    map.set(key, Buffer.alloc(0))
    for await (const chunk of bytes) map.set(key, Buffer.concat([map.get(key) ?? Buffer.alloc(0), chunk]))
  }

async function* collected(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  yield Buffer.concat(chunks)
}

describe('blobsContract', () => {
  foundOut(blobsContract, [
    [
      'shows what is not complete',
      faultyMap((map) => ({ write: visiblePart(map) })),
      'a blob becomes readable only when all its bytes are stored',
      'while a key is written anew, and when that fails, it keeps its old content',
      'a first write that fails leaves nothing',
      'of two writes of one key at the same time one stays, whole',
    ],
    [
      'removes the old content before it writes',
      faulty((blobs) => ({
        write: async (key, bytes) => {
          await blobs.delete(key)
          await blobs.write(key, bytes)
        },
      })),
      'while a key is written anew, and when that fails, it keeps its old content',
    ],
    [
      'appends to what is there',
      faultyMap((map, blobs) => ({
        write: async (key, bytes) => {
          const old = map.get(key) ?? Buffer.alloc(0)
          await blobs.write(key, bytes)
          map.set(key, Buffer.concat([old, map.get(key) ?? old]))
        },
      })),
      'write replaces what the key held',
    ],
    [
      'does not copy the chunks it keeps',
      faultyMap((map) => ({
        write: async (key, bytes) => {
          const chunks: Uint8Array[] = []
          for await (const chunk of bytes) chunks.push(chunk)
          map.set(key, Buffer.concat(chunks))
        },
      })),
      'a writer may use the memory of a chunk again',
    ],
    [
      'hands out its own memory, and an unknown error',
      faultyMap(() => ({})),
      'changing a chunk that was read does not change what is stored',
      'an unknown key has no size, and read rejects with not_found',
    ],
    [
      'reads nothing for an unknown key',
      faulty((blobs) => ({
        async *read(key, options) {
          if ((await blobs.size(key)) !== undefined) yield* blobs.read(key, options)
        },
      })),
      'an unknown key has no size, and read rejects with not_found',
    ],
    [
      'takes no bytes for nothing',
      faulty((blobs) => ({ size: async (key) => (await blobs.size(key)) || undefined })),
      'a blob of no bytes is there all the same',
    ],
    [
      'loses a chunk',
      faulty((blobs) => ({
        write: (key, bytes) =>
          blobs.write(
            key,
            (async function* () {
              for await (const chunk of bytes) if (chunk.length !== 3) yield chunk
            })(),
          ),
      })),
      'read gives the bytes that were written, in their order',
      'write replaces what the key held',
    ],
    [
      'reads from the start',
      faulty((blobs) => ({ read: (key) => blobs.read(key) })),
      'read skips the bytes before from',
    ],
    [
      'skips whole chunks only',
      faulty((blobs) => ({
        read: (key, { from = 0 } = {}) => blobs.read(key, { from: from - (from % 65_536) }),
      })),
      'read skips the bytes before from',
    ],
    [
      'fails behind the end',
      faulty((blobs) => ({
        async *read(key, options) {
          if ((options?.from ?? 0) > ((await blobs.size(key)) ?? 0)) throw new RangeError('from')
          yield* blobs.read(key, options)
        },
      })),
      'read from the end of a blob, or from beyond it, gives no bytes',
    ],
    [
      'deletes whatever begins alike',
      faultyDelete((key, prefix) => key.startsWith(prefix)),
      'delete removes the blob of that key and all below it, and nothing else',
    ],
    [
      'deletes only what is below',
      faultyDelete((key, prefix) => key.startsWith(`${prefix}/`)),
      'delete removes the blob of that key and all below it, and nothing else',
    ],
    [
      'deletes only the key itself',
      faultyDelete((key, prefix) => key === prefix),
      'delete removes the blob of that key and all below it, and nothing else',
    ],
    [
      'deletes by pattern',
      faultyDelete((key, prefix) =>
        new RegExp(`^${prefix.replace(/[.*+?]/g, '\\$&').replaceAll('_', '.')}(/|$)`).test(key),
      ),
      'delete takes every character of its prefix literally',
    ],
    [
      'deletes everything when the prefix is empty',
      faultyDelete((key, prefix) => prefix === '' || key === prefix || key.startsWith(`${prefix}/`)),
      'delete takes every character of its prefix literally',
    ],
    [
      'fails when there is nothing to delete',
      faulty((blobs) => ({
        delete: async (prefix) => {
          if ((await blobs.size(prefix)) === undefined) throw new Error('nothing there')
          await blobs.delete(prefix)
        },
      })),
      'delete of what is not there does nothing',
    ],
    [
      'ignores case',
      faultyKeys((key) => key.toLowerCase()),
      'every key names a blob of its own, whatever characters it holds',
    ],
    [
      'takes keys for paths',
      faultyKeys((key) => posix.normalize(key)),
      'every key names a blob of its own, whatever characters it holds',
    ],
    [
      'cuts long keys',
      faultyKeys((key) => key.slice(0, 255)),
      'every key names a blob of its own, whatever characters it holds',
    ],
    [
      'holds everything it writes in memory',
      () => {
        const blobs = fileBlobs({ directory, durable: false })
        return { ...blobs, write: (key, bytes) => blobs.write(key, collected(bytes)) }
      },
      'write holds no more than a few chunks in memory',
    ],
    [
      'locks a key until it has been read to the end',
      faultyMap((_map, blobs) => {
        const locked = new Set<string>()
        return {
          async *read(key, options) {
            locked.add(key)
            for await (const chunk of blobs.read(key, options)) yield chunk
            locked.delete(key)
          },
          write: async (key, bytes) => {
            if (locked.has(key)) throw new Error('locked')
            await blobs.write(key, bytes)
          },
        }
      }),
      'a reader that stops early does no harm',
    ],
  ])
})
