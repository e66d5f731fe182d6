import { exactText, PrivacyError, type ValueKind } from '@habeas/core'
import { tupleText } from './exact-text.js'
import { liveColumns, type MemoryCollection, type MemoryDatabase, type MemoryRow } from './memory-database.js'

/** The planned changes of a batch: new rows, or deletions. Nothing is written before `write`. */
export interface MemoryDraft {
  readonly database: MemoryDatabase
  /** The rows of a collection as they will be. */
  rows(collection: string): MemoryRow[]
  change(collection: string, row: MemoryRow, columns: MemoryRow): void
  remove(collection: string, row: MemoryRow): void
  /** Rows that differ, before and after; `after` is missing where the row is deleted. */
  changes(): readonly DraftedChange[]
  write(): void
}

export interface DraftedChange {
  readonly collection: string
  readonly before: MemoryRow
  readonly after?: MemoryRow
}

/** A draft over a database that stays as it is until the draft is written. */
export const memoryDraft = (database: MemoryDatabase): MemoryDraft => {
  const drafted = new Map<string, Map<MemoryRow, MemoryRow | 'gone'>>()
  // a row may be drafted twice: then its value in the first draft identifies it
  const originals = new Map<MemoryRow, MemoryRow>()

  const put = (collection: string, row: MemoryRow, after: MemoryRow | 'gone') => {
    const before = originals.get(row) ?? row
    const rows = drafted.get(collection) ?? new Map()
    drafted.set(collection, rows.set(before, after))
    if (after !== 'gone') originals.set(after, before)
  }
  return {
    database,
    rows(collection) {
      const rows = drafted.get(collection)
      return (database[collection]?.rows ?? []).flatMap((row) => {
        const after = rows?.get(row) ?? row
        return after === 'gone' ? [] : [after]
      })
    },
    change: (collection, row, columns) => put(collection, row, { ...row, ...columns }),
    remove: (collection, row) => put(collection, row, 'gone'),
    changes: () =>
      [...drafted].flatMap(([collection, rows]) =>
        [...rows].map(([before, after]) => ({ collection, before, ...(after !== 'gone' && { after }) })),
      ),
    write() {
      for (const [collection, rows] of drafted) {
        const live = database[collection]!
        live.rows = live.rows.filter((row) => rows.get(row) !== 'gone')
        for (const [before, after] of rows) if (after !== 'gone') Object.assign(before, after)
      }
    },
  }
}

/** The error when a rule of the database refuses a batch, as the port words it. */
export const refused = (
  collection: string,
  rule: { readonly constraint?: string; readonly column?: string },
): PrivacyError => {
  const named = rule.constraint ?? (rule.column === undefined ? 'a rule' : `the column ${rule.column}`)
  return new PrivacyError(
    'connection_failed',
    `The collection ${collection} refuses the new values because of ${named}: choose others`,
    { reason: 'refused', ...rule },
  )
}

/** A sort of rules that servers enforce. */
export type MemoryRule = 'unique' | 'foreign_key' | 'check' | 'not_null' | 'length'

/** The rules of a database that are known and that rows may break. */
export type UnenforcedRules = readonly MemoryRule[]

/** Refuses drafted rows that lack a value, break a check, or are no longer unique. */
export const checkDraft = (draft: MemoryDraft, unenforced: UnenforcedRules): void => {
  const changed = new Map<string, { before: MemoryRow; after: MemoryRow }[]>()
  for (const { collection, before, after } of draft.changes()) {
    if (after === undefined) continue
    const rows = changed.get(collection)
    if (rows) rows.push({ before, after })
    else changed.set(collection, [{ before, after }])
  }
  for (const [name, rows] of changed) {
    const collection = draft.database[name]!
    for (const column of unenforced.includes('not_null') ? [] : liveColumns(collection)) {
      if (column.nullable || collection.schemaless) continue
      const emptied = rows.some(({ before, after }) => isNull(after[column.name]) && !isNull(before[column.name]))
      if (emptied) throw refused(name, { column: column.name })
    }
    for (const { name: constraint, holds } of unenforced.includes('check') ? [] : (collection.checks ?? [])) {
      if (!rows.every(({ after }) => holds(after))) throw refused(name, { constraint })
    }
    for (const { constraint, columns } of unenforced.includes('unique') ? [] : uniqueKeysOf(name, collection)) {
      const kinds = kindsOf(collection, columns)
      const textOf = (row: MemoryRow) => keyText(row, columns, kinds)
      if (!rows.some(({ before, after }) => textOf(before) !== textOf(after))) continue
      const texts = draft.rows(name).flatMap((row) => textOf(row) ?? [])
      if (new Set(texts).size < texts.length) throw refused(name, { constraint })
    }
  }
}

const uniqueKeysOf = (name: string, { primaryKey = [], uniqueKeys = [] }: MemoryCollection) => [
  ...(primaryKey.length > 0 ? [{ constraint: `${name}_pkey`, columns: primaryKey }] : []),
  ...uniqueKeys.map((columns) => ({ constraint: `${name}_${columns.join('_')}_key`, columns })),
]

const isNull = (value: unknown): boolean => value === null || value === undefined

/** The values of the columns as one comparable text; undefined where one is null, which equals nothing. */
export const keyText = (
  row: MemoryRow,
  columns: readonly string[],
  kinds: readonly (ValueKind | undefined)[],
): string | undefined =>
  columns.some((column) => isNull(row[column]))
    ? undefined
    : tupleText(columns.map((column, part) => exactText(row[column], kinds[part])))

/** The kinds of some columns, as far as they are known. */
export const kindsOf = (collection: MemoryCollection, columns: readonly string[]): (ValueKind | undefined)[] => {
  const kinds = new Map(liveColumns(collection).map(({ name, kind }) => [name, kind]))
  return columns.map((column) => kinds.get(column))
}
