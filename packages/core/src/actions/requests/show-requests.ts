import type { PrivacyRequest } from '../../model/privacy-request.js'
import type { RequestMail } from '../../model/request-mail.js'
import type { OutboxMailRow, PrivacyRequestRow } from '../../ports/rows.js'
import { isEnd } from '../../rules/request/request-lifecycle.js'
import type { ActionContext } from '../action-context.js'
import { deadlineOf } from './due-date.js'

type Shower = Pick<ActionContext, 'storage' | 'runtime' | 'options'>

/** Requests as callers see them, in this order, with the status of their mails. */
export async function showRequests(
  { storage, runtime, options }: Shower,
  rows: readonly PrivacyRequestRow[],
): Promise<PrivacyRequest[]> {
  if (rows.length === 0) return []
  const where = { requestId: { in: rows.map(({ id }) => id) } }
  const mails = new Map<string, RequestMail[]>()
  for (const mail of await storage.table('outboxMail').find({ where })) {
    mails.set(mail.requestId, [...(mails.get(mail.requestId) ?? []), shownMail(mail)])
  }
  return rows.map((row) => shown({ runtime, options }, row, mails.get(row.id)))
}

/** A request with its mails. */
export function showWith(
  context: Omit<Shower, 'storage'>,
  row: PrivacyRequestRow,
  mails: readonly OutboxMailRow[],
): PrivacyRequest {
  return shown(context, row, mails.length > 0 ? mails.map(shownMail) : undefined)
}

function shown(
  { runtime, options }: Omit<Shower, 'storage'>,
  row: PrivacyRequestRow,
  mails: readonly RequestMail[] | undefined,
): PrivacyRequest {
  const daysLeft = isEnd(row.status) ? undefined : deadlineOf(row, options.timeZone)?.daysLeft(runtime.now())
  return { ...plain(row), ...(daysLeft !== undefined && { daysLeft }), ...(mails && { mails }) }
}

export async function showRequest(context: Shower, row: PrivacyRequestRow): Promise<PrivacyRequest> {
  const [request] = await showRequests(context, [row])
  return request as PrivacyRequest
}

/** A request as it was just written. If its mails cannot be read now, the write must not look as if it had failed. */
export async function showWritten(context: Shower, row: PrivacyRequestRow): Promise<PrivacyRequest> {
  return showRequest(context, row).catch(() => plain(row))
}

/** Who runs a request, and what it waits for inside the service, is not shown. */
function plain(row: PrivacyRequestRow): PrivacyRequest {
  const { version, leaseHolder, leaseExpiresAt, fencingToken, needsReview, expiringAt, destroyAt, ...rest } = row
  const { awaitedInput, cancelRequestedBy, stopsForHold, mailsSuppressed, preparedPackages, erasureNotes, ...more } =
    rest
  const { ownIdentityHashes, steps, stepsAtClaim, deaths, auditHead, lane, ...request } = more
  return request
}

function shownMail({ kind, status, attempts, createdAt, lastError }: OutboxMailRow): RequestMail {
  return { kind, status, attempts, createdAt, ...(lastError !== undefined && { lastError }) }
}
