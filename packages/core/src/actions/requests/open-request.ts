import { createHmac } from 'node:crypto'
import { createDataKey, openDataKey, openText, sealText } from '../../crypto/data-key.js'
import type { Identity } from '../../model/identity.js'
import type { RequestIdentityRow, RequestKeyRow } from '../../ports/rows.js'
import type { Runtime } from '../../ports/runtime.js'
import type { ActionContext } from '../action-context.js'
import type { ServiceKeys } from '../service-keys.js'
import { dataGone } from './move-request.js'

type IdentityValue = Identity[string]

/** Seals the personal data of a request under a data key of its own. */
export async function sealIdentities(
  { secrets, runtime }: ActionContext,
  id: string,
  identities: readonly Identity[],
  encryptionKey?: Uint8Array,
): Promise<{ readonly row: RequestKeyRow; readonly dataKey: Uint8Array }> {
  const { dataKey, sealedKey } = await createDataKey(secrets, runtime, id)
  const sealedIdentities = sealText(dataKey, runtime, id, JSON.stringify(identities))
  const keyText = encryptionKey && Buffer.from(encryptionKey).toString('base64')
  const kept = keyText !== undefined && { sealedEncryptionKey: sealText(dataKey, runtime, keyLabel(id), keyText) }
  return { row: { id, version: 1, sealedKey, sealedIdentities, ...kept }, dataKey }
}

const keyLabel = (id: string) => `${id}/encryption-key`

export interface OpenRequest {
  readonly dataKey: Uint8Array
  readonly identities: readonly Identity[]
  /** The caller's key for the package: 16 or 32 bytes. */
  readonly encryptionKey?: Uint8Array
}

/** The personal data of a request. Rejects with `gone` once it was destroyed. */
export async function openRequest({ storage, secrets }: ActionContext, id: string): Promise<OpenRequest> {
  const row = await storage.table('requestKey').get(id)
  if (!row) throw dataGone(id)
  const dataKey = await openDataKey(secrets, id, row.sealedKey)
  const { sealedEncryptionKey: sealed } = row
  const encryptionKey = sealed !== undefined && Buffer.from(openText(dataKey, keyLabel(id), sealed), 'base64')
  const identities = JSON.parse(openText(dataKey, id, row.sealedIdentities))
  return { dataKey, identities, ...(encryptionKey && { encryptionKey }) }
}

/** Keyed hashes by which requests are found. No row holds the values that identify their person. */
export function identityHashes(serviceKeys: ServiceKeys) {
  const hashWith = (key: Uint8Array) => (value: IdentityValue) =>
    createHmac('sha256', key).update(String(value)).digest('base64url')
  return {
    /** The number 5 and the text '5' hash alike, because a query string cannot tell them apart. */
    hash: async (value: IdentityValue): Promise<string> => hashWith(await serviceKeys('identity-hash'))(value),
    /** One row for each distinct value, whatever properties have it. */
    async rows(runtime: Runtime, requestId: string, identities: readonly Identity[]): Promise<RequestIdentityRow[]> {
      const hash = hashWith(await serviceKeys('identity-hash'))
      const hashes = new Set(identities.flatMap((identity) => Object.values(identity)).map(hash))
      return [...hashes].map((identityHash) => ({ id: runtime.newId(), version: 1, requestId, identityHash }))
    },
  }
}
