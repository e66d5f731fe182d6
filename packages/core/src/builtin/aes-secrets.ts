import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { PrivacyError } from '../errors.js'
import type { Secrets } from '../ports/secrets.js'

export interface AesSecretsOptions {
  /**
   * 32 random bytes in base64, or several such keys by id. With several, `current` seals new values, and every key of the
   * ring opens what it has sealed. A single key without an id has the id `default`.
   */
  readonly keys: string | Readonly<Record<string, string>>
  /** Id of the key that seals. May be left out when there is only one key. */
  readonly current?: string
}

const algorithm = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const longestId = 255
const howToMakeOne =
  'make one with `openssl rand -base64 32` or `node -p "crypto.randomBytes(32).toString(\'base64\')"`'

const misconfigured = (option: string, problem: string): PrivacyError =>
  new PrivacyError('misconfigured', `${option} ${problem}`, { option })

const keyOf = (id: string, text: unknown, option: string): KeyObject => {
  if (id === '' || Buffer.byteLength(id) > longestId) {
    throw misconfigured(option, `has a key id that is empty or longer than ${longestId} bytes: choose a short name`)
  }
  const problem = (found: string) => misconfigured(option, `must be 32 bytes in base64, but ${found}: ${howToMakeOne}`)
  if (typeof text !== 'string' || text.trim() === '') throw problem('is empty')
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text.trim())) throw problem('is not base64')
  const bytes = Buffer.from(text.trim(), 'base64')
  if (bytes.length !== keyBytes) throw problem(`holds ${bytes.length} bytes`)
  return createSecretKey(bytes)
}

const keyRing = ({ keys, current }: AesSecretsOptions): { ring: Map<string, KeyObject>; current: string } => {
  const ring = new Map<string, KeyObject>()
  if (typeof keys === 'object' && keys !== null) {
    for (const [id, text] of Object.entries(keys)) ring.set(id, keyOf(id, text, `aesSecrets keys.${id}`))
  } else {
    ring.set('default', keyOf('default', keys, 'aesSecrets keys'))
  }
  const [first] = ring.keys()
  if (first === undefined) throw misconfigured('aesSecrets keys', `must hold at least one key: ${howToMakeOne}`)
  if (current === undefined && ring.size > 1) {
    throw misconfigured('aesSecrets current', `must name the key that seals, one of: ${[...ring.keys()].join(', ')}`)
  }
  if (current !== undefined && !ring.has(current)) {
    throw misconfigured('aesSecrets current', `must be one of: ${[...ring.keys()].join(', ')}`)
  }
  return { ring, current: current ?? first }
}

/** A key counts under its id alone. An id is no secret, and bytes that were changed hold anything. */
const unknownKey = (id: string, known: Iterable<string>): PrivacyError => {
  if (!/^[\w.-]{1,64}$/.test(id)) return notOpened()
  const message = `It is sealed under the key id '${id}', and aesSecrets keys has ${[...known].map((each) => `'${each}'`).join(', ')}: where the key is there under another id, give it this one (encryptionKey has the id 'default')`
  return new PrivacyError('internal', message)
}

const notOpened = (cause?: unknown): PrivacyError =>
  new PrivacyError(
    'internal',
    'A sealed value cannot be opened: it was changed, belongs to another context, or its key is not in aesSecrets keys',
    {},
    { cause },
  )

/**
 * Returns the key id after its length in one byte. It delimits itself, so that it can be authenticated together with the
 * context.
 */
const headerOf = (id: string): Buffer => {
  const name = Buffer.from(id)
  return Buffer.concat([Buffer.of(name.length), name])
}

const bytesOf = (buffer: Buffer): Uint8Array => new Uint8Array(buffer)
const viewOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/**
 * Seals secrets with AES-256-GCM under a ring of keys. Throws `misconfigured` and names the option that is wrong.
 * Sealed form: key id (a length byte, then UTF-8), 12-byte random nonce, ciphertext, 16-byte tag.
 */
export const aesSecrets = (options: AesSecretsOptions): Secrets => {
  const { ring, current } = keyRing(options)
  const sealingKey = ring.get(current)!
  const sealingHeader = headerOf(current)

  const openSealed = (sealed: Uint8Array, context: string): Buffer => {
    const bytes = viewOf(sealed)
    const header = bytes.subarray(0, 1 + (bytes[0] ?? 0))
    const key = ring.get(header.toString('utf8', 1))
    const body = bytes.subarray(header.length)
    if (key === undefined) throw unknownKey(header.toString('utf8', 1), ring.keys())
    if (body.length < nonceBytes + tagBytes) throw notOpened()
    const nonce = body.subarray(0, nonceBytes)
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(Buffer.concat([header, Buffer.from(context)]))
    decipher.setAuthTag(body.subarray(-tagBytes))
    try {
      return Buffer.concat([decipher.update(body.subarray(nonceBytes, -tagBytes)), decipher.final()])
    } catch (cause) {
      throw notOpened(cause)
    }
  }

  return {
    async seal(plaintext, context) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, sealingKey, nonce, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.concat([sealingHeader, Buffer.from(context)]))
      const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
      return bytesOf(Buffer.concat([sealingHeader, nonce, ciphertext, cipher.getAuthTag()]))
    },
    async open(sealed, context) {
      return bytesOf(openSealed(sealed, context))
    },
    async isCurrent(sealed) {
      const shortest = sealingHeader.length + nonceBytes + tagBytes
      return sealed.length >= shortest && viewOf(sealed).subarray(0, sealingHeader.length).equals(sealingHeader)
    },
  }
}
