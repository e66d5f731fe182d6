import type { ActionContext } from '../../actions/action-context.js'
import { auditedTransaction, noteAudit } from '../../actions/proof/audit-actions.js'
import { linkId } from '../../actions/requests/download-link.js'
import { requestRow, requestSubject } from '../../actions/requests/move-request.js'
import { openRequest } from '../../actions/requests/open-request.js'
import { type PackageChoice, packageGone, packageOf } from '../../actions/requests/package-of.js'
import { tookEffect } from '../../actions/until-written.js'
import { PrivacyError } from '../../errors.js'
import type { PackageFile } from '../../model/privacy-request.js'
import type { Blobs } from '../../ports/blobs.js'
import type { DownloadLinkRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import { spoolRoom } from '../find/spool.js'
import { packageKey } from './write-packages.js'

/** A package to hand over: what to call it, and its bytes. */
export interface RequestPackage extends PackageFile {
  /** Decrypted as it is read; to be read once. */
  readonly stream: AsyncIterable<Uint8Array>
}

/** A package that a link hands over, or the rest of it. */
export interface LinkedPackage extends RequestPackage {
  /** The first byte of `stream`: 0 but for a download that goes on. */
  readonly from: number
  /** What a download that is cut off has to show to go on. Absent when nothing was handed over. */
  readonly etag?: string
}

export interface DownloadOptions {
  readonly token: string
  /** True: nothing is handed over, and the link stays as it is. */
  readonly peek?: boolean
  /** Where to go on. Only for whoever has had the link, for a quarter of an hour. */
  readonly from?: number
  /** The `etag` that came with the bytes before. */
  readonly etag?: string | undefined
}

interface Source {
  readonly context: ActionContext
  readonly blobs: Blobs
}

/** How long a download that was cut off may go on. */
const resumeSeconds = 15 * 60

/** Opens a package; whatever is missing is said before its first byte. */
export async function requestPackage(
  { context, blobs }: Source,
  id: string,
  choice: PackageChoice,
  from = 0,
): Promise<RequestPackage> {
  const request = await requestRow(context.storage, id)
  const file = packageOf(request, choice)
  const { dataKey } = await openRequest(context, id)
  const room = spoolRoom({ blobs, runtime: context.runtime, dataKey })
  const key = packageKey(request, file)
  if (!(await room.has(key))) throw packageGone(id)
  return { ...file, stream: room.readBlob(key, from) }
}

/**
 * What a one-time link hands over: everything to the first who asks, the rest of it to them if they were cut off. Rejects
 * with `gone` for everybody else, whatever is wrong with the link.
 */
export async function linkedPackage(source: Source, id: string, options: DownloadOptions): Promise<LinkedPackage> {
  const { context } = source
  const now = context.runtime.now()
  const row = await context.storage.table('downloadLink').get(linkId(options.token))
  if (row?.requestId !== id) throw linkGone(id)
  if (row.claimedAt !== undefined) {
    const { from = 0, etag, peek } = options
    const isLate = Date.parse(row.claimedAt) + resumeSeconds * 1_000 <= now.getTime()
    if (isLate || peek || from <= 0 || etag === undefined || etag !== row.etag) throw linkGone(id)
    return { ...(await requestPackage(source, id, { name: row.file }, from)), from, etag }
  }
  if (row.expiresAt <= now.toISOString()) throw linkGone(id)
  // Before the link is used up, so that it is not spent on nothing.
  const found = await requestPackage(source, id, { name: row.file })
  if (options.peek) return { ...found, from: 0 }
  const etag = Buffer.from(context.runtime.randomBytes(16)).toString('base64url')
  const claimed = { ...row, claimedAt: now.toISOString(), etag, version: row.version + 1 }
  if (!(await tookEffect(() => claim(context, claimed)))) throw linkGone(id)
  return { ...found, from: 0, etag }
}

function claim(context: ActionContext, row: DownloadLinkRow): Promise<boolean> {
  return auditedTransaction(context.storage, async (within) => {
    if (!(await within.table('downloadLink').replace(row))) return false
    await noteDownload(context, within, row.requestId, 'subject', row.file)
    return true
  })
}

/** Writes down that a package left the house, and with whom; within an `auditedTransaction`. */
export async function noteDownload(
  context: ActionContext,
  within: Storage,
  id: string,
  actor: string,
  name: string,
): Promise<void> {
  const entry = { actor, action: 'package_downloaded', subject: requestSubject(id) }
  await noteAudit(context, within, { ...entry, detail: { package: name } })
}

function linkGone(id: string): PrivacyError<'gone'> {
  const message = 'This link was used, has expired or never was one: ask for a new one.'
  return new PrivacyError('gone', message, { kind: 'download link', id })
}
