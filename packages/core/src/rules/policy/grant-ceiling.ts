import type { Client } from '../../model/client.js'
import { ordinaryScopes, scopes } from '../../model/scopes.js'

/** Who grants: the host itself and the root client may hand out everything. */
export type Grantor = Pick<Client, 'scopes' | 'grantableScopes'> | 'root'

/** The most `grantor` may hand out. `ownScopesOnly` holds every client to what it may do itself. */
export function grantCeiling(grantor: Grantor, ownScopesOnly: boolean): readonly string[] {
  if (grantor === 'root') return scopes.map(({ name }) => name)
  if (!ownScopesOnly) return grantor.grantableScopes
  return grantor.grantableScopes.filter((scope) => grantor.scopes.includes(scope))
}

/** What a client may hand out when nothing was said: its own scopes, or more when root lets it create clients. */
export function defaultGrantable(
  grantor: Grantor,
  granted: readonly string[],
  ownScopesOnly: boolean,
): readonly string[] {
  return grantor === 'root' && !ownScopesOnly && granted.includes('client:create') ? ordinaryScopes : granted
}

/** The first of `wanted` that lies beyond `ceiling`. */
export function beyondCeiling(wanted: readonly string[], ceiling: readonly string[]): string | undefined {
  return wanted.find((scope) => !ceiling.includes(scope))
}
