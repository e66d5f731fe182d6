import { findAll } from '../../actions/find-all.js'
import { writeAll } from '../../actions/write-all.js'
import { retryWithBackOff } from '../../async/retry-with-back-off.js'
import type { Blobs } from '../../ports/blobs.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Storage, Write } from '../../ports/storage.js'
import { requestBlobs, runBlobs } from '../package/write-packages.js'

/** Removes what the runs of a request have left: spooled rows, packages and progress. */
export function discardRun(storage: Storage, blobs: Blobs, requestId: string): Promise<void> {
  return retryWithBackOff(async () => {
    await blobs.delete(requestBlobs(requestId))
    await writeAll(storage, await progressDiscards(storage, requestId))
  })
}

/** The writes that remove the progress of the runs of a request. */
export async function progressDiscards(storage: Storage, requestId: string): Promise<readonly Write[]> {
  const kinds = ['checkpoint', 'erasureProgress', 'erasureLock'] as const
  const where = { requestId: { equals: requestId } }
  const found = await findAll(storage, [
    { kind: 'checkpoint', where },
    { kind: 'erasureProgress', where },
    { kind: 'erasureLock', where },
  ])
  return kinds.map((kind, at) => ({ kind, take: (found[at] ?? []).map(({ id }) => id) }))
}

/** Removes the spooled rows of this run and all blobs of earlier ones. A later run has its blobs elsewhere. */
export async function discardSpools(
  blobs: Blobs,
  { id, fencingToken = 0 }: PrivacyRequestRow,
  { wrote }: { readonly wrote: boolean },
): Promise<void> {
  if (wrote) await blobs.delete(spoolOf({ id, fencingToken }))
  for (let claim = 1; claim < fencingToken; claim++) await blobs.delete(runBlobs({ id, fencingToken: claim }))
}

/** Returns the key below which a run spools its rows. */
export function spoolOf(request: Pick<PrivacyRequestRow, 'id' | 'fencingToken'>): string {
  return `${runBlobs(request)}/spool`
}
