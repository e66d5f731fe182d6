import type { ForeignKey, Value, ValueKind } from '@habeas/core'
import type { MemoryCheck, MemoryCollection, MemoryColumn, MemoryDatabase, MemoryRow } from '@habeas/testkit'
import fc from 'fast-check'
import { dates } from './field-words.js'

/* What the database knows of its tables, and the rows already obey: types, lengths, NOT NULL, foreign keys, checks. */

const onDelete = fc.constantFrom<ForeignKey['onDelete'][]>('no action', 'restrict', 'cascade', 'set null')

export const rulesArbitrary = fc.record({
  onDelete,
  foreignKeys: fc.nat(3),
  /** Rows that point nowhere are made to. */
  fitting: fc.boolean(),
  notNull: fc.constantFrom<string[][]>([], [], [], ['s'], ['t'], ['k', 's', 't'], ['side'], ['a'], ['list', 'nest']),
  check: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, 'has_t', 'filled', 'sometimes'),
  length: fc.constantFrom(undefined, undefined, 8, 12, 40),
  labels: fc.nat(4),
  since: fc.array(fc.constantFrom(...dates), { minLength: 8, maxLength: 8 }),
  /** Whether the server computes a column. */
  computes: fc.nat(7),
})
export type Rules = typeof rulesArbitrary extends fc.Arbitrary<infer Each> ? Each : never

/** A table that no dataset describes, pointing at one that is. */
export const undescribedArbitrary = fc.option(
  fc.record({ at: fc.nat(5), onDelete, every: fc.integer({ min: 1, max: 3 }) }),
  { freq: 3 },
)
export type Undescribed = typeof undescribedArbitrary extends fc.Arbitrary<infer Each> ? Each : never

const undescribedName = 'aside'

/** By name, in SQL and as the memory knows it; null is as good as true. */
export const checks: Readonly<Record<string, { readonly sql: string; readonly holds: MemoryCheck['holds'] }>> = {
  has_t: { sql: `t <> 'x'`, holds: (row) => row['t'] !== 'x' },
  filled: { sql: 't is not null', holds: (row) => row['t'] !== null },
  sometimes: {
    sql: `side::text <> 'y' or side is null or t is not null`,
    holds: (row) => row['side'] !== 'y' || row['t'] !== null,
  },
}
/** The check that stands for an enum in memory, which PostgreSQL has a type for. */
const labelled: MemoryCheck = {
  name: 'labels',
  holds: (row) => ['x', 'y', null].includes(row['side'] as string),
}

const documentColumns: readonly MemoryColumn[] = [
  ...['id', 'a'].map((name) => ({ name, kind: 'integer' as ValueKind })),
  ...['k', 's', 'side'].map((name) => ({ name, kind: 'string' as ValueKind })),
  { name: 'list', kind: 'integer', array: true },
  ...['items', 'nest'].map((name) => ({ name, kind: 'object' as ValueKind })),
]

/** Documents as a table with columns of JSON. */
export function tableOfDocuments(collection: MemoryCollection): MemoryCollection {
  const { schemaless: _, ...rest } = collection
  const rows = collection.rows.map((row) => {
    const values = documentColumns.map(({ name, kind }) => {
      const value = row[name] ?? null
      return [name, kind === 'integer' && name !== 'list' && typeof value !== 'number' ? null : value]
    })
    return Object.fromEntries(values) as MemoryRow
  })
  return { ...rest, columns: documentColumns, rows }
}

/** Gives every table its rules. `links`: what its fields refer to in the same database, together where there is a group. */
export function withRules(
  database: MemoryDatabase,
  rulesOf: (name: string) => Rules,
  linksOf: (name: string) => readonly Link[],
  undescribed: Undescribed,
): MemoryDatabase {
  const columned = Object.fromEntries(
    Object.entries(database).map(([name, table]) => [name, withColumns(table, rulesOf(name))]),
  )
  const ruled = Object.fromEntries(
    Object.entries(columned).map(([name, table]) => {
      if (table.schemaless) return [name, table]
      const { onDelete, foreignKeys: wanted, fitting } = rulesOf(name)
      const foreignKeys: ForeignKey[] = []
      const links = [...linksOf(name), ...furtherLinks(columned, name, rulesOf(name))]
      for (const [at, link] of (wanted === 0 ? [] : links).entries()) {
        const key: ForeignKey = {
          ...{ name: `${name}_${link.columns.join('_')}_${at}`, columns: link.columns, onDelete },
          references: { collection: link.collection, columns: link.references },
        }
        const isFree = !foreignKeys.some((other) => other.columns.some((column) => key.columns.includes(column)))
        if (holds(columned, name, key, fitting, isFree)) foreignKeys.push(key)
      }
      return [name, { ...table, foreignKeys }]
    }),
  )
  const aside = undescribed && asideOf(ruled, undescribed)
  return aside ? { ...ruled, [undescribedName]: aside } : ruled
}

export interface Link {
  readonly columns: readonly string[]
  readonly collection: string
  readonly references: readonly string[]
}

