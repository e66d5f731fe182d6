import type { Partition, RowFilter } from '@habeas/core'
import { type Condition, failure, joined } from '@habeas/sql'
import { sql } from 'kysely'
import { scalarBinder } from './bound-values.js'
import type { LiveColumn, LiveType, SchemaField } from './live-column.js'
import { scalar } from './query-parameters.js'

/** What the service says of the partitions of a table. */
export interface Partitioned {
  readonly schema?: { readonly fields?: readonly SchemaField[] }
  readonly timePartitioning?: { readonly field?: string; readonly requirePartitionFilter?: boolean }
  readonly rangePartitioning?: { readonly field?: string }
  readonly requirePartitionFilter?: boolean
}

/** The column of tables that are divided by the time at which a row came. No schema lists it. */
const ingestionTime = '_PARTITIONTIME'

/** The column by which a table is divided; undefined where it is not. */
export function partitionOf(table: Partitioned): Partition | undefined {
  const { timePartitioning, rangePartitioning, schema } = table
  const required = (table.requirePartitionFilter ?? timePartitioning?.requirePartitionFilter) === true
  if (rangePartitioning?.field !== undefined) return { column: rangePartitioning.field, kind: 'integer', required }
  if (!timePartitioning) return undefined
  const { field: column = ingestionTime } = timePartitioning
  const type = schema?.fields?.find(({ name }) => name === column)?.type
  return { column, kind: type === 'DATE' ? 'date' : 'timestamp', required }
}

const ingestionType: LiveType = { family: 'timestamp', name: 'TIMESTAMP', repeated: false }

/**
 * The condition of rows that a filter lets through. Bounds are parameters, which the service takes for constants when it
 * decides which partitions to read. Nothing else stands in it: a filter over other columns too would not count as one.
 */
export function filterCondition(
  filter: RowFilter,
  columns: ReadonlyMap<string, LiveColumn>,
  collection: string,
): Condition {
  const ranges = filter.map(({ column, from, to, empty }): Condition => {
    const type = columns.get(column)?.type ?? ingestionType
    const name = sql.id(column)
    if (empty) return sql<boolean>`${name} is null`
    const bind = scalarBinder(type)
    const bounds = [
      { sign: sql`>=`, value: from },
      { sign: sql`<=`, value: to },
    ].flatMap(({ sign, value }): Condition[] => {
      if (value === undefined) return []
      const bound = bind(value)
      if (bound === undefined) throw unboundFailure(collection, column, type)
      return [sql<boolean>`${name} ${sign} ${scalar(type.name, bound)}`]
    })
    return joined(bounds, 'and')
  })
  return joined(ranges, 'or')
}

function unboundFailure(collection: string, column: string, { name }: LiveType) {
  const message = `A bound of the partition filter of "${collection}" is no ${name}, which "${column}" holds: correct 'partition_filter' in the dataset.`
  return failure('other', message)
}
