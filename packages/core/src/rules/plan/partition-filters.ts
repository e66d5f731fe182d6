import type { CatalogueCollection, Partition } from '../../model/catalogue.js'
import type { FilterRange, RowFilter } from '../../model/row-filter.js'
import type { PartitionRange } from '../../model/service-meta.js'
import type { Finding } from '../findings/finding.js'
import type { CollectionNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import type { Plan } from './plan.js'
import type { PlannedFilter } from './planned-filter.js'

/** The filters of a plan, and what is wrong with them. */
export interface PartitionFilters {
  readonly filters: readonly PlannedFilter[]
  /** Searched collections of which a filter leaves rows out. */
  readonly filtered: readonly string[]
  readonly findings: readonly Finding[]
}

type Statements = Pick<Plan, 'collections' | 'open'>

/** The filters that every statement of a plan carries. A table that lacks one that its server asks for stops the plan. */
export function partitionFilters(graph: DatasetGraph, plan: Statements): PartitionFilters {
  const asked = askedOf(plan)
  const searched = new Set(plan.collections.map(({ address }) => address))
  const connections = new Set(asked.map(({ connectionKey }) => connectionKey))
  const nodes = [...graph.nodes.values()].filter(
    ({ connectionKey, unavailable }) =>
      connectionKey !== undefined && connections.has(connectionKey) && unavailable === undefined,
  )
  const isAsked = ({ connectionKey, collection }: CollectionNode) =>
    asked.some((each) => each.connectionKey === connectionKey && each.collection === collection.name)
  const filters = nodes.flatMap(plannedFilter)
  return {
    filters,
    filtered: filters.flatMap(({ address, all }) => (searched.has(address) && !all ? [address] : [])),
    findings: [
      ...nodes.filter(isAsked).flatMap((node) => filterFindings(node)),
      ...contradictions(filters),
      ...plan.collections.flatMap((collection) => maskedPartition(graph, collection)),
    ],
  }
}

/** The tables that the statements of a plan name: searched ones, and those whose rows are counted. */
function askedOf({ collections, open }: Statements): { connectionKey: string; collection: string }[] {
  const references = collections.flatMap(({ erasure, sharedBy = [] }) => [
    ...sharedBy,
    ...(erasure?.pointedToBy ?? []),
    ...(erasure?.cascadedBy ?? []),
  ])
  return [...collections, ...open, ...references.filter(({ schema }) => schema === undefined)]
}

function plannedFilter({ address, connectionKey, collection, live }: CollectionNode): PlannedFilter[] {
  const { partition_filter: ranges } = collection.service_meta
  if (!ranges || !live?.partition || connectionKey === undefined) return []
  const { kind } = live.partition
  const all = leavesNothingOut(ranges, live.partition, isNullable(live, live.partition)) && { all: true as const }
  return [{ address, connectionKey, collection: collection.name, kind, ranges, ...all }]
}

const isNullable = ({ columns }: CatalogueCollection, { column }: Partition) =>
  columns.find(({ name }) => name === column)?.nullable !== false

/**
 * Whether ranges together cover every row: one without an end, one without a start that reaches to it, and the rows
 * without a value.
 */
function leavesNothingOut(ranges: readonly PartitionRange[], { kind }: Partition, nullable: boolean): boolean {
  const limits = rowFilter({ ranges, kind }, epoch)
  const starts = limits.flatMap(({ from, to, empty }) => (empty || to !== undefined ? [] : [from]))
  const ends = limits.flatMap(({ from, to, empty }) => (empty || from !== undefined ? [] : [to]))
  const meet = starts.some((start) => ends.some((end) => start !== undefined && end !== undefined && start <= end))
  return meet && (!nullable || limits.some(({ empty }) => empty))
}

/** What the description of one table says wrong of its partitions, or leaves out. */
export function filterFindings({ address, dataset, collection, live, missing }: CollectionNode): Finding[] {
  const { partition_filter: ranges } = collection.service_meta
  const loc = [dataset.service_key, collection.name]
  if (!live || missing) return []
  const { partition } = live
  if (!ranges) {
    if (!partition?.required) return []
    const message = `The server reads '${address}' only where '${partition.column}' is limited, and the dataset has no 'partition_filter' for it: add the ranges to search, such as partition_filter: [{field: ${partition.column}, start: ${exampleOf(partition)}}], or set 'skip_processing'.`
    return [{ type: 'missing_partition_filter', severity: 'error', loc, message }]
  }
  if (!partition) {
    const message = `'${address}' has a 'partition_filter', but its server divides the table by no column: the filter has no effect, and every row is searched. Remove it.`
    return [{ type: 'ineffective_partition_filter', severity: 'warning', loc, message }]
  }
  const wrong = ranges.find(
    (range) => range.field !== partition.column || rangeOf(range, partition.kind, epoch) === undefined,
  )
  if (wrong) {
    const message =
      wrong.field === partition.column
        ? `The 'partition_filter' of '${address}' has a bound that '${partition.column}', a ${partition.kind}, cannot hold: write ${exampleOf(partition)}, for example.`
        : `The 'partition_filter' of '${address}' limits '${wrong.field}', but the table is divided by '${partition.column}': limit that one.`
    return [{ type: 'wrong_partition_filter', severity: 'error', loc, message }]
  }
  if (leavesNothingOut(ranges, partition, isNullable(live, partition))) return []
  const message = `Only rows of '${address}' are searched in which ${ranges.map(rangeText).join(', or ')}: all others are neither found nor erased, and a result says so. Widen the 'partition_filter' if it should cover more.`
  return [{ type: 'partly_searched', severity: 'warning', loc, message }]
}

/** Two descriptions of one table must limit it alike, because a count or a check of it belongs to both. */
function contradictions(filters: readonly PlannedFilter[]): Finding[] {
  const first = new Map<string, PlannedFilter>()
  return filters.flatMap((filter): Finding[] => {
    const table = JSON.stringify([filter.connectionKey, filter.collection])
    const known = first.get(table) ?? filter
    first.set(table, known)
    if (JSON.stringify(known.ranges) === JSON.stringify(filter.ranges)) return []
    const message = `'${known.address}' and '${filter.address}' describe the same table with different filters: give both the same 'partition_filter'.`
    return [{ type: 'contradicting_partition_filters', severity: 'error', loc: filter.address.split(':'), message }]
  })
}

/** A row whose partition is overwritten may leave the filter, so that nobody could read it again to verify it. */
function maskedPartition(graph: DatasetGraph, { address, erasure }: Plan['collections'][number]): Finding[] {
  const node = graph.nodes.get(address)
  const column = node?.live?.partition?.column
  if (!node?.collection.service_meta.partition_filter || column === undefined) return []
  return (erasure?.masks ?? []).flatMap(({ path, field }): Finding[] => {
    if (path[0] !== column) return []
    const message = `An erasure would overwrite '${address}.${field}', by which the table is divided and searched: keep it with 'read_only', or delete the rows.`
    return [
      {
        type: 'masked_partition',
        severity: 'error',
        loc: [node.dataset.service_key, node.collection.name, column],
        message,
      },
    ]
  })
}

const epoch = new Date(0)

function exampleOf({ kind }: Partition): string {
  return { date: "'2020-01-01'", timestamp: "'2020-01-01T00:00:00Z'", integer: '0' }[kind]
}

function rangeText({ field, start, end, empty }: PartitionRange): string {
  if (empty) return `${field} is empty`
  const bounds = [...(start === undefined ? [] : [`from ${start}`]), ...(end === undefined ? [] : [`to ${end}`])]
  return `${field} lies ${bounds.join(' ')}`
}

/** The filter of a statement. `NOW()` is the instant `now`, so that it stays the same for a whole request. */
export function rowFilter({ ranges, kind }: Pick<PlannedFilter, 'ranges' | 'kind'>, now: Date): RowFilter {
  return ranges.flatMap((range) => rangeOf(range, kind, now) ?? [])
}

/** Undefined where the column cannot hold a bound. */
function rangeOf(
  { field, start, end, empty }: PartitionRange,
  kind: Partition['kind'],
  now: Date,
): FilterRange | undefined {
  if (empty) return { column: field, empty }
  const from = start === undefined ? undefined : boundOf(start, kind, now, 'first')
  const to = end === undefined ? undefined : boundOf(end, kind, now, 'last')
  if ((start !== undefined && from === undefined) || (end !== undefined && to === undefined)) return undefined
  return { column: field, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

const unitMs = { DAY: 86_400_000, HOUR: 3_600_000, MINUTE: 60_000 }

function boundOf(
  bound: string | number,
  kind: Partition['kind'],
  now: Date,
  instant: 'first' | 'last',
): string | number | undefined {
  if (typeof bound === 'number' || kind === 'integer')
    return typeof bound === 'number' && kind === 'integer' ? bound : undefined
  const [isNow, count, unit] = /^NOW\(\)(?: - (\d+) (DAY|HOUR|MINUTE)S?)?$/.exec(bound) ?? []
  const time = now.getTime() - (unit === undefined ? 0 : Number(count) * unitMs[unit as keyof typeof unitMs])
  const text = isNow === undefined ? bound : dateText(time)
  if (text === undefined) return undefined
  if (kind === 'date') return text.slice(0, 10)
  if (text.length > 10) return text
  return instant === 'first' ? `${text}T00:00:00.000000Z` : `${text}T23:59:59.999999Z`
}

/** A time before the year 1 is the first one that a server knows. */
function dateText(time: number): string | undefined {
  return new Date(Math.max(time, Date.parse('0001-01-01T00:00:00Z'))).toISOString()
}
