import { createCipheriv, createDecipheriv } from 'node:crypto'
import { PrivacyError } from '../errors.js'
import type { Runtime } from '../ports/runtime.js'
import type { Secrets } from '../ports/secrets.js'
import { sealContexts } from './seal-contexts.js'

/** Makes the key that encrypts all personal data of one request. The request's key row holds it sealed. */
export async function createDataKey(secrets: Secrets, runtime: Runtime, requestId: string) {
  const dataKey = runtime.randomBytes(32)
  const sealed = await secrets.seal(dataKey, sealContexts.requestKey(requestId))
  return { dataKey, sealedKey: Buffer.from(sealed).toString('base64') }
}

export async function openDataKey(secrets: Secrets, requestId: string, sealedKey: string): Promise<Uint8Array> {
  return secrets.open(Buffer.from(sealedKey, 'base64'), sealContexts.requestKey(requestId))
}

/** Seals a small text under a data key: nonce (12), ciphertext, tag (16), as base64. */
export function sealText(dataKey: Uint8Array, runtime: Runtime, label: string, text: string): string {
  const nonce = runtime.randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', dataKey, nonce).setAAD(Buffer.from(label))
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

export function openText(dataKey: Uint8Array, label: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', dataKey, bytes.subarray(0, 12)).setAAD(Buffer.from(label))
  decipher.setAuthTag(bytes.subarray(-16))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new PrivacyError(
      'internal',
      'Stored texts of a request cannot be decrypted: they are damaged, or another service key sealed them.',
      {},
      { cause },
    )
  }
}
