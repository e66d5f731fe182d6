import { sealContexts } from '../crypto/seal-contexts.js'
import { isPrivacyError, PrivacyError } from '../errors.js'
import type { ServiceKeyRow } from '../ports/rows.js'
import type { Secrets } from '../ports/secrets.js'
import type { ActionContext } from './action-context.js'
import { tookEffect } from './until-written.js'

export type KeyPurpose = 'token-signing' | 'identity-hash' | 'verification-code' | 'evidence-signing' | 'tombstone'

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

  async function make(purpose: KeyPurpose): Promise<ServiceKeyRow> {
    const row = await sealServiceKey({ secrets, runtime }, purpose)
    await tookEffect(() => table.insert(row))
    return (await table.get(purpose)) as ServiceKeyRow
  }

  const open = async (purpose: KeyPurpose): Promise<Uint8Array> =>
    openServiceKey(secrets, (await table.get(purpose)) ?? (await make(purpose)), option)

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

type KeyHolder = Pick<ActionContext, 'storage' | 'secrets' | 'runtime'>

const remembered = new WeakMap<
  KeyHolder['secrets'],
  { readonly storage: KeyHolder['storage']; readonly keys: ServiceKeys }
>()

/** The same for whoever has no more than the ports of a service: what was opened once is remembered with them. */
export function keysOf(ports: KeyHolder): ServiceKeys {
  const known = remembered.get(ports.secrets)
  if (known?.storage === ports.storage) return known.keys
  const keys = serviceKeys(ports)
  remembered.set(ports.secrets, { storage: ports.storage, keys })
  return keys
}

/** The row of a new random key. */
export async function sealServiceKey(
  { secrets, runtime }: Pick<ActionContext, 'secrets' | 'runtime'>,
  id: string,
): Promise<ServiceKeyRow> {
  const sealed = await secrets.seal(runtime.randomBytes(keyBytes), sealContexts.serviceKey(id))
  return { id, version: 1, sealed: Buffer.from(sealed).toString('base64') }
}

/** Rejects with `misconfigured`, naming `option`, where no key at hand opens it. */
export async function openServiceKey(
  secrets: Pick<Secrets, 'open'>,
  { id, sealed }: ServiceKeyRow,
  option: 'encryptionKey' | 'secrets',
): Promise<Uint8Array> {
  try {
    return await secrets.open(Buffer.from(sealed, 'base64'), sealContexts.serviceKey(id))
  } catch (error) {
    throw isPrivacyError(error, 'internal') ? anotherKey(option, error) : error
  }
}

function anotherKey(option: string, cause: PrivacyError): PrivacyError<'misconfigured'> {
  const message = `${option} must be the key that this storage was begun with, or a ring with every key that still seals something there: it does not open what is stored. ${cause.message}. Nothing was changed. Pass the key of the first start, or all keys as secrets: aesSecrets({ keys, current }), and take a key out only after rotateSecrets.`
  return new PrivacyError('misconfigured', message, { option }, { cause })
}

export type ServiceKeys = ReturnType<typeof serviceKeys>
