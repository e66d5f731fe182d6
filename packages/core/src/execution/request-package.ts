import type { ActionContext } from '../actions/context.js'
import { openRequest } from '../actions/request-identities.js'
import { requestRow } from '../actions/request-rows.js'
import { PrivacyError } from '../errors.js'
import type { PackageFile } from '../model/privacy-request.js'
import type { Blobs } from '../ports/blobs.js'
import type { PrivacyRequestRow } from '../ports/rows.js'
import { packageKey } from './packages.js'
import { spoolRoom } from './spool.js'

/** A package to hand over: what to call it, and its bytes. */
export interface RequestPackage extends PackageFile {
  /** Decrypted as it is read; to be read once. */
  readonly stream: AsyncIterable<Uint8Array>
}

/** Opens a package; whatever is missing is said before its first byte. */
export async function requestPackage(
  { context, blobs }: { readonly context: ActionContext; readonly blobs: Blobs },
  id: string,
  rule: string | undefined,
): Promise<RequestPackage> {
  const file = packageOf(await requestRow(context.storage, id), rule)
  const { dataKey } = await openRequest(context, id)
  const room = spoolRoom({ blobs, runtime: context.runtime, dataKey })
  const key = packageKey(id, file.rule)
  if (!(await room.has(key))) {
    const message = `The package of request '${id}' is not there any more: submit a new request.`
    throw new PrivacyError('gone', message, { kind: 'package', id })
  }
  return { ...file, stream: room.readBlob(key) }
}

function packageOf({ id, status, packages = [] }: PrivacyRequestRow, rule: string | undefined): PackageFile {
  const found = rule === undefined ? packages : packages.filter((each) => each.rule === rule)
  if (found.length === 1) return found[0] as PackageFile
  const message =
    packages.length === 0
      ? `Request '${id}' is in status '${status}' and has no package: it has one when it is complete.`
      : `Say which package of request '${id}' is meant: there are ${packages.map((each) => each.rule).join(', ')}.`
  throw new PrivacyError('not_found', message, { kind: 'package', id })
}
