import assert from 'node:assert/strict'
import type { Blobs } from '@habeas/core'
import type { Test } from '../test.js'
import { bytesOf, chunksOf, patternOf } from './chunks.js'
import { latch } from './deadline.js'
import { heldMemory } from './held-memory.js'
import { type Open, openedCases } from './opened-case.js'
import { rejection } from './rejection.js'

export interface BlobsContractOptions {
  /** True when the blobs lie in memory, so that a write holds its bytes there. Default: false. */
  readonly inMemory?: boolean
}

const text = (content: string): AsyncGenerator<Uint8Array> => chunksOf(Buffer.from(content))
const mebibyte = 1024 * 1024

/** Keys that would leave a directory, break a statement or collide if they were used as they are. */
const awkwardKeys = [
  '..',
  '../escape',
  'a/../../escape',
  '/absolute',
  'a//b',
  'a/./b',
  'a\\b',
  'a%2fb',
  'con',
  'Case',
  'case',
  'dot.',
  'dot',
  'space ',
  'quote\'"',
  'é',
  'e\u0301',
  '🧿',
  'x'.repeat(400),
  `${'x'.repeat(400)}y`,
  `${'long/'.repeat(50)}end`,
]

/** Declares a test for each promise of the `Blobs` port. `open` gives an empty store that no other case uses. */
export const blobsContract = (test: Test, open: Open<Blobs>, options: BlobsContractOptions = {}): void => {
  const given = openedCases(test, open)
  const contentOf = async (blobs: Blobs, key: string): Promise<string> => (await bytesOf(blobs.read(key))).toString()

  given('read gives the bytes that were written, in their order', async (blobs) => {
    const chunks = [1, 0, 70_000, 3, 600_000].map((length, index) => patternOf(length, index))
    await blobs.write('run/1', chunksOf(...chunks))
    assert.ok((await bytesOf(blobs.read('run/1'))).equals(Buffer.concat(chunks)))
    assert.equal(await blobs.size('run/1'), 670_004)
  })

  given('a blob of no bytes is there all the same', async (blobs) => {
    await blobs.write('empty', chunksOf())
    assert.equal(await blobs.size('empty'), 0)
    assert.equal((await bytesOf(blobs.read('empty'))).length, 0)
  })

  given('an unknown key has no size, and read rejects with not_found', async (blobs) => {
    await blobs.write('run/1', text('content'))
    for (const key of ['other', 'run', 'run/1/2']) {
      assert.equal(await blobs.size(key), undefined)
      await rejection(bytesOf(blobs.read(key)), 'not_found')
    }
  })

  given('write replaces what the key held', async (blobs) => {
    await blobs.write('key', text('a long old content'))
    await blobs.write('key', text('new'))
    assert.equal(await contentOf(blobs, 'key'), 'new')
    assert.equal(await blobs.size('key'), 3)
  })

  given('a blob becomes readable only when all its bytes are stored', async (blobs) => {
    const half = latch()
    const rest = latch()
    async function* bytes() {
      yield patternOf(mebibyte)
      half.open()
      await rest.opened
      yield patternOf(1)
    }
    const writing = blobs.write('key', bytes())
    await half.opened
    assert.equal(await blobs.size('key'), undefined)
    await rejection(bytesOf(blobs.read('key')), 'not_found')
    rest.open()
    await writing
    assert.equal(await blobs.size('key'), mebibyte + 1)
  })

  given('while a key is written anew, and when that fails, it keeps its old content', async (blobs) => {
    await blobs.write('key', text('old'))
    const failure = new Error('no more bytes')
    async function* bytes() {
      yield patternOf(mebibyte)
      assert.equal(await contentOf(blobs, 'key'), 'old')
      throw failure
    }
    await assert.rejects(blobs.write('key', bytes()), (error) => error === failure)
    assert.equal(await contentOf(blobs, 'key'), 'old')
  })

  given('a first write that fails leaves nothing', async (blobs) => {
    const failure = new Error('no more bytes')
    async function* bytes() {
      yield patternOf(mebibyte)
      throw failure
    }
    await assert.rejects(blobs.write('key', bytes()), (error) => error === failure)
    assert.equal(await blobs.size('key'), undefined)
    await rejection(bytesOf(blobs.read('key')), 'not_found')
  })

  given('read skips the bytes before from', async (blobs) => {
    const content = Buffer.from(patternOf(700_000))
    await blobs.write('key', chunksOf(content.subarray(0, 300_000), content.subarray(300_000)))
    for (const from of [0, 1, 65_536, 299_999, 300_000, 300_001, 524_288, 699_999]) {
      const rest = await bytesOf(blobs.read('key', { from }))
      assert.ok(rest.equals(content.subarray(from)), `the bytes from ${from} on`)
    }
  })

  given('read from the end of a blob, or from beyond it, gives no bytes', async (blobs) => {
    await blobs.write('key', text('content'))
    assert.equal((await bytesOf(blobs.read('key', { from: 7 }))).length, 0)
    assert.equal((await bytesOf(blobs.read('key', { from: 100 }))).length, 0)
  })

  given('a reader that stops early does no harm', async (blobs) => {
    await blobs.write('key', chunksOf(patternOf(2 * mebibyte)))
    for await (const chunk of blobs.read('key')) {
      assert.ok(chunk.length > 0)
      break
    }
    await blobs.write('key', text('new'))
    assert.equal(await contentOf(blobs, 'key'), 'new')
  })

  given('what a key held is read to its end, or not, but never mixed with what replaced it', async (blobs) => {
    const old = patternOf(3 * mebibyte, 1)
    await blobs.write('key', chunksOf(old))
    const reader = blobs.read('key')[Symbol.asyncIterator]()
    const first = await reader.next()
    await blobs.write('key', chunksOf(patternOf(3 * mebibyte, 2)))
    const read = [first.value as Uint8Array]
    const rest = async () => {
      for (;;) {
        const { done, value } = await reader.next()
        if (done === true) return
        read.push(value)
      }
    }
    // An error for the reader is as good as the old content.
    const told = await rest().then(
      () => false,
      () => true,
    )
    const bytes = Buffer.concat(read)
    assert.ok(Buffer.from(old).subarray(0, bytes.length).equals(bytes), 'bytes of another content')
    assert.ok(told || bytes.length === old.length, `ended after ${bytes.length} bytes as if that were all`)
  })

  given('a writer may use the memory of a chunk again', async (blobs) => {
    async function* bytes() {
      const chunk = new Uint8Array(1)
      for (const byte of [1, 2, 3]) {
        chunk[0] = byte
        yield chunk
      }
    }
    await blobs.write('key', bytes())
    assert.deepEqual([...(await bytesOf(blobs.read('key')))], [1, 2, 3])
  })

  given('changing a chunk that was read does not change what is stored', async (blobs) => {
    await blobs.write('key', text('content'))
    for await (const chunk of blobs.read('key')) chunk.fill(0)
    assert.equal(await contentOf(blobs, 'key'), 'content')
  })

  given('delete removes the blob of that key and all below it, and nothing else', async (blobs) => {
    const gone = ['run', 'run/1', 'run/1/2', 'run/a_b']
    const kept = ['run-1', 'runs/1', 'ru', 'other/run', 'other/run/1']
    for (const key of [...gone, ...kept]) await blobs.write(key, text(key))
    await blobs.delete('run')
    for (const key of gone) assert.equal(await blobs.size(key), undefined, key)
    for (const key of kept) assert.equal(await contentOf(blobs, key), key)
  })

  given('delete takes every character of its prefix literally', async (blobs) => {
    const kept = ['aXb/1', 'ab/1', 'a/b/1']
    for (const key of ['a_b/1', 'a%/1', ...kept]) await blobs.write(key, text(key))
    for (const prefix of ['a_b', 'a%', '.', '..', '', '*', '%', '/']) await blobs.delete(prefix)
    assert.equal(await blobs.size('a_b/1'), undefined)
    assert.equal(await blobs.size('a%/1'), undefined)
    for (const key of kept) assert.equal(await contentOf(blobs, key), key)
  })

  given('delete of what is not there does nothing', async (blobs) => {
    await blobs.delete('nothing')
    await blobs.write('something', text('content'))
    await blobs.delete('nothing/here')
    await blobs.delete('something')
    await blobs.delete('something')
    assert.equal(await blobs.size('something'), undefined)
  })

  given('every key names a blob of its own, whatever characters it holds', async (blobs) => {
    for (const key of awkwardKeys) await blobs.write(key, text(`content of ${key}`))
    for (const key of awkwardKeys) assert.equal(await contentOf(blobs, key), `content of ${key}`)
    for (const key of awkwardKeys) {
      await blobs.delete(key)
      assert.equal(await blobs.size(key), undefined)
    }
  })

  given('of two writes of one key at the same time one stays, whole', async (blobs) => {
    const contents = [patternOf(mebibyte, 1), patternOf(mebibyte, 2)]
    await Promise.all(contents.map((content) => blobs.write('key', chunksOf(content))))
    const stored = await bytesOf(blobs.read('key'))
    assert.ok(contents.some((content) => stored.equals(content)))
  })

  const memoryPromise = options.inMemory === true ? 'all it writes, memory being the medium' : 'a few chunks in memory'
  given(`write holds no more than ${memoryPromise}`, async (blobs) => {
    const before = await heldMemory()
    let held = 0
    async function* bytes() {
      for (let chunk = 0; chunk < 32; chunk += 1) {
        if (chunk === 30) held = (await heldMemory()) - before
        yield patternOf(mebibyte, chunk)
      }
    }
    await blobs.write('large', bytes())
    assert.equal(await blobs.size('large'), 32 * mebibyte)
    const bound = (options.inMemory === true ? 64 : 12) * mebibyte
    assert.ok(held < bound, `held ${Math.round(held / mebibyte)} MiB after 30 chunks of 1 MiB`)
  })
}
