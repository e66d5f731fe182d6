import { canonicalHash } from '../../crypto/canonical-hash.js'
import { PrivacyError } from '../../errors.js'
import { keySchema } from '../../model/key.js'
import type { OutboxMailRow, PrivacyRequestRow } from '../../ports/rows.js'
import type { Storage, Write } from '../../ports/storage.js'
import { destroyAt } from '../../rules/request/destroy-at.js'
import { auditAction, nextStatus, nextStep, type RequestEvent } from '../../rules/request/request-lifecycle.js'
import type { ActionContext } from '../action-context.js'
import { findAll } from '../find-all.js'
import { auditedTransaction, noteAudit, writeAudited } from '../proof/audit-actions.js'
import { tookEffect, untilWritten } from '../until-written.js'

type Keeper = Pick<ActionContext, 'storage' | 'runtime'> & Partial<Pick<ActionContext, 'options'>>

/** One event in the life of a request. */
export interface RequestMove {
  readonly event: RequestEvent
  /** A client's id, `root`, `host`, `system` or `subject`. */
  readonly actor: string
  readonly changes?: Partial<PrivacyRequestRow>
  /** Members that the request no longer has. */
  readonly drop?: readonly (keyof PrivacyRequestRow)[]
  /** For the audit trail: never a personal value. */
  readonly detail?: Readonly<Record<string, string | readonly string[]>>
  /** Writes that are stored together with the move, or not at all. None of them is a `replace`. */
  readonly writes?: readonly Write[] | undefined
  /** The same for writes that depend on what is stored. */
  readonly also?: ((within: Storage) => Promise<void>) | undefined
}

/** Members that describe a status, or belong to it, and are dropped with it. */
const ofStatus = [
  ...(['failure', 'retry', 'deaths', 'residualHits', 'leaseHolder', 'leaseExpiresAt', 'destroyAt'] as const),
  ...(['missingInput', 'actionRequired', 'awaitedInput', 'resumeBy', 'cancelRequestedBy', 'legalHolds'] as const),
  'stopsForHold' as const,
  ...(['incomplete', 'found', 'lookedFor', 'identityRemains', 'coverage', 'unconfirmed'] as const),
]

/** Returns whether a request may have this id. */
export function isRequestId(id: string): boolean {
  return keySchema.safeParse(id).success
}

/** Throws `not_found` for an unknown id. */
export async function requestRow(storage: Storage, id: string): Promise<PrivacyRequestRow> {
  const row = isRequestId(id) ? await storage.table('privacyRequest').get(id) : undefined
  if (row) return row
  throw noRequest(id)
}

/** Does the same, and returns the mails about the request as well. */
export async function requestWithMails(
  storage: Storage,
  id: string,
): Promise<{ readonly row: PrivacyRequestRow; readonly mails: readonly OutboxMailRow[] }> {
  if (!isRequestId(id)) throw noRequest(id)
  const [[row], mails] = await findAll(storage, [
    { kind: 'privacyRequest', where: { id: { equals: id } } },
    { kind: 'outboxMail', where: { requestId: { equals: id } } },
  ])
  if (!row) throw noRequest(id)
  return { row, mails }
}

function noRequest(id: string): PrivacyError<'not_found'> {
  const isId = isRequestId(id)
  const message = `There is no privacy request ${isId ? `'${id}'` : 'with this id'}.`
  return new PrivacyError('not_found', message, { kind: 'privacy request', id: isId ? id : '' })
}

/**
 * Moves a request by one event, if no other move came first: one compare-and-set and one entry in its audit trail, or
 * neither. Undefined when another move came first.
 */
export async function moveRequest(
  { storage, runtime, options }: Keeper,
  row: PrivacyRequestRow,
  { event, actor, changes = {}, drop = [], detail = {}, writes = [], also }: RequestMove,
): Promise<PrivacyRequestRow | undefined> {
  const status = nextStatus(row.status, event)
  if (status === undefined || row.expiringAt !== undefined) return undefined
  const moved = { ...without(row, [...ofStatus, ...drop]), ...changes, status }
  const next = { ...moved, ...storedUntil(moved, { runtime, options }), version: row.version + 1 }
  // The trail holds a hash of the results, so that they cannot be changed later unnoticed.
  const resultsHash = changes.results && { resultsHash: canonicalHash(changes.results) }
  const entry = {
    actor,
    action: auditAction(event),
    subject: requestSubject(row.id),
    detail: { from: row.status, to: status, ...resultsHash, ...detail },
  }
  if (!also) {
    let written = next
    const write = () =>
      writeAudited({ storage, runtime }, row.auditHead, entry, (auditHead) => {
        written = { ...next, auditHead }
        return [{ kind: 'privacyRequest', replace: written }, ...writes]
      })
    return (await tookEffect(write)) ? written : undefined
  }
  const write = (): Promise<boolean> =>
    auditedTransaction(storage, async (within) => {
      if (!(await within.table('privacyRequest').replace(next))) return false
      await also(within)
      await noteAudit({ runtime }, within, entry)
      return true
    })
  return (await tookEffect(write)) ? next : undefined
}

/** The name of a request in the audit trail. */
export function requestSubject(id: string): string {
  return `privacy-request:${id}`
}

/** Without these members, which must be optional. */
export function without(row: PrivacyRequestRow, members: readonly (keyof PrivacyRequestRow)[]): PrivacyRequestRow {
  const gone = new Set<string>(members)
  return Object.fromEntries(Object.entries(row).filter(([name]) => !gone.has(name))) as unknown as PrivacyRequestRow
}

/**
 * Moves a request by an event of a caller, repeating when other writes come first. Throws `invalid_state` where its
 * status does not allow the event.
 */
export function moveOrRefuse(
  keeper: Keeper,
  id: string,
  move: RequestMove | ((row: PrivacyRequestRow) => RequestMove),
): Promise<PrivacyRequestRow> {
  return untilWritten('privacy request', id, async () => {
    const row = await requestRow(keeper.storage, id)
    const made = typeof move === 'function' ? move(row) : move
    if (nextStatus(row.status, made.event) === undefined) throw invalidState(row, made.event)
    if (row.expiringAt !== undefined || row.destroyedAt !== undefined) throw dataGone(id)
    return moveRequest(keeper, row, made)
  })
}

/** When the personal data of a request has to be deleted, as its row says. */
export function storedUntil(
  request: Pick<PrivacyRequestRow, 'status' | 'packages' | 'erasingSince'>,
  { runtime, options }: Omit<Keeper, 'storage' | 'options'> & { readonly options: Keeper['options'] | undefined },
): Pick<PrivacyRequestRow, 'destroyAt'> {
  const at = options?.retention && destroyAt(request, runtime.now(), options.retention)
  return at === undefined ? {} : { destroyAt: at }
}

export function dataGone(id: string): PrivacyError<'gone'> {
  return new PrivacyError('gone', `The data of request '${id}' was destroyed.`, { kind: 'privacy request', id })
}

/** `called`: the name of the call, where it is another one than that of the event. */
export function invalidState(
  row: PrivacyRequestRow,
  event: RequestEvent,
  called: string = event,
): PrivacyError<'invalid_state'> {
  const { id, status } = row
  const message = `Request '${id}' is in status '${status}', so '${called}' does not apply to it: ${nextStep(row)}.`
  return new PrivacyError('invalid_state', message, { status, event })
}
