import type { ActionContext } from '../../actions/action-context.js'
import { without } from '../../actions/requests/move-request.js'
import type { RequestRetry } from '../../model/request-retry.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import { writeWhileHeld } from './write-while-held.js'

/**
 * Gives a claimed request back, so that any worker can go on with it, with `retry` not before its time. Returns undefined
 * when the request was lost.
 */
export function releaseRequest(
  { storage }: Pick<ActionContext, 'storage'>,
  held: PrivacyRequestRow,
  retry?: RequestRetry,
): Promise<PrivacyRequestRow | undefined> {
  return writeWhileHeld(storage, held, async (row) => {
    const free = without(row, ['leaseHolder', 'leaseExpiresAt', 'deaths'])
    const next = { ...free, ...(retry && { retry }), version: row.version + 1 }
    return (await storage.table('privacyRequest').replace(next)) ? next : undefined
  })
}
