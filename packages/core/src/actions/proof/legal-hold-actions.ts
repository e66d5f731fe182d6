import { sealContexts } from '../../crypto/seal-contexts.js'
import { PrivacyError } from '../../errors.js'
import type { Identity } from '../../model/identity.js'
import { keySchema } from '../../model/key.js'
import { type LegalHold, type LegalHoldStatus, legalHoldStatuses, parseLegalHold } from '../../model/legal-hold.js'
import { invalidInput } from '../../model/parse-input.js'
import { parseReason } from '../../model/privacy-request.js'
import type { LegalHoldRow } from '../../ports/proof-rows.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import { eachRequest, notDone } from '../not-done.js'
import { inOrder, listIssues, type Page, type Paging, readPage, refuseIssues } from '../paging.js'
import { moveRequest, type RequestMove } from '../requests/move-request.js'
import type { RequestCaller, RequestContext } from '../requests/request-context.js'
import { tookEffect, untilWritten } from '../until-written.js'
import { auditedTransaction, noteAudit } from './audit-actions.js'
import { heldBy, heldIdentityRows } from './held-identity-rows.js'

export interface LegalHoldListOptions extends Paging {
  /** Default: holds in every status. */
  readonly status?: LegalHoldStatus | undefined
}

/** The ways a hold ends. */
type Ending = Pick<LegalHoldRow, 'status' | 'releasedBy' | 'releaseReason'>

/**
 * Holds on the data of people that must not be erased for now (docs/legal-holds.md). They do not stop access requests.
 */
