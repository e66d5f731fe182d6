import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bytesOf } from '../../test/results/unzip.js'
import { encrypted } from './package-cipher.js'

const cipher = { key: Buffer.from('test--encryption'), randomBytes }
const text = async (...parts: Uint8Array[]) => (await bytesOf(encrypted(cipher, parts))).toString()

describe('an encrypted file', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 1000])('of %i bytes is one base64 text with nonce and tag', async (length) => {
    const sealed = await text(randomBytes(length))
    expect(sealed).toMatch(/^[A-Za-z0-9+/]*={0,2}$/)
    expect(sealed).toHaveLength(Math.ceil((12 + length + 16) / 3) * 4)
    expect(Buffer.from(sealed, 'base64')).toHaveLength(12 + length + 16)
  })

  it('is the same however its bytes arrive', async () => {
    const fixed = { key: cipher.key, randomBytes: (length: number) => Buffer.alloc(length, 7) }
    const plain = randomBytes(100)
    const whole = await bytesOf(encrypted(fixed, [plain]))
    for (let cut = 1; cut < 12; cut++) {
      const parts = Array.from({ length: Math.ceil(100 / cut) }, (_, at) => plain.subarray(at * cut, (at + 1) * cut))
      expect(await bytesOf(encrypted(fixed, parts))).toEqual(whole)
    }
  })

  it('has a nonce of its own each time', async () => {
    const nonces = await Promise.all(Array.from({ length: 50 }, () => text(Buffer.from('x'))))
    expect(new Set(nonces.map((each) => each.slice(0, 16))).size).toBe(50)
  })

  it.each([0, 15, 17, 24, 33])('refuses a key of %i bytes', async (length) => {
    const sealing = encrypted({ key: Buffer.alloc(length), randomBytes }, [Buffer.from('x')])
    await expect(bytesOf(sealing)).rejects.toMatchObject({ code: 'invalid_input' })
  })
})
