import { type MemoryCollection, type MemoryDatabase, memoryConnector } from '@habeas/testkit'
import { kindOfType } from '../../../sql/src/value-kind.js'
import { isTypedText, type Value, type ValueKind } from '../../src/model/value.js'
import { shortestDecimal } from '../../src/rules/value/shortest-decimal.js'
import { timeText } from '../../src/rules/value/time-text.js'
import { type Json, readValue, sample } from './bank.js'
import type { NeutralDataset } from './datasets.js'

export interface LiveColumn {
  readonly name: string
  /** The type as the sample's server names it; inferred from the values where the case gives none. */
  readonly type: string
}

/** A table with its types, or a collection of documents, which has none. */
export interface Table {
  readonly columns?: readonly LiveColumn[]
  readonly primaryKey: readonly string[]
  readonly rows: readonly Json[]
}

export interface Database {
  readonly relational: boolean
  readonly tables: ReadonlyMap<string, Table>
}

export interface DatabaseInput {
  readonly databases?: Readonly<
    Record<string, { readonly kind?: string; readonly tables: Readonly<Record<string, unknown>> }>
  >
  /** Several: rows of the later ones lie in the tables of the first. */
  readonly databases_ref?: Readonly<Record<string, string | readonly string[]>>
}

/** The databases of a case by the key of the dataset that describes each; one that the case does not give is empty. */
export function databasesOf(input: DatabaseInput, datasets: readonly NeutralDataset[]): ReadonlyMap<string, Database> {
  return new Map(datasets.map((dataset) => [dataset.key, databaseOf(input, dataset)]))
}

function databaseOf({ databases, databases_ref }: DatabaseInput, dataset: NeutralDataset): Database {
  const inline = databases?.[dataset.key]
  const reference = databases_ref?.[dataset.key]
  const tables = inline?.tables ?? together([reference ?? []].flat().map((each) => sample(each) as Json))
  const relational = inline?.kind ? inline.kind !== 'mongo' : !Object.values(tables).some(Array.isArray)
  const described = new Map(dataset.collections.map((each) => [each['name'] as string, each]))
  const entries = Object.entries(tables).map(([name, table]) => {
    if (!Array.isArray(table)) return [name, givenTable(table as Json)] as const
    const rows = table as readonly Json[]
    return [name, relational ? inferredTable(rows, described.get(name)) : { primaryKey: ['_id'], rows }] as const
  })
  return { relational, tables: new Map(entries) }
}

function together(samples: readonly Json[]): Json {
  const tables: Record<string, unknown> = {}
  for (const [name, table] of samples.flatMap(Object.entries)) {
    const known = tables[name]
    if (known === undefined) tables[name] = table
    else if (Array.isArray(known)) tables[name] = [...known, ...(table as Json[])]
    else tables[name] = { ...(known as Json), rows: [...((known as Json)['rows'] as Json[]), ...(table as Json[])] }
  }
  return tables
}

function givenTable({ columns, primary_key, rows }: Json): Table {
  return { columns: columns as LiveColumn[], primaryKey: (primary_key ?? []) as string[], rows: rows as Json[] }
}

/** Rows without a schema hold the columns that they or the description name. */
function inferredTable(rows: readonly Json[], described: Json | undefined): Table {
  const fields = (described?.['fields'] ?? []) as readonly { readonly name: string }[]
  const names = new Set([...rows.flatMap((row) => Object.keys(row)), ...fields.map(({ name }) => name)])
  const columns = [...names].map((name) => ({ name, type: typeOf(rows.map((row) => row[name])) }))
  return { columns, primaryKey: [], rows }
}

function typeOf(values: readonly unknown[]): string {
  const present = values.filter((value) => value !== null && value !== undefined)
  if (present.length === 0) return 'INT'
  if (present.every((value) => typeof value === 'boolean')) return 'BOOLEAN'
  if (present.every((value) => Number.isSafeInteger(value))) return 'BIGINT'
  if (present.every((value) => typeof value === 'number')) return 'DOUBLE PRECISION'
  if (present.every((value) => typeof value === 'object' && '$date' in (value as Json))) return 'TIMESTAMP'
  if (present.every((value) => typeof value === 'object' && '$day' in (value as Json))) return 'DATE'
  return present.some((value) => typeof value === 'object') ? 'JSONB' : 'TEXT'
}

/** The database behind a connector in memory, its values in the form in which connectors give them. */
export function memoryConnectorOf(type: string, { relational, tables }: Database): ReturnType<typeof memoryConnector> {
  const database: MemoryDatabase = {}
  for (const [name, { columns, primaryKey, rows }] of tables) {
    const kinds = new Map(columns?.map((column) => [column.name, kindOfType(column.type)]))
    const collection: MemoryCollection = {
      columns: (columns ?? []).map(({ name, type }) => ({
        name,
        type,
        ...kindMember(kindOfType(type)),
        ...lengthMember(type),
      })),
      primaryKey,
      schemaless: columns === undefined,
      rows: rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([column, value]) => [column, handedOver(readValue(value), kinds.get(column))]),
        ),
      ),
    }
    database[name] = collection
  }
  return memoryConnector({ type, database, capabilities: { nestedFields: !relational } })
}

const kindMember = (kind: ValueKind | undefined) => (kind === undefined ? {} : { kind })

function lengthMember(type: string) {
  const length = /^(?:CHARACTER VARYING|VARCHAR)\((\d+)\)$/.exec(type)?.[1]
  return length === undefined ? {} : { length: Number(length) }
}

function handedOver(value: Value, kind: ValueKind | undefined): Value {
  return kind === 'decimal' && value !== null ? String(value).replace(/[$,]/g, '') : value
}

/** A value so that the same meaning has the same form: numbers in whatever form, times with and without zone. */
export function meaningOf(value: Value, kind: ValueKind | undefined): Value {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return value.map((element) => meaningOf(element, kind))
  if (typeof value === 'string' && kind === undefined) return timeText(value)?.replace(/Z$/, '') ?? value
  if (kind === 'integer' || kind === 'decimal' || kind === 'float') {
    return shortestDecimal(String(value).replace(/[$,]/g, '')) ?? value
  }
  if (kind === 'boolean' && typeof value === 'number') return value === 1
  if (kind === 'timestamp' || kind === 'datetime') return timeText(String(value))?.replace(/Z$/, '') ?? value
  if (isTypedText(value)) return value.text
  if (typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, meaningOf(member, kind)]))
}
