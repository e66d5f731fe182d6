import { type SealedKind, sealContexts } from '../crypto/seal-contexts.js'
import { isPrivacyError } from '../errors.js'
import type { SecretRotation } from '../model/secret-rotation.js'
import type { Rows } from '../ports/rows.js'
import type { Where } from '../ports/storage.js'
import type { ActionContext } from './action-context.js'
import { secretsRevision } from './connections/connection-secrets.js'
import { isKeyCheck, keyChecks } from './key-check.js'
import { auditedTransaction, noteAudit } from './proof/audit-actions.js'
import { tookEffect, untilWritten } from './until-written.js'
import { closedError } from './while-open.js'

/** Seals one value anew, where that has to be done. */
type Anew = (sealed: string, context: string) => Promise<string>

/** The row of each kind with everything in it sealed anew. */
const rowsAnew: { readonly [Kind in SealedKind]: (row: Rows[Kind], anew: Anew) => Promise<Rows[Kind]> } = {
  connectionSecret: async (row, anew) => ({
    ...row,
    revision: secretsRevision(row),
    sealed: await anew(row.sealed, sealContexts.connectionSecret(row.id)),
  }),
  async policyWebhooks(row, anew) {
    const webhooks = row.webhooks.map(async ({ sealedSecret, ...webhook }) => {
      if (sealedSecret === undefined) return webhook
      return { ...webhook, sealedSecret: await anew(sealedSecret, sealContexts.policyWebhooks(row.id, webhook.key)) }
    })
    return { ...row, webhooks: await Promise.all(webhooks) }
  },
  async legalHold(row, anew) {
    if (row.sealedIdentities === undefined) return row
    return { ...row, sealedIdentities: await anew(row.sealedIdentities, sealContexts.legalHold(row.id)) }
  },
  requestKey: async (row, anew) => ({
    ...row,
    sealedKey: await anew(row.sealedKey, sealContexts.requestKey(row.id)),
  }),
  serviceKey: async (row, anew) => ({ ...row, sealed: await anew(row.sealed, sealContexts.serviceKey(row.id)) }),
}

const totalOf: Readonly<Record<SealedKind, keyof SecretRotation['total']>> = {
  connectionSecret: 'connectionSecrets',
  policyWebhooks: 'webhookSecrets',
  legalHold: 'legalHolds',
  requestKey: 'requestKeys',
  serviceKey: 'serviceKeys',
}

/** What became of one value. */
interface Judged {
  readonly context: string
  readonly outcome: 'resealed' | 'alreadyCurrent' | 'unreadable'
}

const pageRows = 200
const rowsAtOnce = 8
const mostNames = 100

/**
 * Seals everything anew that lies under another key than the current one, row by row and each by compare-and-set. Nothing
 * notes how far it came: what is current is passed over by the next attempt.
 */
export function secretRotation(
  { storage, secrets, runtime }: Pick<ActionContext, 'storage' | 'secrets' | 'runtime'>,
  closed: AbortSignal,
) {
  async function anew(sealed: string, context: string, judged: Judged[]): Promise<string> {
    const bytes = Buffer.from(sealed, 'base64')
    if (await secrets.isCurrent?.(bytes)) {
      judged.push({ context, outcome: 'alreadyCurrent' })
      return sealed
    }
    const opened = await secrets.open(bytes, context).catch((error) => {
      if (!isPrivacyError(error, 'internal')) throw error
      return undefined
    })
    judged.push({ context, outcome: opened ? 'resealed' : 'unreadable' })
    return opened ? Buffer.from(await secrets.seal(opened, context)).toString('base64') : sealed
  }

  /** Reads the row again whenever something else has written it meanwhile. */
  function rotateRow<Kind extends SealedKind>(kind: Kind, first: Rows[Kind]): Promise<readonly Judged[]> {
    const table = storage.table(kind)
    let row: Rows[Kind] | undefined = first
    return untilWritten('sealed row', first.id, async () => {
      if (row === undefined) return []
      const judged: Judged[] = []
      const { id, version } = row
      const next: Rows[Kind] = await rowsAnew[kind](row, (sealed, context) => anew(sealed, context, judged))
      if (judged.every(({ outcome }) => outcome !== 'resealed')) return judged
      if (await tookEffect(() => table.replace({ ...next, version: version + 1 }))) return judged
      row = await table.get(id)
      return undefined
    })
  }

  async function* pagesOf<Kind extends SealedKind>(kind: Kind): AsyncIterable<readonly Rows[Kind][]> {
    for (let last = ''; ; ) {
      if (closed.aborted) throw closedError()
      const where: object = { id: { gt: last } }
      const rows = await storage.table(kind).find({ where: where as Where<Kind>, limit: pageRows })
      yield rows
      if (rows.length < pageRows) return
      last = rows.at(-1)?.id ?? ''
    }
  }

  async function rotateKind<Kind extends SealedKind>(kind: Kind, note: (judged: readonly Judged[]) => void) {
    for await (const page of pagesOf(kind)) {
      const rows = kind === 'serviceKey' ? page.filter(({ id }) => !isKeyCheck(id)) : page
      for (let at = 0; at < rows.length; at += rowsAtOnce) {
        if (closed.aborted) throw closedError()
        const some = rows.slice(at, at + rowsAtOnce)
        // Nothing of it goes on once the call has rejected.
        for (const ended of await Promise.allSettled(some.map((row) => rotateRow(kind, row)))) {
          if (ended.status === 'rejected') throw ended.reason
          note(ended.value)
        }
      }
    }
  }

  /** Rows of other keys go: nothing lies under those any more. One that came meanwhile stays. */
  async function rotateKeyChecks(before: Awaited<ReturnType<typeof keyChecks>>): Promise<readonly Judged[]> {
    const [first, ...others] = before
    const judged = first ? await rotateRow('serviceKey', first) : []
    const table = storage.table('serviceKey')
    for (const { id, sealed } of others) if ((await table.get(id))?.sealed === sealed) await table.take(id)
    return judged
  }

  return {
    async rotateSecrets(): Promise<SecretRotation> {
      const rotation = { resealed: 0, alreadyCurrent: 0, unreadable: 0 }
      const unreadableNames: string[] = []
      const total = { connectionSecrets: 0, webhookSecrets: 0, legalHolds: 0, requestKeys: 0, serviceKeys: 0 }
      const noteOf = (kind: SealedKind) => (judged: readonly Judged[]) => {
        total[totalOf[kind]] += judged.length
        for (const { context, outcome } of judged) {
          rotation[outcome]++
          if (outcome === 'unreadable' && unreadableNames.length < mostNames) unreadableNames.push(context)
        }
      }
      // A port that remembers which key is current learns it by sealing.
      await secrets.seal(runtime.randomBytes(32), 'rotation')
      const checks = await keyChecks(storage)
      for (const kind of Object.keys(rowsAnew) as SealedKind[]) await rotateKind(kind, noteOf(kind))
      // Until the end, a process without the old key is refused.
      noteOf('serviceKey')(await rotateKeyChecks(checks))
      const detail = Object.fromEntries(Object.entries(rotation).map(([name, count]) => [name, String(count)]))
      await auditedTransaction(storage, (within) =>
        noteAudit({ runtime }, within, { actor: 'host', action: 'secrets_rotated', subject: 'secrets', detail }),
      )
      return { ...rotation, unreadableNames, total }
    },
  }
}
