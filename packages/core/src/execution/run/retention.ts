import type { ActionContext } from '../../actions/action-context.js'
import { notDone } from '../../actions/not-done.js'
import { auditedTransaction, noteAudit } from '../../actions/proof/audit-actions.js'
import { moveRequest, requestSubject, without } from '../../actions/requests/move-request.js'
import { tookEffect } from '../../actions/until-written.js'
import { freeTextMembers } from '../../model/free-text-members.js'
import type { RequestStatus } from '../../model/privacy-request.js'
import type { Blobs } from '../../ports/blobs.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import { discardRun } from './discard-run.js'

export interface RetentionOptions {
  readonly context: ActionContext
  readonly blobs: Blobs
  readonly signal: AbortSignal
  readonly changed: (id: string, status: RequestStatus) => void
}

const atOnce = 100
/** After how long a request that still waits for one of its mails is looked at again. */
const laterSeconds = 300

/** Row kinds that hold data sealed under the data key of a request, or that lead to such data. */
const ownedKinds = ['manualUpload', 'webhookCall', 'manualInput', 'downloadLink'] as const

/**
 * Destroys the personal data of requests when its time has come. The data key is destroyed first, because nothing else can be
 * read without it. An interrupted destruction is continued later. A keyed hash of the identities, counts and the audit trail
 * stay.
 */
export function retention({ context, blobs, signal, changed }: RetentionOptions) {
  const { storage, runtime } = context
  const table = storage.table('privacyRequest')

  /** Writes to a row outside of its life cycle. Returns undefined when somebody else was faster. */
  async function rewrite(row: PrivacyRequestRow, changes: Partial<PrivacyRequestRow>) {
    const next = { ...row, ...changes, version: row.version + 1 }
    return (await tookEffect(() => table.replace(next))) ? next : undefined
  }

  const later = (seconds: number) => new Date(runtime.now().getTime() + seconds * 1_000).toISOString()

  /** Returns until when something of the request is still needed. */
  async function neededUntil({ id, packages = [] }: PrivacyRequestRow): Promise<string | undefined> {
    const now = runtime.now().toISOString()
    const ofRequest = { requestId: { equals: id } }
    const [link] = await storage.table('downloadLink').find({
      where: { ...ofRequest, expiresAt: { gt: now } },
      orderBy: [{ field: 'expiresAt', direction: 'desc' }],
      limit: 1,
    })
    if (link) return link.expiresAt
    // A mail that only says where the package was is useless without it.
    if (packages.length > 0) return undefined
    const waiting = await storage.table('outboxMail').count({ ...ofRequest, status: { equals: 'waiting' } })
    return waiting > 0 ? later(laterSeconds) : undefined
  }

  /** Returns whether its data was destroyed. */
  async function attend(row: PrivacyRequestRow): Promise<boolean> {
    if (row.status === 'identity_unverified') {
      const cancelReason = 'The address was not verified in time.'
      const changes = { canceledAt: runtime.now().toISOString(), cancelReason }
      const detail = { reason: 'identity_unverified' }
      const canceled = await moveRequest(context, row, { event: 'cancel', actor: 'system', changes, detail })
      if (canceled) changed(row.id, canceled.status)
      return false
    }
    const until = row.expiringAt === undefined ? await neededUntil(row) : undefined
    if (until !== undefined) {
      await rewrite(row, { destroyAt: until })
      return false
    }
    // From here on nobody can retry the request.
    const expiring = row.expiringAt === undefined ? await rewrite(row, { expiringAt: later(0) }) : row
    if (expiring) await destroy(expiring)
    return expiring !== undefined
  }

  async function destroy(row: PrivacyRequestRow): Promise<void> {
    await storage.table('requestKey').take(row.id)
    await storage.table('verificationCode').take(row.id)
    await discardRun(storage, blobs, row.id)
    const where = { requestId: { equals: row.id } }
    for (const kind of ownedKinds) {
      const owned = storage.table(kind)
      for (const { id } of await owned.find({ where })) await owned.take(id)
    }
    await endMails(row.id)
    // What somebody wrote about the person is removed as well.
    const rest = without(row, [...freeTextMembers, 'expiringAt', 'destroyAt', 'ownIdentityHashes'])
    const next = { ...rest, destroyedAt: later(0), version: row.version + 1 }
    await tookEffect(() =>
      auditedTransaction(storage, async (within) => {
        if (!(await within.table('privacyRequest').replace(next))) return false
        const entry = { actor: 'system', action: 'data_destroyed', subject: requestSubject(row.id) }
        await noteAudit(context, within, { ...entry, detail: {} })
        return true
      }),
    )
  }

  async function endMails(requestId: string): Promise<void> {
    const mails = storage.table('outboxMail')
    const where = { requestId: { equals: requestId }, status: { equals: 'waiting' as const } }
    for (const { sealed, nextAttemptAt, ...mail } of await mails.find({ where })) {
      const lastError = 'The data of the request was destroyed before the mail could be sent.'
      await mails.replace({ ...mail, status: 'failed', lastError, version: mail.version + 1 })
    }
  }

  return {
    /** Handles every request whose time has come. Resolves with how many of them have lost their data. */
    async sweep(): Promise<number> {
      const query = {
        where: { destroyAt: { lte: runtime.now().toISOString() } },
        orderBy: [{ field: 'destroyAt' as const }],
        limit: atOnce,
      }
      const seen = new Set<string>()
      let destroyed = 0
      for (;;) {
        const due = (await table.find(query)).filter(({ id }) => !seen.has(id))
        if (due.length === 0) return destroyed
        for (const row of due) {
          if (signal.aborted) return destroyed
          seen.add(row.id)
          // One request that cannot be cleaned must not keep the others from it.
          if (await attend(row).catch(notDone(context, 'upkeep', 'destroy the data of a request', row.id))) destroyed++
        }
      }
    },
  }
}
