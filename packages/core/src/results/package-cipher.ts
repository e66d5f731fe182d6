import { createCipheriv } from 'node:crypto'
import { PrivacyError } from '../errors.js'

/** Encrypts a package for the person who receives it. */
export interface PackageCipher {
  /** 16 bytes, the UTF-8 of `encryption_key`, for AES-128; 32 bytes, `encryption_key_256`, for AES-256. */
  readonly key: Uint8Array
  readonly randomBytes: (length: number) => Uint8Array
}

const nonceBytes = 12
const algorithms: Readonly<Record<number, 'aes-128-gcm' | 'aes-256-gcm'>> = { 16: 'aes-128-gcm', 32: 'aes-256-gcm' }

/**
 * The text base64(12-byte nonce ‖ ciphertext ‖ 16-byte tag) of a file, AES-GCM without associated data
 * (docs/packages.md). Each call uses a nonce of its own. Throws `invalid_input` for a key of any other length than 16
 * or 32 bytes.
 */
export async function* encrypted(
  cipher: PackageCipher,
  plain: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const algorithm = algorithms[cipher.key.length]
  if (!algorithm) {
    const msg = `must have 16 or 32 bytes, not ${cipher.key.length}`
    throw new PrivacyError('invalid_input', `The encryption key ${msg}.`, {
      issues: [{ loc: ['encryption_key'], msg, type: 'value_error' }],
    })
  }
  const nonce = cipher.randomBytes(nonceBytes)
  const sealing = createCipheriv(algorithm, cipher.key, nonce)
  const encode = base64Encoder()
  yield encode(nonce)
  for await (const part of plain) yield encode(sealing.update(part))
  yield Buffer.concat([encode(sealing.final()), encode(sealing.getAuthTag(), true)])
}

/** Base64 of a stream: three bytes make four characters, so up to two wait for the next part. */
function base64Encoder() {
  let waiting: Uint8Array = Buffer.alloc(0)
  return (part: Uint8Array, last = false): Buffer => {
    const bytes =
      waiting.length === 0 ? Buffer.from(part.buffer, part.byteOffset, part.length) : Buffer.concat([waiting, part])
    const end = last ? bytes.length : bytes.length - (bytes.length % 3)
    waiting = bytes.subarray(end)
    return Buffer.from(bytes.toString('base64', 0, end), 'latin1')
  }
}
