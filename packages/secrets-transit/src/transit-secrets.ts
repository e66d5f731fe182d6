import type { Secrets } from '@habeas/core'
import * as z from 'zod'
import { callTransit } from './call-transit.js'
import { notOpened, unavailable } from './transit-failure.js'
import { transitKey } from './transit-key.js'
import { readOptions, type TransitSecretsOptions } from './transit-options.js'

/**
 * Seals secrets with a key that never leaves the transit engine of a HashiCorp Vault or OpenBao. Throws `misconfigured` when an
 * option is wrong. Calls reject with `unavailable` while the server is away, and with `misconfigured` where token, key or
 * engine are not what is needed. A sealed value is the ciphertext as the engine writes it, `vault:v1:…`.
 */
export function transitSecrets(options: TransitSecretsOptions): Secrets {
  const settings = readOptions(options)
  const call = callTransit(settings)
  const key = transitKey(settings, call)

  return {
    async seal(plaintext, context) {
      await key.fits()
      const body = { plaintext: base64(plaintext), associated_data: base64(Buffer.from(context)) }
      const { ciphertext } = await call('encrypt', z.object({ ciphertext: z.string() }), body)
      const sealed = new Uint8Array(Buffer.from(ciphertext))
      const read = readSealed(sealed)
      if (!read) throw unavailable('other')
      key.seen(read.version)
      return sealed
    },

    async open(sealed, context) {
      const read = readSealed(sealed)
      if (!read) throw notOpened()
      const body = { ciphertext: read.ciphertext, associated_data: base64(Buffer.from(context)) }
      const { plaintext } = await call('decrypt', z.object({ plaintext: z.base64() }), body)
      return new Uint8Array(Buffer.from(plaintext, 'base64'))
    },

    async isCurrent(sealed) {
      const read = readSealed(sealed)
      return read !== undefined && read.version === (await key.latestVersion())
    },
  }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** Undefined for what the engine would not have written. It also takes other spellings of the same bytes. */
function readSealed(sealed: Uint8Array): { readonly ciphertext: string; readonly version: number } | undefined {
  const ciphertext = Buffer.from(sealed).toString('latin1')
  const [, version = '', encoded = ''] = /^vault:v([1-9]\d{0,8}):([A-Za-z0-9+/]+={0,2})$/.exec(ciphertext) ?? []
  if (encoded === '' || base64(Buffer.from(encoded, 'base64')) !== encoded) return undefined
  return { ciphertext, version: Number(version) }
}
