import { createCipheriv, createHash, createHmac, type KeyObject } from 'node:crypto'
import { isTypedText, type Value } from '../../model/value.js'
import { shortestDecimal } from '../value/shortest-decimal.js'

export type HashAlgorithm = 'SHA-256' | 'SHA-512'

/** Text as it is, or bytes, or a key made once for many values. */
export type MaskingKey = string | Uint8Array | KeyObject

const digests: Readonly<Record<HashAlgorithm, string>> = { 'SHA-256': 'sha256', 'SHA-512': 'sha512' }

/** What text strategies work on. Equal values have equal texts, whatever order their members came in. */
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

/** Hexadecimal digest of the text with the salt behind it. */
export function hashText(text: string, { algorithm, salt }: { algorithm: HashAlgorithm; salt: string }): string {
  return createHash(digests[algorithm])
    .update(text + salt)
    .digest('hex')
}

/** Hexadecimal HMAC of the text with the salt behind it. */
export function hmacText(
  text: string,
  { algorithm, key, salt }: { algorithm: HashAlgorithm; key: MaskingKey; salt: string },
): string {
  return createHmac(digests[algorithm], key)
    .update(text + salt)
    .digest('hex')
}

/**
 * Base64 of ciphertext and tag, AES-GCM under a key of 16 or 32 bytes. The nonce is made of the text, so that equal texts
 * stay equal; it is the associated data as well and stands nowhere: what is masked is not meant to be read again.
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
/** Bytes from here on would make the first symbols likelier than the others. */
const unbiased = 256 - (256 % symbols.length)

/**
 * Gives, for a place, lower-case letters and digits that follow from the key and the place alone, each as likely as every
 * other.
 */
export function randomTexts({ key, length }: { key: MaskingKey; length: number }): (place: string) => string {
  // One for all: it is done with before the next one is asked for.
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
