import { createHash, timingSafeEqual } from 'node:crypto'
import type { Runtime } from '../../ports/runtime.js'

/** A public name for a client: 128 random bits. */
export function newClientId(runtime: Pick<Runtime, 'randomBytes'>): string {
  return Buffer.from(runtime.randomBytes(16)).toString('hex')
}

export function isClientId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text)
}

/** A secret for a client: 256 random bits. It is shown once. */
export function newSecret(runtime: Pick<Runtime, 'randomBytes'>): string {
  return Buffer.from(runtime.randomBytes(32)).toString('base64url')
}

/** Secrets are random and long, so a plain hash is as good as a slow one. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64')
}

/** Whether one of `secrets` has this hash, in a time that does not depend on the answer. */
export function holdsSecret(secretHash: string, secrets: readonly string[]): boolean {
  const expected = Buffer.from(secretHash)
  return secrets.map((secret) => timingSafeEqual(Buffer.from(hashSecret(secret)), expected)).includes(true)
}

/** The mark in a token of the secret it was issued for: tokens end when the secret changes. */
export function secretMark(secretHash: string): string {
  return createHash('sha256').update(`token ${secretHash}`).digest('base64url').slice(0, 16)
}
