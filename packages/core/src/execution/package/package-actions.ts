import { auditedTransaction } from '../../actions/proof/audit-actions.js'
import { requestRow } from '../../actions/requests/move-request.js'
import type { PackageChoice } from '../../actions/requests/package-of.js'
import type { RequestCaller, RequestContext } from '../../actions/requests/request-context.js'
import { illFormedText, wellFormedTextSchema } from '../../model/is-well-formed-text.js'
import { invalidInput } from '../../model/parse-input.js'
import type { PackageFile } from '../../model/privacy-request.js'
import type { Blobs } from '../../ports/blobs.js'
import {
  type DownloadOptions,
  type LinkedPackage,
  linkedPackage,
  noteDownload,
  type RequestPackage,
  requestPackage,
} from './request-package.js'

/** Actions that hand over the packages of complete requests. */
export function packageActions(context: RequestContext, blobs: Blobs) {
  const { storage } = context
  return {
    async packages(id: string): Promise<readonly PackageFile[]> {
      return (await requestRow(storage, id)).packages ?? []
    },

    package: (id: string, choice: PackageChoice = {}): Promise<RequestPackage> =>
      requestPackage({ context, blobs }, id, choice),

    download: (id: string, download: DownloadOptions): Promise<LinkedPackage> =>
      linkedPackage({ context, blobs }, id, download),

    async noteDownload(id: string, name: string, { caller }: RequestCaller = {}): Promise<void> {
      if (![id, name].every((text) => wellFormedTextSchema.safeParse(text).success)) {
        throw invalidInput('download', [{ loc: [], msg: illFormedText, type: 'ill_formed_text' }])
      }
      await auditedTransaction(storage, (within) => noteDownload(context, within, id, context.actorOf(caller), name))
    },

    async *readPackage(id: string, choice: PackageChoice = {}): AsyncIterable<Uint8Array> {
      yield* (await requestPackage({ context, blobs }, id, choice)).stream
    },
  }
}
