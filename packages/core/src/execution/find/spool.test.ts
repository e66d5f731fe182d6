import { afterEach, describe, expect, it } from 'vitest'
import { type FileBlobs, fileBlobs } from '../../builtin/file-blobs.js'
import { memoryBlobs } from '../../builtin/memory-blobs.js'
import { systemRuntime } from '../../builtin/system-runtime.js'
import type { Blobs } from '../../ports/blobs.js'
import { type Spooled, spoolRoom } from './spool.js'

const room = (blobs: Blobs) => spoolRoom({ blobs, runtime: systemRuntime, dataKey: systemRuntime.randomBytes(32) })
const text = async (stream: AsyncIterable<Uint8Array>) => {
  let all = ''
  for await (const part of stream) all += Buffer.from(part).toString('latin1')
  return all
}

async function fill(rooms: ReturnType<typeof room>, key: string, rows: number, width: number): Promise<Spooled> {
  const spool = rooms.open(key)
  for (let row = 0; row < rows; row++) {
    spool.append(`"${String(row).padStart(width, '.')}"`)
    if (spool.full) await spool.drain()
  }
  return spool.close()
}

const opened: FileBlobs[] = []
afterEach(async () => {
  for (const blobs of opened.splice(0)) await blobs.close()
})
const temporaryBlobs = () => {
  const blobs = fileBlobs()
  opened.push(blobs)
  return blobs
}

describe.each([
  ['memory', memoryBlobs],
  ['files', temporaryBlobs],
])('a spool over %s', (_, blobs) => {
  it('holds a short text in memory and writes no blob', async () => {
    const store = blobs()
    const rooms = room(store)
    const spooled = await fill(rooms, 'a', 3, 1)
    expect(spooled.key).toBeUndefined()
    expect(await text(rooms.read(spooled))).toBe('"0",\n"1",\n"2"')
    expect(await store.size('a')).toBeUndefined()
  })

  it('writes a long text as an encrypted blob, and reads it back unchanged', async () => {
    const store = blobs()
    const rooms = room(store)
    const spooled = await fill(rooms, 'a', 20_000, 100)
    expect(spooled).toEqual({ rows: 20_000, key: 'a' })
    expect(JSON.parse(`[${await text(rooms.read(spooled))}]`)).toHaveLength(20_000)
    expect(await text(store.read('a'))).not.toContain('.'.repeat(16))
  })

  it('limits the memory of all spools of a run together', async () => {
    const store = blobs()
    const rooms = room(store)
    const spooled: Spooled[] = []
    for (let at = 0; at < 40; at++) spooled.push(await fill(rooms, `s${at}`, 4_000, 100))
    const held = spooled.flatMap((each) => each.held ?? []).reduce((sum, part) => sum + part.length, 0)
    expect(held).toBeLessThan(9 * 1024 * 1024)
    for (const each of spooled) expect(JSON.parse(`[${await text(rooms.read(each))}]`)).toHaveLength(4_000)
  })

  it('writes a spool that is held in memory as a blob', async () => {
    const store = blobs()
    const rooms = room(store)
    const spooled = await rooms.persist('kept', await fill(rooms, 'a', 3, 1))
    expect(spooled).toEqual({ rows: 3, key: 'kept' })
    expect(await text(rooms.read(spooled))).toBe('"0",\n"1",\n"2"')
  })
})

it('a spool rejects when its blob cannot be written, and does not hang', async () => {
  const broken: Blobs = {
    ...memoryBlobs(),
    async write(_, bytes) {
      for await (const _part of bytes) throw new Error('disk full')
    },
  }
  await expect(fill(room(broken), 'a', 20_000, 100)).rejects.toThrow('disk full')
})
