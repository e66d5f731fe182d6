import { createHmac } from 'node:crypto'
import { PrivacyError } from '../errors.js'
import type { Identity } from '../model/identity.js'
import type { RequestIdentityRow, RequestKeyRow } from '../ports/rows.js'
import type { Runtime } from '../ports/runtime.js'
import type { ActionContext } from './context.js'
import { createDataKey, openDataKey, openText, sealText } from './data-key.js'
import type { ServiceKeys } from './service-keys.js'

type IdentityValue = Identity[string]

/** Seals what is personal about a request under a data key of its own. */
export async function sealIdentities(
  { secrets, runtime }: ActionContext,
  id: string,
  identities: readonly Identity[],
): Promise<RequestKeyRow> {
  const { dataKey, sealedKey } = await createDataKey(secrets, runtime, id)
  const sealedIdentities = sealText(dataKey, runtime, id, JSON.stringify(identities))
  return { id, version: 1, sealedKey, sealedIdentities }
}

/** What is personal about a request. Rejects with `gone` once its data was destroyed. */
export async function openRequest(
  { storage, secrets }: ActionContext,
  id: string,
): Promise<{ dataKey: Uint8Array; identities: readonly Identity[] }> {
  const row = await storage.table('requestKey').get(id)
  if (!row)
    throw new PrivacyError('gone', `The data of request '${id}' was destroyed.`, { kind: 'privacy request', id })
  const dataKey = await openDataKey(secrets, id, row.sealedKey)
  return { dataKey, identities: JSON.parse(openText(dataKey, id, row.sealedIdentities)) }
}

/** How requests are found by the values that identify their person, which no row holds. */
export function identityHashes(serviceKeys: ServiceKeys) {
  const hashWith = (key: Uint8Array) => (value: IdentityValue) =>
    createHmac('sha256', key).update(String(value)).digest('base64url')
  return {
    /** The number 5 and the text '5' hash alike, for a query string cannot tell them apart. */
    hash: async (value: IdentityValue): Promise<string> => hashWith(await serviceKeys('identity-hash'))(value),
    /** One row for each distinct value, whatever properties have it. */
    async rows(runtime: Runtime, requestId: string, identities: readonly Identity[]): Promise<RequestIdentityRow[]> {
      const hash = hashWith(await serviceKeys('identity-hash'))
      const hashes = new Set(identities.flatMap((identity) => Object.values(identity)).map(hash))
      return [...hashes].map((identityHash) => ({ id: runtime.newId(), version: 1, requestId, identityHash }))
    },
  }
}
