import { createHmac } from 'node:crypto'
import { plainAddress } from '../../model/compared-text.js'
import { type Identity, identitySchema } from '../../model/identity.js'
import { editDistance, nearestKey } from '../../model/nearest-key.js'
import { invalidInput, parseInput } from '../../model/parse-input.js'
import type { PrivacyRequest } from '../../model/privacy-request.js'
import type { TombstoneRow } from '../../ports/proof-rows.js'
import type { DatasetRow, PrivacyRequestRow } from '../../ports/rows.js'
import { tiedCategory } from '../../rules/plan/identity-entries.js'
import { declaredFields } from '../../rules/policy/declared-fields.js'
import type { ActionContext } from '../action-context.js'
import { keysOf, type ServiceKeys } from '../service-keys.js'

type KeyHolder = Pick<ActionContext, 'storage' | 'secrets' | 'runtime'>

/** More would give too many sets of properties to look for. */
const mostProperties = 8

/** One row for each identity object of a completed erasure. It must be made before the identities are destroyed. */
export async function tombstoneRows(
  context: KeyHolder,
  { id: requestId, policyKey }: Pick<PrivacyRequestRow, 'id' | 'policyKey'>,
  identities: readonly Identity[],
  erasedAt: string,
  { found, identityRemains }: Pick<PrivacyRequest, 'found' | 'identityRemains'> = {},
): Promise<TombstoneRow[]> {
  const notErased = found ? 'nothing found' : identityRemains ? 'identity remains' : undefined
  const marked = notErased && { notErased }
  const hashOf = await hashing(keysOf(context))
  return [...new Set(identities.map(hashOf))].map((identityHash) => {
    const row = { id: `${requestId}/${identityHash}`, version: 1, requestId, identityHash, erasedAt, policyKey }
    return { ...row, replays: [], ...marked } as TombstoneRow
  })
}

/** A tombstone that matches a person, and the properties it matches. */
export interface TombstoneMatch {
  readonly tombstone: TombstoneRow
  /** Those properties of the person whose values were erased together. */
  readonly identity: Identity
}

/**
 * Recognises people whose data was erased: an erased identity object matches every person with all its properties and
 * values.
 */
export function tombstoneLookup(context: KeyHolder) {
  const table = context.storage.table('tombstone')
  const keys = keysOf(context)
  return {
    async isErased(identity: unknown): Promise<boolean> {
      const hashOf = await hashing(keys)
      const candidate = readCandidate(identity)
      const where = { identityHash: { in: subsetsOf(candidate).map(hashOf) } }
      const found = await table.find({ where })
      if (found.length === 0) refuseMisspelt(candidate, await context.storage.table('dataset').find())
      return found.some(({ notErased }) => notErased === undefined)
    },

    /** Tombstones from `since` on that match one of the people. */
    async matches(people: readonly Identity[], since: string): Promise<readonly TombstoneMatch[]> {
      const hashOf = await hashing(keys)
      const known = new Map(people.flatMap(subsetsOf).map((subset) => [hashOf(subset), subset]))
      if (known.size === 0) return []
      const where = { identityHash: { in: [...known.keys()] }, erasedAt: { gte: since } }
      const found = await table.find({ where })
      return found.map((tombstone) => ({ tombstone, identity: known.get(tombstone.identityHash) as Identity }))
    },
  }
}

/** A misspelt property would match nobody, which reads like "not erased". Properties that no name resembles are taken. */
function refuseMisspelt(candidate: Identity, datasets: readonly DatasetRow[]): void {
  const identities = datasets.flatMap((dataset) => declaredIdentities(dataset))
  const known = new Set([...Object.keys(tiedCategory), ...identities])
  const issues = Object.keys(candidate).flatMap((property) => {
    const nearest = known.has(property) ? undefined : nearestKey(property.toLowerCase(), known)
    if (nearest === undefined || property.length < 4 || editDistance(property.toLowerCase(), nearest) > 2) return []
    const msg = `is not a known identity: the nearest known one is '${nearest}'`
    return [{ loc: [property], msg, type: 'unknown_identity' }]
  })
  if (issues.length > 0) throw invalidInput('identity', issues)
}

const declaredIdentities = ({ document }: DatasetRow): string[] =>
  document.collections.flatMap((collection) =>
    declaredFields(document, collection).flatMap(({ field }) => field.service_meta.identity ?? []),
  )

/** Throws `invalid_input` for an identity that cannot be looked for. */
export function readCandidate(input: unknown): Identity {
  const identity = parseInput('identity', identitySchema, input, { readOnly: [] }).value
  if (Object.keys(identity).length <= mostProperties) return identity
  const msg = `must have at most ${mostProperties} properties to be looked for among what was erased`
  throw invalidInput('identity', [{ loc: [], msg, type: 'too_big' }])
}

/**
 * Every set of properties that may have been erased. None is left out, because an erasure may have had fewer
 * properties.
 */
function subsetsOf(identity: Identity): Identity[] {
  const entries = Object.entries(identity)
  return Array.from({ length: 2 ** entries.length - 1 }, (_, at) =>
    Object.fromEntries(entries.filter((_, bit) => ((at + 1) & (1 << bit)) !== 0)),
  )
}

/** As requests compare it: in an e-mail address neither the case of ASCII letters nor outer blanks count. */
function comparedText(property: string, value: Identity[string]): string {
  return property === 'email' ? plainAddress(String(value)) : String(value)
}

async function hashing(keys: ServiceKeys): Promise<(identity: Identity) => string> {
  const key = await keys('tombstone')
  return (identity) => {
    const members = Object.entries(identity).map(
      ([property, value]) => [property, comparedText(property, value)] as const,
    )
    const sorted = members.sort(([left], [right]) => (left < right ? -1 : 1))
    return createHmac('sha256', key).update(JSON.stringify(sorted)).digest('base64url')
  }
}
