import type { ActionContext } from '../../actions/action-context.js'
import { requestStatuses } from '../../model/privacy-request.js'
import type { Metric, Telemetry } from '../../ports/telemetry.js'
import { isEnd, readyStatuses } from '../../rules/request/request-lifecycle.js'
import { metrics } from './metrics.js'

const gauges = [metrics.waiting, metrics.oldest, metrics.overdue, metrics.mails]

/** Shows how many requests and mails wait. Returns a function that ends it. */
export function observeRequests(
  telemetry: Telemetry,
  { storage, runtime }: Pick<ActionContext, 'storage' | 'runtime'>,
  approvalRequired: boolean,
): () => void {
  async function look(): Promise<ReadonlyMap<Metric, number>> {
    const requests = storage.table('privacyRequest')
    const now = runtime.now()
    const waiting = { status: { in: readyStatuses(approvalRequired) } }
    const open = { in: requestStatuses.filter((status) => !isEnd(status)) }
    const [count, [oldest], overdue, mails] = await Promise.all([
      requests.count(waiting),
      requests.find({ where: waiting, orderBy: [{ field: 'createdAt' }], limit: 1 }),
      requests.count({ status: open, dueDate: { lt: now.toISOString() } }),
      storage.table('outboxMail').count({ status: { equals: 'waiting' } }),
    ])
    const since = oldest && (oldest.reviewedAt ?? oldest.identityVerifiedAt ?? oldest.createdAt)
    return new Map([
      [metrics.waiting, count],
      [metrics.oldest, since === undefined ? 0 : Math.max(0, now.getTime() - Date.parse(since)) / 1_000],
      [metrics.overdue, overdue],
      [metrics.mails, mails],
    ])
  }
  // A storage that is away shows nothing.
  return telemetry.observe(gauges, () => look().catch(() => new Map()))
}
