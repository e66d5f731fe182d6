import type { Blobs } from '../ports/blobs.js'
import type { Storage } from '../ports/storage.js'
import { requestBlobs } from './packages.js'
import { persistently } from './persistently.js'

/** Removes what runs of a request have left: spooled rows, packages and checkpoints. */
export function discardRun(storage: Storage, blobs: Blobs, requestId: string): Promise<void> {
  const table = storage.table('checkpoint')
  return persistently(async () => {
    await blobs.delete(requestBlobs(requestId))
    const rows = await table.find({ where: { requestId: { equals: requestId } } })
    for (const { id } of rows) await table.take(id)
  })
}
