import type { Catalogue, CatalogueCollection, Column, ForeignKey, ViewOf } from '@habeas/core'
import type { SqlTable } from '@habeas/sql'
import { bigqueryFailure, isForbidden, isUnlimited, missingDataset, statusOf } from './failures.js'
import { type HiddenRows, hiddenRows, mayBeMasked, type TableReference } from './hidden-rows.js'
import type { JobService } from './job-service.js'
import { kindOf, type LiveColumn, type SchemaField, typeOf, typeText } from './live-column.js'
import { type Partitioned, partitionOf } from './partition.js'

/** A table as the service describes it, as far as it is looked at. */
interface TableResource extends Partitioned {
  readonly tableReference: TableReference
  readonly type?: string
  readonly numRows?: string
  readonly clustering?: { readonly fields?: readonly string[] }
  readonly tableConstraints?: {
    readonly primaryKey?: { readonly columns?: readonly string[] }
    readonly foreignKeys?: readonly {
      readonly name?: string
      readonly referencedTable: { readonly datasetId: string; readonly tableId: string }
      readonly columnReferences: readonly { readonly referencingColumn: string; readonly referencedColumn: string }[]
    }[]
  }
  readonly snapshotDefinition?: { readonly baseTableReference?: TableReference }
  readonly cloneDefinition?: { readonly baseTableReference?: TableReference }
}

export interface BigqueryCatalogue {
  describe(signal?: AbortSignal): Promise<Catalogue>
  /** The table as it is now; undefined where there is none of that name. */
  table(collection: string, signal?: AbortSignal): Promise<SqlTable<LiveColumn> | undefined>
}

/** From how many rows on looking at each is slow, or dear. */
const largeFrom = 10_000
const callsAtOnce = 8
/** From how many tables on the service names only some of those that a view shows. */
const mostReferencedTables = 50
/** Behind time travel. It can be neither shortened nor queried. */
const failSafeDays = 7
/** The longest that time travel may be, and what it is where nobody has shortened it. */
const defaultTimeTravelHours = 168

