import type { Read, Row } from '@habeas/core'
import { columnAt, readValue } from './bson-value.js'
import type { Call } from './connection-calls.js'
import { documentMatcher } from './document-matcher.js'
import { columnsOfGroups } from './key-filter.js'
import type { LiveCollection } from './live-collections.js'
import { documentBatches } from './row-stream.js'
import { firstMet, groupsParts } from './split-groups.js'

/** The rows that meet one of the groups, each once. */
export async function* readRows(
  { columns, anyOf, collection }: Read,
  live: LiveCollection,
  { db, signal }: Call,
  maxTimeMS: number,
): AsyncGenerator<Row[]> {
  const parts = groupsParts(anyOf, live.kindOf)
  const isFirst = firstMet(parts, live.kindOf)
  // what holds a value as a whole is told by its values alone
  const isExact = anyOf.some(({ exact }) => exact)
  const meets = isExact ? documentMatcher(anyOf, live.kindOf) : () => true
  const kinds = columns.map((column) => columnAt(live.catalogue.columns, [column]))
  const needed = isExact || parts.length > 1 ? [...new Set([...columns, ...columnsOfGroups(anyOf)])] : columns
  for (const [at, { filter }] of parts.entries()) {
    const read = { collection, filter, columns: needed, maxTimeMS }
    for await (const batch of documentBatches(db, read, { signal })) {
      const rows = batch
        .filter((document) => meets(document) && isFirst(document, at))
        .map((document) =>
          columns.map((column, at) =>
            Object.hasOwn(document, column) ? readValue(document[column], kinds[at]) : live.closed ? null : undefined,
          ),
        )
      if (rows.length > 0) yield rows
    }
  }
}
