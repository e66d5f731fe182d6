import { S3Client } from '@aws-sdk/client-s3'
import type { Blobs } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { s3Blobs } from '../src/index.js'
import { bucket, startObjectStorage } from './object-storage.js'

const mebibyte = 1024 * 1024
const partBytes = 5 * mebibyte

let storage: Awaited<ReturnType<typeof startObjectStorage>>
beforeAll(async () => {
  storage = await startObjectStorage()
})
afterAll(() => storage.stop())

async function* chunksOf(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}
const text = (content: string) => chunksOf(Buffer.from(content))
const contentOf = async (blobs: Blobs, key: string, from = 0): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of blobs.read(key, { from })) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** A client that notes the commands it gets, and fails one of them. */
const notingClient = (failing?: { readonly command: string; readonly call?: number }) => {
  const { endpoint, credentials } = storage.options
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials && { credentials }),
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
  })
  const commands: string[] = []
  client.middlewareStack.add((next, { commandName = '' }) => async (given) => {
    const name = commandName.replace('Command', '')
    commands.push(name)
    const call = commands.filter((command) => command === name).length
    if (name === failing?.command && call === (failing.call ?? 1))
      throw Object.assign(new Error('no'), { name: 'SlowDown' })
    return next(given)
  })
  return { client, commands }
}

describe('a blob', () => {
  it.each([
    ['one byte less than the first memory', 256 * 1024 - 1, ['PutObject']],
    ['one byte more than the first memory', 256 * 1024 + 1, ['PutObject']],
    ['one part', partBytes, ['PutObject']],
    [
      'one part and a byte',
      partBytes + 1,
      ['CreateMultipartUpload', 'UploadPart', 'UploadPart', 'CompleteMultipartUpload'],
    ],
    ['two parts', 2 * partBytes, ['CreateMultipartUpload', 'UploadPart', 'UploadPart', 'CompleteMultipartUpload']],
  ])('of %s is stored whole, with as few requests as possible', async (_, length, expected) => {
    const { client, commands } = notingClient()
    const blobs = s3Blobs({ client, bucket, prefix: 'sizes' })
    const content = Buffer.alloc(length)
    for (let index = 0; index < length; index += 997) content[index] = index % 251
    const chunks = Array.from({ length: Math.ceil(length / 300_007) }, (_, n) =>
      content.subarray(n * 300_007, (n + 1) * 300_007),
    )
    await blobs.write('blob', chunksOf(...chunks))
    expect(commands).toEqual(expected)
    expect(await blobs.size('blob')).toBe(length)
    expect((await contentOf(blobs, 'blob')).equals(content)).toBe(true)
    expect((await contentOf(blobs, 'blob', length - 10)).equals(content.subarray(length - 10))).toBe(true)
    client.destroy()
  })

  it('lies under the prefix, out of reach of other prefixes', async () => {
    const a = s3Blobs({ ...storage.options, prefix: 'a' })
    const ab = s3Blobs({ ...storage.options, prefix: 'a/b/' })
    const none = s3Blobs(storage.options)
    await a.write('b', text('a'))
    await ab.write('c', text('ab'))
    await a.delete('')
    await none.delete('')
    expect((await contentOf(a, 'b')).toString()).toBe('a')
    expect((await contentOf(ab, 'c')).toString()).toBe('ab')
    expect((await contentOf(none, 'a/b/c')).toString()).toBe('ab')
    await none.delete('a')
    expect(await a.size('b')).toBeUndefined()
  })
})

describe('a write that fails', () => {
  const failure = new Error('no more bytes')
  async function* failing(after: number) {
    for (let index = 0; index < after; index += 1) yield new Uint8Array(mebibyte)
    throw failure
  }

  it('in its bytes removes the stored parts, and passes on the error', async () => {
    const { client, commands } = notingClient()
    const blobs = s3Blobs({ client, bucket, prefix: 'failing' })
    await expect(blobs.write('large', failing(7))).rejects.toBe(failure)
    expect(commands).toEqual(['CreateMultipartUpload', 'UploadPart', 'AbortMultipartUpload'])
    await expect(blobs.write('small', failing(1))).rejects.toBe(failure)
    expect(commands).toHaveLength(3)
    expect(await blobs.size('large')).toBeUndefined()
    client.destroy()
  })

  it.each([
    ['CreateMultipartUpload', 1, false],
    ['UploadPart', 1, true],
    ['UploadPart', 2, true],
    ['CompleteMultipartUpload', 1, true],
  ])('at %s (%i) releases its bytes, and the old content stays', async (command, call, aborts) => {
    const { client, commands } = notingClient({ command, call })
    const blobs = s3Blobs({ client, bucket, prefix: 'failing-storage' })
    await blobs.write('blob', text('old'))
    let isClosed = false
    async function* bytes() {
      try {
        for (let index = 0; index < 11; index += 1) yield new Uint8Array(mebibyte)
      } finally {
        isClosed = true
      }
    }
    await expect(blobs.write('blob', bytes())).rejects.toMatchObject({
      code: 'unavailable',
      details: { reason: 'busy' },
    })
    expect(isClosed).toBe(true)
    expect(commands.includes('AbortMultipartUpload')).toBe(aborts)
    expect((await contentOf(blobs, 'blob')).toString()).toBe('old')
    client.destroy()
  })

  it('reports the first failure when removing parts fails too', async () => {
    const { client } = notingClient({ command: 'AbortMultipartUpload' })
    const blobs = s3Blobs({ client, bucket, prefix: 'failing-twice' })
    await expect(blobs.write('large', failing(7))).rejects.toBe(failure)
    client.destroy()
  })
})

describe('close', () => {
  it('does not close a client that was passed in', async () => {
    const { client } = notingClient()
    const blobs = s3Blobs({ client, bucket, prefix: 'closing' })
    blobs.close()
    await blobs.write('blob', text('content'))
    expect(await blobs.size('blob')).toBe(7)
    client.destroy()
  })
})
