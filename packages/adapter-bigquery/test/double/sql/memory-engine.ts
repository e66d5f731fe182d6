import type { SchemaField } from '../../../src/live-column.js'
import type { NamedParameter } from '../../../src/query-parameters.js'
import type { RawRow } from '../../../src/row-values.js'
import type { Engine, Result } from '../engine.js'
import { RestError } from '../rest.js'
import { evaluatorOf, type MemoryRow, type MemoryTable, type Scope } from './evaluator.js'
import { type Expression, parsed, type Select, type StatementNode } from './parser.js'
import { checkPartitions } from './partition-rule.js'
import { cellOf, checkColumn, keyOf, parameterOf, refused, type Sql } from './values.js'

/** What each cell weighs when bytes are counted. */
export const cellBytes = 4 * 1024 * 1024

/** Tables by their path, `project.dataset.table`. */
export type MemoryTables = Map<string, MemoryTable>

/** Statements over tables in memory, with transactions of snapshot isolation: of two that write one table, one is ended. */
export function memoryEngine(tables: MemoryTables): Engine {
  return {
    isolates: true,
    run: async (query, parameters) => run(tables, query, parameters),
    bytes: (query, parameters) => cells(tables, query, parameters) * cellBytes,
    answer: async (method, path) => answer(tables, method, path),
    async begin() {
      const snapshot = new Map(tables)
      const own = new Map(tables)
      return {
        run: async (query, parameters) => run(own, query, parameters),
        writes: async () => {},
        async commit() {
          const written = [...own].filter(([path, table]) => snapshot.get(path) !== table)
          const conflict = written.find(([path]) => tables.get(path) !== snapshot.get(path))
          if (conflict) throw refused(`Transaction is aborted due to concurrent update against table ${conflict[0]}`)
          for (const [path, table] of written) tables.set(path, table)
        },
        rollBack: async () => {},
      }
    },
  }
}

function run(tables: MemoryTables, query: string, parameters: readonly NamedParameter[]): Result {
  const statement = parsed(query)
  const bound = new Map(
    parameters.map(({ name, parameterType, parameterValue }) => [name, parameterOf(parameterType, parameterValue)]),
  )
  const tableOf = (path: string) => {
    const table = tables.get(path)
    if (!table) throw new RestError(404, 'notFound', `Not found: Table ${path}`)
    return table
  }
  checkPartitions(statement, tableOf)
  const evaluator = evaluatorOf(tableOf, bound)
  const nothing: Scope = { names: new Map() }
  if (statement.is === 'select') {
    const rows = evaluator.rows(statement.select, nothing)
    return resultOf(fieldsOf(statement.select, tableOf), rows)
  }
  const table = tableOf(statement.path)
  const written = table.rows.map((row) => changedRow(row, table, statement, evaluator, nothing))
  const affected = written.filter((row, at) => row !== table.rows[at]).length
  if (affected > 0) tables.set(statement.path, { ...table, rows: written.filter((row) => row !== 'gone') })
  return { ...resultOf([], []), affected }
}

/** How many values a selection of columns gives. What is only planned is nothing else. */
function cells(tables: MemoryTables, query: string, parameters: readonly NamedParameter[]): number {
  const statement = parsed(query)
  if (statement.is !== 'select') throw refused('only selections are planned')
  return statement.select.from.length === 0 ? 0 : run(tables, query, parameters).total * statement.select.columns.length
}

