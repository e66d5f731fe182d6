import { setImmediate } from 'node:timers/promises'
import { PrivacyError } from '../../errors.js'
import type { Lease } from './hold-lease.js'
import { pause } from './pause.js'
import type { RunPermit } from './worker-permits.js'

/** A request is large once a run of it has read more rows, or some of them while others wait for its place. */
const mostOfSmall = 20_000
const mostWhileOthersWait = 500
/** How long a large run leaves the process to small ones after the rows that it judges at once. */
const restMs = 20

/**
 * Counts the rows that a run reads. Once they are many, the row of the request says that it is large. Where the worker has
 * no permit for one more large request, `handBack` aborts, unless the request has erased something already. Resolves when the
 * next rows may be judged. A large run leaves the process to calls that have just come before that, too.
 */
export function rowsRead(
  lease: Pick<Lease, 'row' | 'mark' | 'signal'>,
  permit: RunPermit | undefined,
  handBack: AbortController,
): (rows: number) => Promise<void> {
  let read = 0
  let isLarge = lease.row.lane === 'large'
  return async (rows) => {
    read += rows
    if (isLarge) await (permit?.isAmongSmall ? pause(restMs, lease.signal) : setImmediate())
    if (isLarge || read <= (permit?.isWaitedFor ? mostWhileOthersWait : mostOfSmall)) return
    isLarge = true
    lease.mark({ lane: 'large' })
    // What has begun to erase a person's data goes on.
    if (!permit || permit.becomeLarge() || lease.row.erasingSince !== undefined) return
    handBack.abort(new PrivacyError('unavailable', 'The request is large, and goes on once fewer large requests run.'))
  }
}
