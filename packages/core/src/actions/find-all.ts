import type { Rows } from '../ports/rows.js'
import type { KindQuery, Storage } from '../ports/storage.js'

/** The rows of each query. */
type Found<Queries extends readonly KindQuery[]> = {
  readonly [At in keyof Queries]: readonly Rows[Queries[At]['kind']][]
}

/** Returns the rows of several queries, in one round trip where the storage can do that. */
export async function findAll<const Queries extends readonly KindQuery[]>(
  storage: Storage,
  queries: Queries,
): Promise<Found<Queries>> {
  const found = storage.findAll
    ? await storage.findAll(queries)
    : await Promise.all(queries.map(({ kind, ...query }) => storage.table(kind).find(query as never)))
  return found as unknown as Found<Queries>
}
