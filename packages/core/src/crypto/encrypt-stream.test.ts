import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decryptStream, encryptStream } from './encrypt-stream.js'

const dataKey = randomBytes(32)
const salt = () => randomBytes(16)
const collect = async (stream: AsyncIterable<Uint8Array>) => {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}
const sealed = (plain: Uint8Array, context = 'a') => collect(encryptStream(dataKey, salt(), context, [plain]))
const opened = (bytes: Uint8Array, context = 'a', key: Uint8Array = dataKey, skipped = 0) =>
  collect(
    decryptStream(
      key,
      context,
      (async function* () {
        for (let from = 0; from < bytes.length; from += 10_000) yield bytes.subarray(from, from + 10_000)
      })(),
      skipped,
    ),
  )

const flipped = (bytes: Buffer, at: number) => {
  bytes.writeUInt8((bytes[at] as number) ^ 1, at)
  return bytes
}

describe('encryptStream and decryptStream', () => {
  it.each([0, 1, 262_144, 262_145, 1_000_000])('give back %i bytes', async (size) => {
    const plain = randomBytes(size)
    expect((await opened(await sealed(plain))).equals(plain)).toBe(true)
  })

  it.each([0, 1, 262_143, 262_144, 262_145, 524_288, 699_999, 700_000, 700_001])('leave out %i bytes', async (from) => {
    const plain = randomBytes(700_000)
    expect((await opened(await sealed(plain), 'a', dataKey, from)).equals(plain.subarray(from))).toBe(true)
  })

  it('refuse a missing end behind the skipped bytes', async () => {
    const bytes = (await sealed(randomBytes(700_000))).subarray(0, 16 + 2 * (4 + 262_144 + 16))
    await expect(opened(bytes, 'a', dataKey, 600_000)).rejects.toMatchObject({ code: 'internal' })
  })

  it('give different bytes each time, and none of the content', async () => {
    const plain = Buffer.from('marker-'.repeat(100))
    const [one, other] = [await sealed(plain), await sealed(plain)]
    expect(one.equals(other)).toBe(false)
    expect(one.includes('marker')).toBe(false)
  })

  const large = randomBytes(700_000)
  const frame = 4 + 262_144 + 16
  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['a changed byte', (bytes) => flipped(bytes, 500)],
    ['a changed salt', (bytes) => flipped(bytes, 3)],
    ['a missing end', (bytes) => bytes.subarray(0, 16 + 2 * frame)],
    ['a torn frame', (bytes) => bytes.subarray(0, bytes.length - 5)],
    [
      'frames in another order',
      (bytes) =>
        Buffer.concat([
          bytes.subarray(0, 16),
          bytes.subarray(16 + frame, 16 + 2 * frame),
          bytes.subarray(16, 16 + frame),
          bytes.subarray(16 + 2 * frame),
        ]),
    ],
    ['something appended', (bytes) => Buffer.concat([bytes, Buffer.alloc(40)])],
    ['nothing at all', () => Buffer.alloc(0)],
  ])('refuse %s', async (_, spoil) => {
    await expect(opened(spoil(Buffer.from(await sealed(large))))).rejects.toMatchObject({ code: 'internal' })
  })

  it('refuse another context and another key', async () => {
    const bytes = await sealed(large)
    await expect(opened(bytes, 'b')).rejects.toMatchObject({ code: 'internal' })
    await expect(opened(bytes, 'a', randomBytes(32))).rejects.toMatchObject({ code: 'internal' })
  })
})
