import type { ActionContext } from '../../actions/action-context.js'
import { without } from '../../actions/requests/move-request.js'
import { retryWithBackOff } from '../../async/retry-with-back-off.js'
import type { RequestRetry } from '../../model/request-retry.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import { isHeldBy } from './hold-lease.js'

/**
 * Gives a claimed request back, so that any worker can go on with it, with `retry` not before its time. Returns undefined
 * when the request was lost.
 */
export async function releaseRequest(
  { storage }: Pick<ActionContext, 'storage'>,
  held: PrivacyRequestRow,
  retry?: RequestRetry,
): Promise<PrivacyRequestRow | undefined> {
  const table = storage.table('privacyRequest')
  return retryWithBackOff(async () => {
    let row: PrivacyRequestRow | undefined = held
    while (row && isHeldBy(row, held)) {
      const free = without(row, ['leaseHolder', 'leaseExpiresAt', 'deaths'])
      const next = { ...free, ...(retry && { retry }), version: row.version + 1 }
      if (await table.replace(next)) return next
      row = await table.get(held.id)
    }
    return undefined
  })
}
