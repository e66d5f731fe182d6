import { createHmac } from 'node:crypto'
import { plainAddress } from '../../model/compared-text.js'
import type { Identity } from '../../model/identity.js'
import type { HeldIdentityRow, LegalHoldRow } from '../../ports/proof-rows.js'
import type { ActionContext } from '../action-context.js'
import { openPersonalData } from '../requests/personal-data.js'
import { keysOf } from '../service-keys.js'
import { derivedIdentityOf } from '../webhooks/webhook-call-id.js'

/** One row for each property and value that a hold covers. */
export async function heldIdentityRows(
  context: ActionContext,
  holdId: string,
  identities: readonly Identity[],
): Promise<HeldIdentityRow[]> {
  const hashes = await holdHashes(context, identities)
  return hashes.map((identityHash) => ({ id: `${holdId}/${identityHash}`, version: 1, holdId, identityHash }))
}

/**
 * Active legal holds that share a property and its value with a request, with an identity that webhooks have added, or
 * with the person's rows that were found; oldest first. An erasure asks before its first write. Rejects with `gone`
 * once the request's data was destroyed.
 */
export async function heldBy(context: ActionContext, requestId: string): Promise<readonly LegalHoldRow[]> {
  const row = await context.storage.table('privacyRequest').get(requestId)
  const hashes = await holdHashes(context, await identitiesKnown(context, requestId))
  return holdsOn(context, [...hashes, ...(row?.ownIdentityHashes ?? [])])
}

/** Active legal holds that cover one of these `holdHashes`; oldest first. */
export async function holdsOn(
  { storage, runtime }: Pick<ActionContext, 'storage' | 'runtime'>,
  hashes: readonly string[],
): Promise<readonly LegalHoldRow[]> {
  const identityHash = { in: hashes }
  const held = await storage.table('heldIdentity').find({ where: { identityHash } })
  if (held.length === 0) return []
  const id = { in: [...new Set(held.map(({ holdId }) => holdId))] }
  const holds = await storage.table('legalHold').find({ where: { id, status: { equals: 'active' } } })
  const now = runtime.now().toISOString()
  return holds.filter(({ until }) => until === undefined || until > now)
}

async function identitiesKnown(context: ActionContext, requestId: string): Promise<readonly Identity[]> {
  const { dataKey, identities } = await openPersonalData(context, requestId)
  const calls = await context.storage.table('webhookCall').find({ where: { requestId: { equals: requestId } } })
  const added = calls.map((call) => derivedIdentityOf(call, dataKey))
  return [...identities, ...added.filter((identity) => identity !== undefined)]
}

/** Ignores case and outer blanks of every value, as requests do for addresses: a value that a hold might mean is held. */
export async function holdHashes(context: ActionContext, identities: readonly Identity[]): Promise<readonly string[]> {
  const key = await keysOf(context)('identity-hash')
  const hashOf = ([property, value]: [string, Identity[string]]) =>
    createHmac('sha256', key)
      .update(JSON.stringify(['legal-hold', property, plainAddress(String(value))]))
      .digest('base64url')
  return [...new Set(identities.flatMap((identity) => Object.entries(identity)).map(hashOf))]
}
