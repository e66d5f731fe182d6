import { createCipheriv, createHash, createHmac, type KeyObject } from 'node:crypto'
import { isTypedText, type Value } from '../../model/value.js'
import { shortestDecimal } from '../value/shortest-decimal.js'

export type HashAlgorithm = 'SHA-256' | 'SHA-512'

/** Text, bytes, or a key object that serves many values. */
export type MaskingKey = string | Uint8Array | KeyObject

const digests: Readonly<Record<HashAlgorithm, string>> = { 'SHA-256': 'sha256', 'SHA-512': 'sha512' }

/** The text that text strategies work on. Equal values give equal texts, whatever the order of their members. */
export function maskedValueText(value: Exclude<Value, null>): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return shortestDecimal(String(value)) ?? String(value)
  if (isTypedText(value)) return value.text
  return typeof value === 'object' ? JSON.stringify(value, ordered) : String(value)
}

function ordered(_: string, inner: unknown): unknown {
  if (typeof inner === 'bigint') return String(inner)
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner) || isTypedText(inner)) return inner
  return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
}

/** Hexadecimal digest of the text followed by the salt. */
export function hashText(text: string, { algorithm, salt }: { algorithm: HashAlgorithm; salt: string }): string {
  return createHash(digests[algorithm])
    .update(text + salt)
    .digest('hex')
}

/** Hexadecimal HMAC of the text followed by the salt. */
export function hmacText(
  text: string,
  { algorithm, key, salt }: { algorithm: HashAlgorithm; key: MaskingKey; salt: string },
): string {
  return createHmac(digests[algorithm], key)
    .update(text + salt)
    .digest('hex')
}

/**
 * Base64 of ciphertext and tag, AES-GCM under a key of 16 or 32 bytes. The nonce is derived from the text, so equal
 * texts stay equal. It is also the associated data and is not part of the result, since a masked value
 * is not meant to be decrypted.
 */
export function encryptText(
  text: string,
  { key, keyHmac, saltHmac }: { key: Uint8Array; keyHmac: MaskingKey; saltHmac: string },
): string {
  const nonce = createHmac('sha256', keyHmac)
    .update(text + saltHmac)
    .digest()
    .subarray(0, 12)
  const algorithm = key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm'
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(nonce)
  return Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

const symbols = Buffer.from('abcdefghijklmnopqrstuvwxyz0123456789')
/** Bytes from here on would make the first symbols more likely than the others. */
const unbiased = 256 - (256 % symbols.length)

/**
 * Returns a function that derives lower-case letters and digits from the key and a place. All symbols are equally
 * likely.
 */
export function randomTexts({ key, length }: { key: MaskingKey; length: number }): (place: string) => string {
  // One buffer serves all calls, since each call is finished before the next one starts.
  const text = Buffer.alloc(length)
  return (place) => {
    for (let block = 0, at = 0; at < length; block++) {
      const bytes = createHmac('sha256', key).update(`${block}/${place}`).digest('binary')
      for (let next = 0; next < bytes.length && at < length; next++) {
        const byte = bytes.charCodeAt(next)
        if (byte < unbiased) text[at++] = symbols[byte % symbols.length] as number
      }
    }
    return text.toString('latin1')
  }
}
