import { PrivacyError } from '../errors.js'
import { keySchema } from '../model/key.js'
import type { PrivacyRequest } from '../model/privacy-request.js'
import type { PrivacyRequestRow } from '../ports/rows.js'
import type { Storage } from '../ports/storage.js'
import { nextStatus, type RequestEvent, wayOut } from '../rules/request-lifecycle.js'
import { untilWritten } from './compare-and-set.js'

/** Throws `not_found` when there is none. */
export async function requestRow(storage: Storage, id: string): Promise<PrivacyRequestRow> {
  const isId = keySchema.safeParse(id).success
  const row = isId ? await storage.table('privacyRequest').get(id) : undefined
  if (row) return row
  const message = `There is no privacy request ${isId ? `'${id}'` : 'with this id'}.`
  throw new PrivacyError('not_found', message, { kind: 'privacy request', id: isId ? id : '' })
}

/** What callers see: who runs it is nobody's business. */
export function shownRequest({ version, leaseHolder, leaseExpiresAt, ...request }: PrivacyRequestRow): PrivacyRequest {
  return request
}

/** Moves a request by one event, if nobody else has moved it meanwhile; undefined when the event lost. */
export async function moveRequest(
  storage: Storage,
  row: PrivacyRequestRow,
  event: RequestEvent,
  changes: Partial<PrivacyRequestRow> = {},
): Promise<PrivacyRequestRow | undefined> {
  const status = nextStatus(row.status, event)
  if (status === undefined) return undefined
  const { failure, leaseHolder, leaseExpiresAt, ...rest } = row
  const moved = { ...rest, ...changes, status, version: row.version + 1 }
  return (await storage.table('privacyRequest').replace(moved)) ? moved : undefined
}

/** Moves a request by an event of a caller's, whoever else writes to it; throws `invalid_state` where it has no meaning. */
export function moveOrRefuse(
  storage: Storage,
  id: string,
  event: RequestEvent,
  changes: Partial<PrivacyRequestRow> = {},
): Promise<PrivacyRequestRow> {
  return untilWritten('privacy request', id, async () => {
    const row = await requestRow(storage, id)
    if (nextStatus(row.status, event) === undefined) throw invalidState(row, event)
    return moveRequest(storage, row, event, changes)
  })
}

export function invalidState({ id, status }: PrivacyRequestRow, event: RequestEvent): PrivacyError<'invalid_state'> {
  const message = `Request '${id}' is in status '${status}', so '${event}' does not apply to it: ${wayOut[status]}.`
  return new PrivacyError('invalid_state', message, { status, event })
}
