import { createHmac } from 'node:crypto'
import type { Identity } from '../../model/identity.js'
import type { RequestIdentityRow } from '../../ports/rows.js'
import type { Runtime } from '../../ports/runtime.js'
import type { ServiceKeys } from '../service-keys.js'

type IdentityValue = Identity[string]

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
