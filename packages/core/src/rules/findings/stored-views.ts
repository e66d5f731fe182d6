import type { Catalogue } from '../../model/catalogue.js'
import type { KeptCopy } from '../../model/kept-copy.js'
import type { CollectionNode } from '../plan/collection-node.js'
import { keptCopies } from '../plan/kept-elsewhere.js'
import type { Finding } from './finding.js'

const messages: Readonly<Record<KeptCopy['kind'], (name: string, address: string) => string>> = {
  materialized_view: (name, address) =>
    `The materialized view '${name}' keeps rows of '${address}' until it is refreshed: refresh it after each erasure, and say on '${name}' who or what refreshes it (service_meta: {waived: {reason: …}}).`,
  snapshot: (name, address) =>
    `'${name}' is a copy of '${address}' as it was at some time, and an erasure does not reach it: delete it, and make a new one, after each erasure.`,
  history: (_, address) =>
    `The database keeps every row of '${address}' as it was before it was changed or deleted, without an end: delete that history after each erasure (DELETE HISTORY FROM in MariaDB; SQL Server deletes from the history while SYSTEM_VERSIONING is off).`,
  clone: (name, address) =>
    `'${name}' has rows of '${address}' as they were when one of them was cloned, and an erasure of one does not reach the other: describe it as a collection of its own, or delete it.`,
  stream: (name, address) =>
    `The stream '${name}' shows what rows of '${address}' held before they were changed or deleted, until it is read: read it, clean it up or make it anew after each erasure.`,
  aggregate: (name, address) =>
    `The continuous aggregate '${name}' keeps what it made of rows of '${address}', and an erasure does not reach it: refresh it over the time of these rows after each erasure (CALL refresh_continuous_aggregate), and say on '${name}' who or what refreshes it (service_meta: {waived: {reason: …}}).`,
  compressed: (_, address) =>
    `Chunks of '${address}' are compressed. The server may refuse to lock or write rows there, and then the erasure fails and says so; what it writes leaves the old values in the compressed chunk until that is vacuumed: decompress these chunks before an erasure (decompress_chunk), and compress them after it.`,
  trigger: (name, address) =>
    `The trigger '${name}' runs when rows of '${address}' are changed or deleted, and may copy what was erased: look at what it does, and describe the table that it writes to, or delete these rows there after each erasure.`,
  large_object: (name, address) =>
    `The column '${name}' of '${address}' holds numbers of large objects. Only the number is handed over and erased, and the object stays: delete it after each erasure (lo_unlink, or vacuumlo for all that nothing refers to).`,
}

/** That nobody knows which copies there are, where the user of the connection may not ask. */
export function unaskedCopies(key: string, { unasked = [] }: Pick<Catalogue, 'unasked'>): Finding[] {
  if (unasked.length === 0) return []
  const message = `The user of the connection may not ask which ${unasked.map((kind) => `${kind}s`).join(' and ')} keep rows of '${key}', so an erasure may leave them there unseen: grant it what the connector names, or look for them yourself.`
  return [{ type: 'kept_copy', severity: 'warning', loc: [key], message }]
}

/**
 * Materialized views, copies and streams of searched tables. An erasure does not reach the rows they keep. Where a
 * description says why such a view needs nobody, nothing is left to decide.
 */
export function storedViews(node: CollectionNode, catalogue: Catalogue | undefined): Finding[] {
  if (node.unavailable === 'skip_processing') return []
  const loc = [node.dataset.service_key, node.collection.name]
  const isWaived = (name: string) =>
    node.dataset.collections.some((each) => each.name === name && each.service_meta.waived !== undefined)
  return keptCopies(node, catalogue).map(({ name, kind }) => {
    const isView = kind === 'materialized_view'
    return {
      type: isView ? 'materialized_view' : 'kept_copy',
      severity: (isView || kind === 'aggregate') && isWaived(name) ? 'info' : 'warning',
      loc,
      message: messages[kind](name, node.address),
    }
  })
}