/** The tables of a dataset, from the REST API: unlike a query of INFORMATION_SCHEMA it costs nothing. */
export function bigqueryCatalogue(
  { ask, dryRun }: Pick<JobService, 'ask' | 'dryRun'>,
  { project, dataset }: { readonly project: string; readonly dataset: string },
): BigqueryCatalogue {
  const path = `/datasets/${encodeURIComponent(dataset)}/tables`

  /** `none`: the statuses by which the service says that there is no such table. */
  async function resource(
    name: string,
    none: readonly number[],
    signal?: AbortSignal,
  ): Promise<TableResource | undefined> {
    try {
      const found = await ask<TableResource>(`${path}/${encodeURIComponent(name)}`, {}, signal)
      // a name may be part of an address and not name a table: no name lists all of them, `table$day` is a part of one
      return found.tableReference?.tableId === name ? found : undefined
    } catch (error) {
      if (none.includes(statusOf(error) ?? 0)) return undefined
      throw bigqueryFailure(error, `describing "${name}"`)
    }
  }

  async function names(signal?: AbortSignal): Promise<string[]> {
    const found: string[] = []
    let pageToken: string | undefined
    do {
      const query = { maxResults: 1_000, ...(pageToken !== undefined && { pageToken }) }
      const page = await ask<{ tables?: TableResource[]; nextPageToken?: string }>(path, query, signal)
      found.push(...(page.tables ?? []).map(({ tableReference }) => tableReference.tableId))
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    return found
  }

  async function collection(
    found: TableResource,
    { keepsHistoryDays, hidden }: { readonly keepsHistoryDays: number; readonly hidden: HiddenRows },
    signal?: AbortSignal,
  ): Promise<CatalogueCollection> {
    const { tableReference, schema, clustering, tableConstraints, numRows, type = 'TABLE' } = found
    const fields = schema?.fields ?? []
    const isTable = type === 'TABLE'
    const partition = partitionOf(found)
    const tables = isTable || type === 'EXTERNAL' ? [tableReference] : await tablesOf(found, signal)
    const asked = tables?.flatMap((table) =>
      table === tableReference
        ? [hidden.rows(table, signal)]
        : [hidden.rows(table, signal), hidden.columns(table, signal)],
    )
    const known = asked ? await Promise.all(asked) : ['unknown']
    const hides = fields.some(mayBeMasked) || known.includes('some')
    const base = (found.snapshotDefinition ?? found.cloneDefinition)?.baseTableReference
    return {
      name: tableReference.tableId,
      columns: fields.map(columnOf),
      primaryKey: tableConstraints?.primaryKey?.columns ?? [],
      uniqueKeys: [],
      keysEnforced: false,
      foreignKeys: foreignKeysOf(tableConstraints, dataset),
      indexes: clustering?.fields ? [clustering.fields] : [],
      ...(partition && { partition }),
      ...((hides || known.includes('unknown')) && { hidesRows: true }),
      ...(!hides && known.includes('unknown') && { policiesUnknown: true }),
      ...(base && { copyOf: shown(base) }),
      ...(isTable && { keepsHistoryDays }),
      ...(Number(numRows ?? 0) > largeFrom && { large: true }),
      ...(!isTable && { view: viewOf(type, tables) }),
    }
  }

  function viewOf(type: string, tables: readonly TableReference[] | undefined): ViewOf {
    if (type === 'EXTERNAL') return { writable: false }
    const stored = type === 'MATERIALIZED_VIEW' && { stored: true as const }
    return { writable: false, ...stored, ...(tables && { shows: tables.map(shown) }) }
  }

  /** The tables whose rows a view or a snapshot shows; undefined where the service does not say. */
  async function tablesOf(
    { tableReference, snapshotDefinition }: TableResource,
    signal?: AbortSignal,
  ): Promise<readonly TableReference[] | undefined> {
    const base = snapshotDefinition?.baseTableReference
    if (base) return [base]
    const { tableId: name } = tableReference
    const isOther = (table: TableReference) =>
      table.projectId !== project || table.datasetId !== dataset || table.tableId !== name
    // The service resolves a view when it plans a query over it, which costs nothing.
    const query = `select * from \`${project}\`.\`${dataset}\`.\`${name.replace(/[\\`]/g, '\\$&')}\``
    try {
      const { referencedTables } = await dryRun({ query, parameters: [], doing: `describing "${name}"`, signal })
      const others = referencedTables?.filter(isOther) ?? []
      return others.length === 0 || others.length >= mostReferencedTables ? undefined : others
    } catch (error) {
      if (isUnlimited(error) || isForbidden(error)) return undefined
      // a view whose tables are gone shows nothing
      if (statusOf(error) === 400 || statusOf(error) === 404) return []
      throw error
    }
  }

  function shown({ projectId, datasetId, tableId }: TableReference): string {
    if (projectId !== project) return `${projectId}.${datasetId}.${tableId}`
    return datasetId === dataset ? tableId : `${datasetId}.${tableId}`
  }

  return {
    async describe(signal) {
      try {
        // an emulator may list the tables of a dataset that is not there
        const whole = await ask<{ maxTimeTravelHours?: string }>(`/datasets/${encodeURIComponent(dataset)}`, {}, signal)
        const keepsHistoryDays =
          Math.ceil(Number(whole.maxTimeTravelHours ?? defaultTimeTravelHours) / 24) + failSafeDays
        const hidden = hiddenRows(ask, project)
        const all = await names(signal)
        const collections = await inTurn(all, async (name) => {
          // it may have been dropped since it was listed
          const found = await resource(name, [404], signal)
          return found && collection(found, { keepsHistoryDays, hidden }, signal)
        })
        return { collections: collections.filter((each) => each !== undefined) }
      } catch (error) {
        if (statusOf(error) === 404) throw missingDataset(error, dataset)
        throw bigqueryFailure(error, 'describing the dataset')
      }
    },
    async table(name, signal) {
      // a name that no table can have is refused as bad
      const found = await resource(name, [400, 404], signal)
      if (!found) return undefined
      const columns = (found.schema?.fields ?? []).map(liveColumnOf)
      return { path: [project, dataset, name], columns: new Map(columns.map((column) => [column.name, column])) }
    },
  }
}

function liveColumnOf(field: SchemaField): LiveColumn {
  const type = typeOf(field)
  const kind = kindOf(type)
  return {
    name: field.name ?? '',
    type,
    ...(kind && { kind }),
    ...(type.repeated && { array: true }),
    ...(field.generatedColumn !== undefined && { generated: true }),
  }
}

function columnOf(field: SchemaField): Column {
  const { name, kind, array, generated, type } = liveColumnOf(field)
  return {
    name,
    type: typeText(type),
    ...(kind && { kind }),
    ...(array && { array }),
    ...(field.fields && { members: field.fields.map(columnOf) }),
    // an array is never NULL, only empty
    nullable: field.mode !== 'REQUIRED' && !array,
    ...(type.family === 'string' && type.length !== undefined && { length: type.length }),
    ...(generated && { generated }),
  }
}

function foreignKeysOf(constraints: TableResource['tableConstraints'], dataset: string): ForeignKey[] {
  return (constraints?.foreignKeys ?? []).map(({ name = '', referencedTable, columnReferences }) => ({
    name,
    columns: columnReferences.map(({ referencingColumn }) => referencingColumn),
    references: {
      ...(referencedTable.datasetId !== dataset && { schema: referencedTable.datasetId }),
      collection: referencedTable.tableId,
      columns: columnReferences.map(({ referencedColumn }) => referencedColumn),
    },
    onDelete: 'no action',
  }))
}

async function inTurn<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += callsAtOnce) {
    results.push(...(await Promise.all(items.slice(from, from + callsAtOnce).map(work))))
  }
  return results
}
