import type { Database } from '../plan/uncovered-table.js'
import type { DescriptionGap } from './description-gap.js'
import type { LivePaths } from './live-paths.js'

/** Tables that nobody has described, from which rows lead to a person. */
export function tableGaps(database: Database, paths: LivePaths): DescriptionGap[] {
  const known = new Set(database.tables.map(({ name }) => name))
  return [...paths.ofTables(database)].flatMap(([name, { text, dataset, connection }]) => {
    // tables of other schemas are in no catalogue, and can be waived by their whole name
    if (!known.has(name) && !name.includes('.')) return []
    return [tableGap(connection === database.connection ? dataset : database.dataset, name, text, known.has(name))]
  })
}

function tableGap(dataset: string, collection: string, path: string, isRead: boolean): DescriptionGap {
  const [schema] = collection.split('.')
  const describe = isRead
    ? `describe it in the dataset '${dataset}', or waive it there`
    : `describe it behind a connection of its own, whose db_schema is '${schema}', or waive it in the dataset '${dataset}'`
  const message = `Nobody has described '${collection}', and its rows lead to a person: ${describe} with a reason (service_meta: {waived: {reason: …}}).`
  return { kind: 'table', dataset, collection, path, message }
}