function changedRow(
  row: MemoryRow,
  table: MemoryTable,
  statement: Exclude<StatementNode, { is: 'select' }>,
  { holds, value, sourceRows }: ReturnType<typeof evaluatorOf>,
  nothing: Scope,
): MemoryRow | 'gone' {
  const scope: Scope = { names: new Map(Object.entries(row)) }
  if (statement.is === 'delete') return holds(statement.where, scope) ? 'gone' : row
  const beside = statement.from
    ? candidatesOf(statement, scope, sourceRows(statement.from, nothing), value)
    : [new Map<string, Sql>()]
  const met = beside.map((names) => ({ names, outer: scope })).filter((each) => holds(statement.where, each))
  if (met.length > 1) throw refused('UPDATE/MERGE must match at most one source row for each target row')
  if (met.length === 0) return row
  const changes = statement.set.map(({ column, to }) => {
    const field = table.fields.find(({ name }) => name === column)
    if (!field) throw refused(`Column ${column} is not present`)
    const held = value(to, met[0]!)
    checkColumn(field, held)
    return [column, held] as const
  })
  return { ...row, ...Object.fromEntries(changes) }
}

const joins = new WeakMap<readonly ReadonlyMap<string, Sql>[], Map<string, ReadonlyMap<string, Sql>[]>>()

/** The rows of the table beside that `column = key` lets through, by an index. */
function candidatesOf(
  { where }: { readonly where: Expression },
  scope: Scope,
  beside: readonly ReadonlyMap<string, Sql>[],
  value: (expression: Expression, scope: Scope) => Sql,
): readonly ReadonlyMap<string, Sql>[] {
  const [first] = beside
  const parts = where.is === 'and' ? where.parts : [where]
  const join = parts.find(
    (part) => part.is === 'compare' && part.sign === '=' && part.left.is === 'path' && part.right.is === 'path',
  )
  if (!first || join?.is !== 'compare' || join.right.is !== 'path') return beside
  const name = join.right.names[0]!
  if (!first.has(name)) return beside
  let index = joins.get(beside)
  if (!index) {
    index = new Map()
    for (const row of beside) index.set(keyOf(row.get(name)!), [...(index.get(keyOf(row.get(name)!)) ?? []), row])
    joins.set(beside, index)
  }
  return index.get(keyOf(value(join.left, scope))) ?? []
}

function fieldsOf({ columns, from }: Select, tableOf: (path: string) => MemoryTable): SchemaField[] {
  const [source] = from
  const known = source?.is === 'table' ? tableOf(source.path).fields : []
  return columns.map(({ value, alias }) => {
    const field =
      value.is === 'path' && value.names.length === 1 ? known.find(({ name }) => name === value.names[0]) : undefined
    return field ?? { name: alias, type: 'INTEGER' }
  })
}

function resultOf(fields: readonly SchemaField[], rows: readonly Sql[][]): Result {
  const raw = (row: Sql[]) => ({ f: row.map((value) => ({ v: cellOf(value) })) }) as RawRow
  return { fields, total: rows.length, affected: 0, rows: async (from, most) => rows.slice(from, from + most).map(raw) }
}

/** What the service says about its datasets and tables. */
function answer(tables: MemoryTables, method: string, path: string): unknown {
  const [, project = '', dataset = '', rest = ''] = /^\/projects\/([^/]+)\/datasets\/([^/?]+)([^?]*)/.exec(path) ?? []
  const prefix = `${project}.${dataset}.`
  const named = [...tables.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length))
  const missing = () => new RestError(404, 'notFound', `Not found: ${path}`)
  if (method !== 'GET' || named.length === 0) throw missing()
  const resource = (tableId: string) => ({
    tableReference: { projectId: project, datasetId: dataset, tableId },
    type: 'TABLE',
  })
  if (rest === '') return { location: 'EU', maxTimeTravelHours: '48' }
  if (rest === '/tables') return { tables: named.map(resource) }
  const [, name = '', policies] = /^\/tables\/([^/]+)(\/rowAccessPolicies)?$/.exec(rest) ?? []
  const table = tables.get(`${prefix}${decodeURIComponent(name)}`)
  if (!table) throw missing()
  if (policies) return { rowAccessPolicies: [] }
  return { ...resource(decodeURIComponent(name)), ...table.partition?.resource, schema: { fields: table.fields } }
}
