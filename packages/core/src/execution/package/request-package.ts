import type { ActionContext } from '../../actions/action-context.js'
import { auditedTransaction, noteAudit } from '../../actions/proof/audit-actions.js'
import { linkId } from '../../actions/requests/download-link.js'
import { requestRow, requestSubject } from '../../actions/requests/move-request.js'
import { type PackageChoice, packageGone, packageOf } from '../../actions/requests/package-of.js'
import { openPersonalData } from '../../actions/requests/personal-data.js'
import { tookEffect, untilWritten } from '../../actions/until-written.js'
import { PrivacyError } from '../../errors.js'
import type { PackageFile } from '../../model/privacy-request.js'
import type { Blobs } from '../../ports/blobs.js'
import type { DownloadLinkRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import { spoolRoom } from '../find/spool.js'
import { packageKey } from './write-packages.js'

/** A package to hand over: its file name and its bytes. */
export interface RequestPackage extends PackageFile {
  /** Decrypts while it is read. It can be read once. */
  readonly stream: AsyncIterable<Uint8Array>
}

/** A package that a link hands over, or the rest of it. */
export interface LinkedPackage extends RequestPackage {
  /** The position of the first byte of `stream`: 0 unless a download continues. */
  readonly from: number
  /** A download that was cut off sends this to continue. Absent when nothing was handed over. */
  readonly etag?: string
}

export interface DownloadOptions {
  readonly token: string
  /** True hands over nothing and does not use the link up. */
  readonly peek?: boolean
  /** The byte at which to continue. Works for a quarter of an hour, with the `etag` of the first download. */
  readonly from?: number
  /** The `etag` that came with the first download. */
  readonly etag?: string | undefined
}

interface Source {
  readonly context: ActionContext
  readonly blobs: Blobs
}

/** How long a download that was cut off can be continued, and after which one whose process is silent is given up. */
const resumeSeconds = 15 * 60

const aliveMs = 5 * 60_000

/** Opens a package. Rejects before the first byte when something is missing. */
export async function requestPackage(
  { context, blobs }: Source,
  id: string,
  choice: PackageChoice,
  from = 0,
): Promise<RequestPackage> {
  const request = await requestRow(context.storage, id)
  const file = packageOf(request, choice)
  const { dataKey } = await openPersonalData(context, id)
  const room = spoolRoom({ blobs, runtime: context.runtime, dataKey })
  const key = packageKey(request, file)
  if (!(await room.has(key))) throw packageGone(id)
  return { ...file, stream: room.readBlob(key, from) }
}

/**
 * Hands over the package of a one-time link to the first caller, and the rest of it if that download was cut off. Rejects
 * with `gone` in every other case, so that the error does not tell what is wrong with the link.
 */
export async function linkedPackage(source: Source, id: string, options: DownloadOptions): Promise<LinkedPackage> {
  const { context } = source
  const now = context.runtime.now()
  const row = await context.storage.table('downloadLink').get(linkId(options.token))
  if (row?.requestId !== id) throw linkGone(id)
  const { from = 0, etag: known, peek } = options
  const isSilent = Date.parse(row.claimedAt ?? '') + resumeSeconds * 1_000 <= now.getTime()
  if (row.claimedAt !== undefined && !(isSilent && row.endedAt === undefined)) {
    if (isSilent || peek || from <= 0 || known === undefined || known !== row.etag) throw linkGone(id)
    const rest = await requestPackage(source, id, { name: row.file }, from)
    return { ...rest, stream: noted(context, row, rest.stream), from, etag: known }
  }
  if (row.expiresAt <= now.toISOString()) throw linkGone(id)
  // The package is opened first, so that a missing package does not use the link up.
  const found = await requestPackage(source, id, { name: row.file })
  if (peek) return { ...found, from: 0 }
  const etag = Buffer.from(context.runtime.randomBytes(16)).toString('base64url')
  const claimed = { ...row, claimedAt: now.toISOString(), etag, version: row.version + 1 }
  if (!(await tookEffect(() => claim(context, claimed)))) throw linkGone(id)
  return { ...found, stream: noted(context, claimed, found.stream), from: 0, etag }
}

/** The bytes of a download. Notes that it goes on, and that it has ended, also where its reader stops early. */
async function* noted(
  context: ActionContext,
  { id, etag }: DownloadLinkRow,
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const links = context.storage.table('downloadLink')
  const note = (change: (now: string) => Partial<DownloadLinkRow>) =>
    untilWritten('download link', undefined, async () => {
      const row = await links.get(id)
      // A link that was used up, or is another caller's by now, stays as it is.
      if (!row || row.etag !== etag || row.endedAt !== undefined) return true
      const changed = { ...row, ...change(context.runtime.now().toISOString()), version: row.version + 1 }
      return (await links.replace(changed)) || undefined
      // The person has the package, whatever cannot be noted.
    }).catch(() => {})
  const alive = setInterval(() => void note((claimedAt) => ({ claimedAt })), aliveMs).unref()
  try {
    yield* stream
  } finally {
    clearInterval(alive)
    await note((endedAt) => ({ endedAt }))
  }
}

function claim(context: ActionContext, row: DownloadLinkRow): Promise<boolean> {
  return auditedTransaction(context.storage, async (within) => {
    if (!(await within.table('downloadLink').replace(row))) return false
    await noteDownload(context, within, row.requestId, 'subject', row.file)
    return true
  })
}

/** Notes in the audit trail who took a package. Call it within an `auditedTransaction`. */
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
  const message = 'This download link was used already, has expired or never existed: ask for a new one.'
  return new PrivacyError('gone', message, { kind: 'download link', id })
}