/** What a description need not know: rows that answer one another, and keys of two columns. */
function furtherLinks(database: MemoryDatabase, name: string, { foreignKeys, fitting }: Rules): Link[] {
  const { primaryKey = [], rows, columns = [] } = database[name] as MemoryCollection
  if (foreignKeys === 2 && fitting && primaryKey.join() === 'id' && columns.some((column) => column.name === 'b')) {
    for (const [at, row] of rows.entries()) {
      const before = rows.slice(0, at).findLast((other) => other['s'] === row['s'])
      row['b'] = before?.['id'] ?? null
    }
    return [{ columns: ['b'], collection: name, references: ['id'] }]
  }
  if (foreignKeys !== 3) return []
  const composite = Object.entries(database).filter(
    ([other, table]) => other !== name && keysOf(table).some((key) => key.join() === 'id,k'),
  )
  return composite.map(([collection]) => ({ columns: ['a', 's'], collection, references: ['id', 'k'] }))
}

function withColumns(table: MemoryCollection, rules: Rules): MemoryCollection {
  for (const [at, row] of table.rows.entries()) row['since'] = rules.since[at % rules.since.length] as Value
  if (table.schemaless) return table
  const { primaryKey = [], rows } = table
  const isFull = (name: string) => rows.every((row) => row[name] !== null)
  const computed = { name: 'year', kind: 'integer' as ValueKind, generated: true }
  if (rules.computes === 0) {
    for (const row of rows) row['year'] = row['since'] === null ? null : Number(String(row['since']).slice(0, 4))
  }
  const all = [
    ...(table.columns ?? []),
    { name: 'since', kind: 'date' as ValueKind },
    ...(rules.computes === 0 ? [computed] : []),
  ]
  const columns = all.map((column) => ({
    ...column,
    nullable: !primaryKey.includes(column.name) && !(rules.notNull.includes(column.name) && isFull(column.name)),
    ...(column.name === 't' && rules.length !== undefined && { length: rules.length }),
    ...(column.name === 'side' && rules.labels === 0 && { type: 'label', values: ['x', 'y'] }),
  }))
  const named = checks[rules.check ?? '']
  const check = named && columns.some(({ name }) => name === 't') && rows.every((row) => named.holds(row))
  const checked: MemoryCheck[] = [
    ...(check ? [{ name: rules.check as string, holds: named.holds }] : []),
    ...(rules.labels === 0 ? [labelled] : []),
  ]
  return { ...table, columns, checks: checked }
}

const keysOf = ({ primaryKey = [], uniqueKeys = [] }: MemoryCollection) =>
  [primaryKey, ...uniqueKeys].filter((key) => key.length > 0)
const columnOf = ({ columns = [] }: MemoryCollection, name: string) => columns.find((each) => each.name === name)

/**
 * Whether the server would take the key; rows that stand in its way lose what they point with, where that may be. Where
 * none would be left, and no other key is over these columns, one row is made to point.
 */
function holds(
  database: MemoryDatabase,
  name: string,
  { columns, onDelete, references }: ForeignKey,
  fit: boolean,
  isFree: boolean,
) {
  const [table, to] = [database[name] as MemoryCollection, database[references.collection]]
  if (!to || to.schemaless || table.schemaless) return false
  const isKey = keysOf(to).some(
    (key) => key.length === references.columns.length && key.every((part) => references.columns.includes(part)),
  )
  const kinds = columns.map((column, at) => [columnOf(table, column), columnOf(to, references.columns[at] as string)])
  const isScalar = kinds.every(
    ([one, other]) => one?.kind && one.kind === other?.kind && !one.array && !other.array && one.kind !== 'object',
  )
  if (!isKey || !isScalar || kinds.some(([one, other]) => (one?.type ?? '') !== (other?.type ?? ''))) return false
  const isNullable = columns.every((column) => columnOf(table, column)?.nullable === true)
  if (onDelete === 'set null' && !isNullable) return false
  const text = (row: MemoryRow, names: readonly string[]) => JSON.stringify(names.map((each) => row[each] ?? null))
  const known = new Set(to.rows.map((row) => text(row, references.columns)))
  const lost = table.rows.filter(
    (row) => columns.every((column) => row[column] !== null) && !known.has(text(row, columns)),
  )
  if (lost.length === 0) return true
  const isTold = columns.some((column) => keysOf(table).some((key) => key.includes(column)))
  const isChecked = columns.includes('t') || columns.includes('side')
  const target = to.rows.find((row) => references.columns.every((column) => row[column] !== null))
  if (!fit || !isNullable || isTold || isChecked || !target) return false
  const isNone = isFree && lost.length === table.rows.length
  for (const [at, row] of lost.entries()) {
    if (at > 0 || !isNone) row[columns[0] as string] = null
    else
      for (const [part, column] of columns.entries()) row[column] = target[references.columns[part] as string] as Value
  }
  return true
}

function asideOf(database: MemoryDatabase, { at, onDelete, every }: NonNullable<Undescribed>) {
  const targets = Object.entries(database).flatMap(([name, table]) =>
    table.schemaless ? [] : keysOf(table).flatMap((key) => (key.length === 1 ? [{ name, key: key[0] as string }] : [])),
  )
  const target = targets[at % targets.length]
  if (!target) return undefined
  const { rows, columns = [] } = database[target.name] as MemoryCollection
  const kind = columns.find(({ name }) => name === target.key)?.kind as ValueKind
  const pointing = rows.filter((row, place) => place % every === 0 && row[target.key] !== null)
  return {
    ...{
      primaryKey: ['id'],
      columns: [
        { name: 'id', kind: 'integer' as ValueKind },
        { name: 'points', kind },
      ],
    },
    rows: pointing.map((row, place) => ({ id: place, points: row[target.key] as Value })),
    foreignKeys: [
      {
        ...{ name: 'aside_points', columns: ['points'], onDelete },
        references: { collection: target.name, columns: [target.key] },
      },
    ],
  }
}
