import type { PrivacyRequest } from '../../model/privacy-request.js'

/** How long personal data about a request is kept (docs/requests.md). */
export interface RetentionPeriods {
  /** For a complete request with packages: the lifetime of their links. */
  readonly linkSeconds: number
  /** For a request with an unverified address, counted from its submission. */
  readonly unverifiedDays: number
  /** For a failed request, counted from its last run. */
  readonly errorDays: number
}

const daySeconds = 86_400

/** When the personal data of a request must be destroyed, given its present status. Undefined: not in this status. */
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
  // After a partial erasure, the stored data is needed to find the rest of the person's rows.
  if (status === 'error' && erasingSince !== undefined) return undefined
  if (status === 'error') return later(errorDays * daySeconds)
  if (status === 'identity_unverified') return later(unverifiedDays * daySeconds)
  return undefined
}
