import { retryWithBackOff } from '../../async/retry-with-back-off.js'
import { PrivacyError } from '../../errors.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import { isHeldBy } from './hold-lease.js'

/**
 * Writes to a request after its lease has stopped renewing. `attempt` gives undefined when another write came first, and is
 * repeated with the row as it is then. Returns undefined when the request was lost. A storage that cannot be reached for a
 * moment is asked again.
 */
export function writeWhileHeld(
  storage: Storage,
  held: PrivacyRequestRow,
  attempt: (row: PrivacyRequestRow) => Promise<PrivacyRequestRow | undefined>,
): Promise<PrivacyRequestRow | undefined> {
  return retryWithBackOff(async () => {
    let row = held
    for (;;) {
      const written = await attempt(row)
      if (written) return written
      const now = await storage.table('privacyRequest').get(held.id)
      if (!now || !isHeldBy(now, held)) return undefined
      if (now.version === row.version) {
        throw new PrivacyError('conflict', 'The storage could not write the end of a run just now.', {
          kind: 'privacy request',
          id: held.id,
        })
      }
      row = now
    }
  })
}
