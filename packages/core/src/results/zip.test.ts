import { describe, expect, it } from 'vitest'
import { bytesOf, unzip } from '../../test/results/unzip.js'
import { type ArchivedFile, zip } from './zip.js'

const at = new Date('2024-07-01T09:30:00Z')

describe('an archive', () => {
  it('has the files in their order, whatever size their pieces have', async () => {
    const pieces = (count: number, size: number) => Array.from({ length: count }, () => Buffer.alloc(size, count))
    const files = [
      { name: 'empty.txt', bytes: [] },
      { name: 'small.txt', bytes: pieces(5000, 3) },
      { name: 'data/large.bin', bytes: pieces(3, 300_000) },
      { name: 'ünï.txt', bytes: [Buffer.from('x')] },
    ]
    const found = await unzip(await bytesOf(zip(files, at)))
    expect([...found.keys()]).toEqual(['empty.txt', 'small.txt', 'data/large.bin', 'ünï.txt'])
    expect([...found.values()].map(({ length }) => length)).toEqual([0, 15_000, 900_000, 1])
  })

  it('asks for the next file when the previous one has been read', async () => {
    const seen: string[] = []
    async function* bytes(name: string) {
      seen.push(`begin ${name}`)
      yield Buffer.alloc(200_000)
      seen.push(`end ${name}`)
    }
    function* files(): Generator<ArchivedFile> {
      for (const name of ['a', 'b', 'c']) {
        seen.push(`ask ${name}`)
        yield { name, bytes: bytes(name) }
      }
    }
    await bytesOf(zip(files(), at))
    expect(seen).toEqual(['a', 'b', 'c'].flatMap((name) => [`ask ${name}`, `begin ${name}`, `end ${name}`]))
  })

  it('rejects with the error of a file', async () => {
    async function* broken() {
      yield Buffer.alloc(100_000)
      throw new Error('spool damaged')
    }
    const files = [
      { name: 'a', bytes: [Buffer.alloc(10)] },
      { name: 'b', bytes: broken() },
    ]
    await expect(bytesOf(zip(files, at))).rejects.toThrow('spool damaged')
  })

  it('rejects with the error of the list of files', async () => {
    async function* files(): AsyncGenerator<ArchivedFile> {
      yield { name: 'a', bytes: [Buffer.alloc(10)] }
      throw new Error('no more')
    }
    await expect(bytesOf(zip(files(), at))).rejects.toThrow('no more')
  })

  it('that is abandoned ends the file that is being read', async () => {
    let closed = false
    let asked = 0
    async function* endless() {
      try {
        // hardly compressible, so that the compressor has to wait for the reader
        for (let seed = 1; ; seed++) yield Buffer.from(Array.from({ length: 65_536 }, (_, i) => (i * i * seed) % 251))
      } finally {
        closed = true
      }
    }
    function* files(): Generator<ArchivedFile> {
      for (;;) {
        asked++
        yield { name: `f${asked}`, bytes: endless() }
      }
    }
    for await (const _ of zip(files(), at)) break
    expect({ closed, asked }).toEqual({ closed: true, asked: 1 })
  })
})
