import type { PrivacyRequest } from '../../model/privacy-request.js'

/** How long what is personal about a request is kept (docs/requests.md). */
export interface RetentionPeriods {
  /** Of a complete request that hands something over: as long as a link to it is valid. */
  readonly linkSeconds: number
  /** Of a request whose address is never verified, from its submission. */
  readonly unverifiedDays: number
  /** Of a request that failed, from its last run. */
  readonly errorDays: number
}

const daySeconds = 86_400

/** When what is personal about a request has to go, now that it is in its status; undefined: not before it is in another. */
export function destroyAt(
  {
    status,
    packages = [],
    erasingSince,
  }: Pick<PrivacyRequest, 'status' | 'packages'> & { readonly erasingSince?: string },
  now: Date,
  { linkSeconds, unverifiedDays, errorDays }: RetentionPeriods,
): string | undefined {
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000).toISOString()
  if (status === 'complete') return later(packages.length > 0 ? linkSeconds : 0)
  if (status === 'denied' || status === 'canceled') return later(0)
  // What is left of a person that was erased in part is found by what was kept of it.
  if (status === 'error' && erasingSince !== undefined) return undefined
  if (status === 'error') return later(errorDays * daySeconds)
  if (status === 'identity_unverified') return later(unverifiedDays * daySeconds)
  return undefined
}
