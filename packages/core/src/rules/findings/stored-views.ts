import type { Catalogue } from '../../model/catalogue.js'
import type { CollectionNode } from '../plan/collection-node.js'
import type { Finding } from './finding.js'

type Kept = NonNullable<NonNullable<CollectionNode['live']>['keptIn']>[number]

const keptMessages: Readonly<Record<Kept['kind'], (name: string, address: string) => string>> = {
  history: (_, address) =>
    `The database keeps every row of '${address}' as it was before it was changed or deleted, without an end: delete that history after each erasure (DELETE HISTORY FROM in MariaDB; SQL Server deletes from the history while SYSTEM_VERSIONING is off).`,
  clone: (name, address) =>
    `'${name}' has rows of '${address}' as they were when one of them was cloned, and an erasure of one does not reach the other: erase there as well, or delete what is no longer needed.`,
  stream: (name, address) =>
    `The stream '${name}' shows what rows of '${address}' held before they were changed or deleted, until it is read: read it, clean it up or make it anew after each erasure.`,
  aggregate: (name, address) =>
    `The continuous aggregate '${name}' keeps what it made of rows of '${address}', and an erasure does not reach it: refresh it over the time of these rows after each erasure (CALL refresh_continuous_aggregate).`,
  compressed: (_, address) =>
    `Chunks of '${address}' are compressed. The server may refuse to lock or write rows there, and then the erasure fails and says so; what it writes leaves the old values in the compressed chunk until that is vacuumed: decompress these chunks before an erasure (decompress_chunk), and compress them after it.`,
}

/** That nobody knows which copies there are, where the user of the connection may not ask. */
export function unaskedCopies(key: string, { unasked = [] }: Pick<Catalogue, 'unasked'>): Finding[] {
  if (unasked.length === 0) return []
  const message = `The user of the connection may not ask which ${unasked.map((kind) => `${kind}s`).join(' and ')} keep rows of '${key}', so an erasure may leave them there unseen: grant it what the connector names, or look for them yourself.`
  return [{ type: 'kept_copy', severity: 'warning', loc: [key], message }]
}

/** Materialized views, copies and streams of searched tables. An erasure does not reach the rows they keep. */
export function storedViews(
  { address, dataset, collection, unavailable, live }: CollectionNode,
  catalogue: Catalogue | undefined,
): Finding[] {
  if (unavailable === 'skip_processing') return []
  const described = new Set(dataset.collections.map((each) => each.name))
  const loc = [dataset.service_key, collection.name]
  const kept = (live?.keptIn ?? []).flatMap(({ name, kind }): Finding[] => {
    if (described.has(name) && kind !== 'aggregate' && kind !== 'compressed') return []
    return [{ type: 'kept_copy', severity: 'warning', loc, message: keptMessages[kind](name, address) }]
  })
  const listed = (catalogue?.collections ?? []).flatMap(({ name, view, copyOf }): Finding[] => {
    if (copyOf === collection.name && !described.has(name)) {
      const way = view
        ? 'delete it, and make a new one, after each erasure'
        : 'describe it as a collection of its own, or delete it'
      const message = `'${name}' is a copy of '${address}' as it was at some time, and an erasure does not reach it: ${way}.`
      return [{ type: 'kept_copy', severity: 'warning', loc, message }]
    }
    if (!view?.stored || !view.shows?.includes(collection.name)) return []
    const message = `The materialized view '${name}' keeps rows of '${address}' until it is refreshed: refresh it after each erasure.`
    return [{ type: 'materialized_view', severity: 'warning', loc, message }]
  })
  return [...listed, ...kept]
}
