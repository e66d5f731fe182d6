import { auditedTransaction } from '../actions/audit.js'
import type { RequestCaller, RequestContext } from '../actions/request-context.js'
import type { PackageChoice } from '../actions/request-packages.js'
import { requestRow } from '../actions/request-rows.js'
import { invalidInput } from '../model/parse-input.js'
import type { PackageFile } from '../model/privacy-request.js'
import { illFormedText, wellFormedTextSchema } from '../model/well-formed-text.js'
import type { Blobs } from '../ports/blobs.js'
import {
  type DownloadOptions,
  type LinkedPackage,
  linkedPackage,
  noteDownload,
  type RequestPackage,
  requestPackage,
} from './request-package.js'

/** What is handed over of complete requests. */
export function packageActions(context: RequestContext, blobs: Blobs) {
  const { storage } = context
  return {
    /** The packages of a complete request, one per access rule and format. */
    async packages(id: string): Promise<readonly PackageFile[]> {
      return (await requestRow(storage, id)).packages ?? []
    },

    /**
     * A package with its name, kind and size; `rule` may be left out when there is one only. Rejects with `not_found` when
     * there is none, naming those there are, and with `gone` once it was removed.
     */
    package: (id: string, choice: PackageChoice = {}): Promise<RequestPackage> =>
      requestPackage({ context, blobs }, id, choice),

    /**
     * Hands a package over to whoever asks first with the token of a link, and what is left of it to them when they were
     * cut off. Rejects with `gone` for everybody else.
     */
    download: (id: string, download: DownloadOptions): Promise<LinkedPackage> =>
      linkedPackage({ context, blobs }, id, download),

    /** Notes that a package was handed over to a caller, without a link. */
    async noteDownload(id: string, name: string, { caller }: RequestCaller = {}): Promise<void> {
      if (![id, name].every((text) => wellFormedTextSchema.safeParse(text).success)) {
        throw invalidInput('download', [{ loc: [], msg: illFormedText, type: 'ill_formed_text' }])
      }
      await auditedTransaction(storage, (within) => noteDownload(context, within, id, context.actorOf(caller), name))
    },

    /** The bytes of `package` alone, for whoever writes them to a file. */
    async *readPackage(id: string, rule?: string): AsyncIterable<Uint8Array> {
      yield* (await requestPackage({ context, blobs }, id, { rule })).stream
    },
  }
}
