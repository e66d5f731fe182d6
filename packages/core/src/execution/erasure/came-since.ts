import { PrivacyError } from '../../errors.js'
import { appearedFailure, appearedRows } from './appeared-rows.js'
import type { CheckedCollection } from './checked-collection.js'
import { type ErasedCollection, type ErasureContext, erasureSignature, fatedRows } from './erased-collection.js'
import { erasureProgress } from './erasure-progress.js'
import { writtenBefore } from './written-before.js'

/**
 * Looks once more at a collection that was finished, when everything else is: what was written since may have come back
 * there, by the application or by a trigger (§7.18). Gives what has to be said then. Never rejects because of a database.
 */
export async function cameSince(
  context: ErasureContext,
  collection: ErasedCollection,
  checked: CheckedCollection,
): Promise<{ readonly failure: PrivacyError; readonly stale?: true } | undefined> {
  try {
    const { state } = await erasureProgress(context, collection, erasureSignature(context, collection))
    const before = await writtenBefore(context, collection, state.foundBefore ?? [])
    const appeared = appearedRows(context, collection, before)
    for await (const rows of fatedRows(context, collection, checked.shared)) for (const row of rows) appeared.take(row)
    const came = await appeared.count(await context.connection(collection.connectionKey, collection.address))
    return came > 0 ? { failure: appearedFailure(collection, came), stale: true } : undefined
  } catch (error) {
    context.lease.lost.throwIfAborted()
    return { failure: PrivacyError.from(error) }
  }
}
