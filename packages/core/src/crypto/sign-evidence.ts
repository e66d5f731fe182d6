import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { Evidence } from '../model/evidence.js'
import { canonicalText } from './canonical-hash.js'

/** The bytes before the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')

function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' })
}

/** The public key for a seed of 32 bytes: 32 bytes as base64url. */
export function evidenceKey(seed: Uint8Array): string {
  return createPublicKey(privateKeyOf(seed)).export({ format: 'jwk' }).x as string
}

/** The bundle with its signature. */
export function signEvidence(content: Omit<Evidence, 'signature'>, seed: Uint8Array): Evidence {
  const value = sign(null, Buffer.from(canonicalText(content)), privateKeyOf(seed)).toString('base64url')
  return { ...content, signature: { algorithm: 'Ed25519', publicKey: evidenceKey(seed), value } }
}

/** Whether the key that the signature names signed exactly this content. False for an invalid key. */
export function isSigned({ signature, ...content }: { readonly signature: Evidence['signature'] }): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: signature.publicKey }, format: 'jwk' })
    const value = Buffer.from(signature.value, 'base64url')
    // Decoders skip characters that are not base64url. Without this check a value could have any appendix.
    const isExact =
      value.toString('base64url') === signature.value && key.export({ format: 'jwk' }).x === signature.publicKey
    return isExact && verify(null, Buffer.from(canonicalText(content)), key, value)
  } catch {
    return false
  }
}
