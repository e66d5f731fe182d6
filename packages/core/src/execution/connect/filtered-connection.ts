import type { RowFilter } from '../../model/row-filter.js'
import type { Connection, Erase } from '../../ports/connector.js'
import { rowFilter } from '../../rules/plan/partition-filters.js'
import type { Plan } from '../../rules/plan/plan.js'
import type { OpenConnection } from './open-connections.js'

/** Gives every statement on a table the filter that the plan has for it. `NOW()` of a filter is `now`. */
export function withFilters(plan: Pick<Plan, 'filters'>, now: Date): (open: OpenConnection) => OpenConnection {
  const byConnection = new Map<string, Map<string, RowFilter>>()
  for (const filter of plan.filters ?? []) {
    const filters = byConnection.get(filter.connectionKey) ?? new Map<string, RowFilter>()
    byConnection.set(filter.connectionKey, filters.set(filter.collection, rowFilter(filter, now)))
  }
  return (open) => {
    const filters = byConnection.get(open.key)
    return filters ? { ...open, connection: filteredConnection(open.connection, filters) } : open
  }
}

/** A connection whose calls carry the filters of their collections. */
function filteredConnection(connection: Connection, filters: ReadonlyMap<string, RowFilter>): Connection {
  const { countEach, estimate, erase } = connection
  const filtered = <Asked extends { readonly collection: string }>(asked: Asked): Asked => {
    const filter = filters.get(asked.collection)
    return filter ? { ...asked, filter } : asked
  }
  const filteredErase = (batch: Erase): Erase => ({
    ...filtered(batch),
    ...(batch.unchanged && { unchanged: batch.unchanged.map(filtered) }),
    ...(batch.pointers && { pointers: batch.pointers.map(({ count, most }) => ({ count: filtered(count), most })) }),
  })
  return {
    ...connection,
    read: (read, options) => connection.read(filtered(read), options),
    count: (counts, options) => connection.count(counts.map(filtered), options),
    ...(countEach && { countEach: (counted, options) => countEach.call(connection, filtered(counted), options) }),
    ...(estimate && { estimate: (asked, options) => estimate.call(connection, filtered(asked), options) }),
    ...(erase && { erase: (batch, options) => erase.call(connection, filteredErase(batch), options) }),
  }
}