export function legalHoldActions(context: RequestContext) {
  const { storage, secrets, runtime } = context
  const table = storage.table('legalHold')

  /** Keeps the record of a hold without its personal data. False when another write came first. */
  async function end(row: LegalHoldRow, ending: Ending, actor: string): Promise<LegalHoldRow | undefined> {
    const { sealedIdentities: _, ...rest } = row
    const ended = { ...rest, ...ending, endedAt: runtime.now().toISOString(), version: row.version + 1 }
    const action = ending.status === 'released' ? 'legal_hold_released' : 'legal_hold_expired'
    const write = async (within: Storage) => {
      if (!(await within.table('legalHold').replace(ended))) return false
      const held = within.table('heldIdentity')
      for (const { id } of await held.find({ where: { holdId: { equals: row.id } } })) await held.take(id)
      await noteAudit(context, within, { actor, action, subject: holdSubject(row.id), detail: {} })
      return true
    }
    return (await tookEffect(() => auditedTransaction(storage, write))) ? ended : undefined
  }

  /**
   * Lets one request continue that no hold covers any more; for other requests, updates the names of their holds. Returns
   * whether it continues.
   */
  async function resumeUnlessHeld(row: PrivacyRequestRow): Promise<boolean> {
    const holds = await heldBy(context, row.id)
    if (holds.length > 0) {
      const { failure, legalHolds } = waitForHolds(holds, context, { begun: row.erasingSince !== undefined }).changes
      if (failure === row.failure) return false
      const changes = { failure, legalHolds }
      await tookEffect(() => storage.table('privacyRequest').replace({ ...row, ...changes, version: row.version + 1 }))
      return false
    }
    const moved = await moveRequest(context, row, { event: 'resume', actor: 'system' })
    if (!moved) return false
    context.changed?.(row.id, moved.status)
    await context.tell(row.id)
    return true
  }

  async function resumeRequests(): Promise<number> {
    const paused = await storage.table('privacyRequest').find({ where: { status: { equals: 'paused' } } })
    const held = paused.filter(({ legalHolds }) => legalHolds)
    return eachRequest(context, held, { doing: 'resume after a hold', work: resumeUnlessHeld })
  }

  /** Stops erasures of held people. Other erasures look for holds before they begin. */
  async function stopErasures(): Promise<void> {
    const requests = storage.table('privacyRequest')
    const running = await requests.find({ where: { status: { equals: 'in_processing' } } })
    const isErasing = ({ erasingSince, stopsForHold }: PrivacyRequestRow) =>
      erasingSince !== undefined && stopsForHold !== true
    const stop = async (id: string) => {
      if ((await heldBy(context, id)).length === 0) return
      await untilWritten('privacy request', id, async () => {
        const row = await requests.get(id)
        if (row?.status !== 'in_processing' || !isErasing(row)) return 'ended'
        const asked = { ...row, stopsForHold: true, version: row.version + 1 }
        return (await tookEffect(() => requests.replace(asked))) ? 'asked' : undefined
      })
    }
    // One erasure that cannot be stopped now must not keep the others from stopping.
    for (const { id } of running.filter(isErasing))
      await stop(id).catch(notDone(context, 'upkeep', 'stop an erasure for a hold', id))
  }

  return {
    async create(input: unknown, { caller }: RequestCaller = {}): Promise<LegalHold> {
      const { identities, ...given } = parseLegalHold(input)
      const createdAt = runtime.now().toISOString()
      if (given.until !== undefined && given.until <= createdAt) {
        throw invalidInput('legal hold', [{ loc: ['until'], msg: 'must lie in the future', type: 'invalid_value' }])
      }
      const id = `hold_${runtime.newId()}`
      const sealed = await secrets.seal(
        new TextEncoder().encode(JSON.stringify(identities)),
        sealContexts.legalHold(id),
      )
      const row: LegalHoldRow = {
        id,
        version: 1,
        status: 'active',
        ...given,
        properties: [...new Set(identities.flatMap((identity) => Object.keys(identity)))],
        createdAt,
        createdBy: context.actorOf(caller),
        sealedIdentities: Buffer.from(sealed).toString('base64'),
      }
      const held = await heldIdentityRows(context, id, identities)
      await auditedTransaction(storage, async (within) => {
        await within.table('legalHold').insert(row)
        await within.table('heldIdentity').insertMany(held)
        const entry = { actor: row.createdBy, action: 'legal_hold_created', subject: holdSubject(id) }
        await noteAudit(context, within, { ...entry, detail: given.until === undefined ? {} : { until: given.until } })
      })
      // The hold applies even where a request could not be stopped now: upkeep tries again.
      await stopErasures().catch(notDone(context, 'upkeep', 'stop erasures for a hold'))
      return shown(row)
    },

    async list({ status, ...paging }: LegalHoldListOptions = {}): Promise<Page<LegalHold>> {
      const unknown = status !== undefined && !legalHoldStatuses.includes(status)
      const msg = `must be one of ${legalHoldStatuses.join(', ')}`
      refuseIssues([...listIssues(paging), ...(unknown ? [{ loc: ['status'], msg, type: 'invalid_value' }] : [])])
      const holds = inOrder(table, [{ field: 'createdAt', direction: 'desc' }])
      return readPage(holds, status === undefined ? {} : { status: { equals: status } }, paging, shown)
    },

    async get(id: string): Promise<LegalHold> {
      return shown(await holdRow(storage, id))
    },

    async identities(id: string): Promise<readonly Identity[]> {
      const { sealedIdentities } = await holdRow(storage, id)
      if (sealedIdentities === undefined) {
        const message = `Legal hold '${id}' has ended, and its identities were deleted.`
        throw new PrivacyError('gone', message, { kind: 'legal hold', id })
      }
      const opened = await secrets.open(Buffer.from(sealedIdentities, 'base64'), sealContexts.legalHold(id))
      return JSON.parse(new TextDecoder().decode(opened))
    },

    async release(id: string, input: unknown = {}, { caller }: RequestCaller = {}): Promise<LegalHold> {
      const { reason: releaseReason } = parseReason('release', input)
      const releasedBy = context.actorOf(caller)
      const ending = { status: 'released', releasedBy, ...(releaseReason !== undefined && { releaseReason }) } as const
      const ended = await untilWritten('legal hold', id, async () => {
        const row = await holdRow(storage, id)
        if (row.status !== 'active') {
          const message = `Legal hold '${id}' was ${row.status} at ${row.endedAt}: there is nothing to release.`
          throw new PrivacyError('invalid_state', message, { status: row.status, event: 'release' })
        }
        return end(row, ending, releasedBy)
      })
      // The hold is released even where a request could not be resumed now: upkeep tries again.
      await resumeRequests().catch(notDone(context, 'upkeep', 'resume after a hold'))
      return shown(ended)
    },

    /** Ends holds whose time is over, and lets requests continue that none covers any more. Resolves with their number. */
    async settleHolds(): Promise<number> {
      const where = { status: { equals: 'active' as const }, until: { lte: runtime.now().toISOString() } }
      const failures: unknown[] = []
      // One hold that cannot be ended must not keep the others from it.
      for (const row of await table.find({ where }))
        await end(row, { status: 'expired' }, 'system').catch((error) => failures.push(error))
      await stopErasures()
      const resumed = await resumeRequests()
      if (failures.length > 0) throw failures[0]
      return resumed
    },
  }
}

/** The row of a request that waits for holds, to be written at the end of its run. */
export function waitForHolds(
  holds: readonly LegalHoldRow[],
  { runtime }: Pick<RequestContext, 'runtime'>,
  { begun = false }: { readonly begun?: boolean } = {},
) {
  const ids = holds.map(({ id }) => id)
  const names = ids.length > 1 ? `legal holds '${ids.join("', '")}'` : `legal hold '${ids[0]}'`
  const state = begun ? 'The erasure has begun, and the rest of it' : 'Nothing was erased: the request'
  const failure = `${state} waits for ${names} and goes on once ${ids.length > 1 ? 'they have' : 'it has'} ended.`
  const changes = { pausedAt: runtime.now().toISOString(), failure, legalHolds: ids }
  return { event: 'pause', changes, detail: { legalHolds: ids } } satisfies Omit<RequestMove, 'actor'>
}

async function holdRow(storage: Storage, id: string): Promise<LegalHoldRow> {
  const isId = keySchema.safeParse(id).success
  const row = isId ? await storage.table('legalHold').get(id) : undefined
  if (row) return row
  const message = `There is no legal hold ${isId ? `'${id}'` : 'with this id'}.`
  throw new PrivacyError('not_found', message, { kind: 'legal hold', id: isId ? id : '' })
}

const holdSubject = (id: string) => `legal-hold:${id}`

function shown({ version: _, sealedIdentities: __, ...hold }: LegalHoldRow): LegalHold {
  return hold
}
