import type { Client } from '../../model/client.js'
import { ordinaryScopes, scopes } from '../../model/scopes.js'

/** The client that grants scopes. The host and the root client may grant everything. */
export type Grantor = Pick<Client, 'scopes' | 'grantableScopes'> | 'root'

/** The most that `grantor` may grant. With `ownScopesOnly` a client may grant only its own scopes. */
export function grantCeiling(grantor: Grantor, ownScopesOnly: boolean): readonly string[] {
  if (grantor === 'root') return scopes.map(({ name }) => name)
  if (!ownScopesOnly) return grantor.grantableScopes
  return grantor.grantableScopes.filter((scope) => grantor.scopes.includes(scope))
}

/** The default grantable scopes of a client: its own, or more where root lets it create clients. */
export function defaultGrantable(
  grantor: Grantor,
  granted: readonly string[],
  ownScopesOnly: boolean,
): readonly string[] {
  return grantor === 'root' && !ownScopesOnly && granted.includes('client:create') ? ordinaryScopes : granted
}

/** The first of `wanted` that exceeds `ceiling`. */
export function beyondCeiling(wanted: readonly string[], ceiling: readonly string[]): string | undefined {
  return wanted.find((scope) => !ceiling.includes(scope))
}
