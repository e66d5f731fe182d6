import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { PrivacyError } from '../errors.js'

const saltBytes = 16
const headBytes = 4
const tagBytes = 16
const frameBytes = 256 * 1024

/*
 * Layout: salt (16) then frames: length of the ciphertext (4, big-endian), ciphertext, tag (16). Each stream has its own
 * key, derived from the request's data key, the salt and the context. The nonce holds the frame's number and whether it is
 * the last frame, so that frames cannot be moved, repeated or cut off.
 */
function frameCipher(dataKey: Uint8Array, salt: Uint8Array, context: string) {
  const key = Buffer.from(hkdfSync('sha256', dataKey, salt, context, 32))
  let count = 0
  return (last: boolean) => {
    const nonce = Buffer.alloc(12)
    nonce.writeUIntBE(count++, 5, 6)
    nonce[11] = last ? 1 : 0
    return { key, nonce }
  }
}

/** Encrypts a stream in frames of about 256 KiB. Decryption needs the same `context`. */
export async function* encryptStream(
  dataKey: Uint8Array,
  salt: Uint8Array,
  context: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const next = frameCipher(dataKey, salt, context)
  const seal = (plain: readonly Uint8Array[], last: boolean) => {
    const { key, nonce } = next(last)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    const sealed = plain.map((part) => cipher.update(part))
    sealed.push(cipher.final())
    const head = Buffer.alloc(headBytes)
    head.writeUInt32BE(sealed.reduce((sum, part) => sum + part.length, 0))
    return Buffer.concat([head, ...sealed, cipher.getAuthTag()])
  }
  yield salt
  let pending: Uint8Array[] = []
  let size = 0
  for await (const part of bytes) {
    for (let from = 0; from < part.length; from += frameBytes) {
      if (size >= frameBytes) {
        yield seal(pending, false)
        pending = []
        size = 0
      }
      const piece = part.subarray(from, from + frameBytes)
      pending.push(piece)
      size += piece.length
    }
  }
  yield seal(pending, true)
}

/**
 * Decrypts bytes that `encryptStream` made, and leaves out the first `from` bytes of the text. Rejects with `internal` when
 * a returned byte, the order of the frames or the end is not as it was written.
 */
export async function* decryptStream(
  dataKey: Uint8Array,
  context: string,
  bytes: AsyncIterable<Uint8Array>,
  from = 0,
): AsyncIterable<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]()
  try {
    const take = byteReader(iterator)
    const salt = await take(saltBytes)
    const next = frameCipher(dataKey, salt ?? damaged(), context)
    let length = (await frameLength(take)) ?? damaged()
    let skipped = from
    for (;;) {
      const sealed = (await take(length + tagBytes)) ?? damaged()
      const following = await frameLength(take)
      const isLast = following === undefined
      const secret = next(isLast)
      // The last frame is always checked, because it proves that nothing was cut off.
      if (skipped < length || isLast) {
        const plain = openFrame(sealed, secret)
        yield skipped === 0 ? plain : plain.subarray(skipped)
      }
      skipped = Math.max(0, skipped - length)
      if (isLast) return
      length = following
    }
  } finally {
    await iterator.return?.()
  }
}

function openFrame(sealed: Buffer, { key, nonce }: { key: Buffer; nonce: Buffer }): Buffer {
  const end = sealed.length - tagBytes
  const cipher = createDecipheriv('aes-256-gcm', key, nonce).setAuthTag(sealed.subarray(end))
  const plain = cipher.update(sealed.subarray(0, end))
  try {
    cipher.final()
  } catch (cause) {
    damaged(cause)
  }
  return plain
}

async function frameLength(take: ReturnType<typeof byteReader>): Promise<number | undefined> {
  const length = (await take(headBytes))?.readUInt32BE()
  return length !== undefined && length > 2 * frameBytes ? damaged() : length
}

function damaged(cause?: unknown): never {
  throw new PrivacyError(
    'internal',
    'Stored bytes of a request cannot be decrypted: they are damaged, or another service key sealed them.',
    {},
    { cause },
  )
}

/** Reads exact lengths of a stream. Resolves to undefined at its end, and rejects with `internal` within a length. */
function byteReader(iterator: AsyncIterator<Uint8Array>) {
  let held: Buffer = Buffer.alloc(0)
  const more = async (): Promise<boolean> => {
    const { done, value } = await iterator.next()
    if (!done) held = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    return !done
  }
  return async (length: number): Promise<Buffer | undefined> => {
    while (held.length === 0 && length > 0) if (!(await more())) return undefined
    if (held.length >= length) {
      const taken = held.subarray(0, length)
      held = held.subarray(length)
      return taken
    }
    const taken = Buffer.allocUnsafe(length)
    for (let filled = 0; ; ) {
      const copied = held.copy(taken, filled)
      filled += copied
      held = held.subarray(copied)
      if (filled === length) return taken
      if (!(await more())) damaged()
    }
  }
}
