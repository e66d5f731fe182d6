import { createHash } from 'node:crypto'
import type { DownloadLinkRow } from '../../ports/rows.js'
import type { Runtime } from '../../ports/runtime.js'
import { auditedTransaction, noteAudit } from '../proof/audit-actions.js'
import { requestRow, requestSubject } from './move-request.js'
import { type PackageChoice, packageOf } from './package-of.js'
import type { LinkSettings, RequestCaller, RequestContext } from './request-context.js'

/** A link that hands a package over once. Only this object shows its token. */
export interface DownloadLink {
  readonly token: string
  /** Path below the mount of the HTTP interface. */
  readonly path: string
  /** The whole link, where `publicUrl` is set. */
  readonly url?: string
  /** The name of the package. */
  readonly name: string
  readonly expiresAt: string
}

/** Tokens are random and long, so a plain hash is as good as a slow one. */
export function linkId(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** Makes a link to one package, and the row that stands for it. */
export function newLink(
  runtime: Runtime,
  { ttlSeconds, publicUrl }: LinkSettings,
  requestId: string,
  name: string,
): { readonly link: DownloadLink; readonly row: DownloadLinkRow } {
  const token = Buffer.from(runtime.randomBytes(32)).toString('base64url')
  const expiresAt = new Date(runtime.now().getTime() + ttlSeconds * 1_000).toISOString()
  const path = `/api/v1/privacy-request/${requestId}/download?token=${token}`
  return {
    link: { token, path, ...(publicUrl !== undefined && { url: `${publicUrl}${path}` }), name, expiresAt },
    row: { id: linkId(token), version: 1, requestId, file: name, expiresAt },
  }
}

export function linkActions(context: RequestContext) {
  const { storage, runtime, links } = context
  return {
    async createDownloadLink(
      id: string,
      { caller, ...choice }: PackageChoice & RequestCaller = {},
    ): Promise<DownloadLink> {
      const { name } = packageOf(await requestRow(storage, id), choice)
      const { link, row } = newLink(runtime, links, id, name)
      await auditedTransaction(storage, async (within) => {
        await within.table('downloadLink').insert(row)
        const entry = { actor: context.actorOf(caller), action: 'download_link_created', subject: requestSubject(id) }
        await noteAudit(context, within, { ...entry, detail: { package: name, expiresAt: row.expiresAt } })
      })
      return link
    },
  }
}
