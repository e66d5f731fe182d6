import { isPrivacyError, PrivacyError } from '../errors.js'
import type { ServiceKeyRow } from '../ports/rows.js'
import type { ActionContext } from './action-context.js'
import { tookEffect } from './until-written.js'

/** `key-check` protects nothing: it is there to be opened before anything else is done. */
export type KeyPurpose =
  | 'key-check'
  | 'token-signing'
  | 'identity-hash'
  | 'verification-code'
  | 'evidence-signing'
  | 'tombstone'

const keyBytes = 32

/**
 * Keys that the service makes for itself, one for each purpose: random, sealed by the Secrets port, and the same for
 * every process on one storage, whichever process made it. Rejects with `misconfigured`, naming `option`, where the key at
 * hand does not open one.
 */
export function serviceKeys(
  { storage, secrets, runtime }: Pick<ActionContext, 'storage' | 'secrets' | 'runtime'>,
  option: 'encryptionKey' | 'secrets' = 'encryptionKey',
) {
  const opened = new Map<KeyPurpose, Promise<Uint8Array>>()
  const table = storage.table('serviceKey')
  const sealContext = (purpose: KeyPurpose) => `service-key:${purpose}`

  async function make(purpose: KeyPurpose): Promise<ServiceKeyRow> {
    const sealed = await secrets.seal(runtime.randomBytes(keyBytes), sealContext(purpose))
    const row = { id: purpose, version: 1, sealed: Buffer.from(sealed).toString('base64') }
    await tookEffect(() => table.insert(row))
    return (await table.get(purpose)) as ServiceKeyRow
  }

  async function open(purpose: KeyPurpose): Promise<Uint8Array> {
    const { sealed } = (await table.get(purpose)) ?? (await make(purpose))
    try {
      return await secrets.open(Buffer.from(sealed, 'base64'), sealContext(purpose))
    } catch (error) {
      throw isPrivacyError(error, 'internal') ? anotherKey(option, error) : error
    }
  }

  return (purpose: KeyPurpose): Promise<Uint8Array> => {
    const known = opened.get(purpose)
    if (known !== undefined) return known
    const opening = open(purpose)
    opened.set(purpose, opening)
    // After a failure of the storage the key is asked for again.
    opening.catch(() => opened.delete(purpose))
    return opening
  }
}

function anotherKey(option: string, cause: unknown): PrivacyError<'misconfigured'> {
  const message = `${option} must be the key that this storage was begun with: it does not open what is stored there. Nothing was changed. Pass the key of the first start, or, after a rotation, every key of the ring as secrets: aesSecrets({ keys, current }).`
  return new PrivacyError('misconfigured', message, { option }, { cause })
}

export type ServiceKeys = ReturnType<typeof serviceKeys>
