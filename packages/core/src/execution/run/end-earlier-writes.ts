import { isPrivacyError } from '../../errors.js'
import type { Plan } from '../../rules/plan/plan.js'
import { fenceLock } from './hold-lease.js'
import type { RequestRun } from './run-options.js'

/**
 * Makes sure that no write of an earlier run of this request can still take effect. An earlier run may have been killed
 * while its statement waited for a lock, or it may go on after it was frozen.
 */
export async function endEarlierWrites({ row, lease, options }: RequestRun): Promise<void> {
  if (row.erasingSince === undefined) return
  const stored = await options.context.storage.table('requestPlan').get(row.id)
  const collections = (stored?.plan as Plan | undefined)?.collections ?? []
  const written = collections.filter(({ erasure }) => erasure && !erasure.byHand)
  for (const key of new Set(written.map(({ connectionKey }) => connectionKey))) {
    const open = await options.connections.get(key).catch((error) => {
      // The connection was removed, so this service no longer reaches its database.
      if (isPrivacyError(error, 'not_found')) return undefined
      throw error
    })
    await open?.connection.endWrites?.(fenceLock(row.id), { signal: lease.signal })
  }
}
