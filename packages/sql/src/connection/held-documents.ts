import {
  type Erase,
  type KeyGroup,
  memberChanges,
  type Row,
  sameValue,
  type Value,
  withMemberChanges,
} from '@habeas/core'
import { compileRead } from '../compile-read.js'
import type { SqlColumn, SqlTable } from '../dialect.js'
import { ambiguousFailure, refusedFailure, unkeyedFailure } from '../erase-failures.js'
import type { SqlErasingDialect } from '../erasing-dialect.js'
import { parseJson } from '../json-text.js'
import type { Run } from './statement-runner.js'

/** A batch, and the table with columns that stand for the texts of documents. */
export interface HeldErase<Column extends SqlColumn> {
  readonly erase: Erase
  readonly table: SqlTable<Column>
}

/** The row at a position of a batch, with the texts of its documents, in the order of their columns. */
interface HeldRow {
  readonly at: number
  readonly texts: readonly (string | null)[]
}

/**
 * Reads the documents of a batch as texts, and has each row named by them as well. So nothing is written to a row whose document
 * has changed since, and no statement has to compare documents. Undefined where none of the rows is there any more.
 */
export async function heldDocuments<Column extends SqlColumn, Bound>(
  erase: Erase,
  table: SqlTable<Column>,
  dialect: SqlErasingDialect<Column, Bound>,
  rowsOf: (sql: string, parameters: readonly unknown[], run: Partial<Run>) => AsyncIterable<readonly Row[]>,
): Promise<HeldErase<Column> | undefined> {
  const texts = dialect.erasing.documentTexts
  if (!texts) return { erase, table }
  const { collection, key, keys, rows: expected } = erase
  const set = erase.set === 'delete' ? [] : erase.set
  const byMember = set.flatMap((assigned) => ('toEach' in assigned && assigned.was ? [assigned] : []))
  const named = [...new Set([...key, ...byMember.map(({ column }) => column)])]
  const { changed } = texts
  const documents = named.flatMap((name) => {
    const text = texts.column(table.columns.get(name)!)
    return text ? [{ name, text, part: key.indexOf(name) }] : []
  })
  if (documents.length === 0) return { erase, table }
  // rows without a key are counted by their new values, as documents: those that are not compared in this way must not be found
  const isCounted = (name: string) =>
    expected !== undefined &&
    erase.set !== 'delete' &&
    !set.some((assigned) => assigned.column === name && (changed !== undefined || holdsNothing(assigned)))
  const live = new Map([...table.columns, ...documents.map(({ name, text }) => [textOf(name), text] as const)])
  const withTexts = { ...table, columns: live }
  const scalars = [...key.keys()].filter((part) => documents.every((document) => document.part !== part))
  const group: KeyGroup = {
    fields: scalars.map((part) => ({ path: [key[part]!] })),
    values: scalars.map((part) => keys[part]!),
    exact: true,
  }
  const columns = [...scalars.map((part) => key[part]!), ...documents.map(({ name }) => textOf(name))]
  const asked = { collection, columns, anyOf: scalars.length > 0 ? [group] : erase.anyOf }
  const held = new Map<string, (readonly (string | null)[])[]>()
  const statement = compileRead(asked, withTexts, dialect)
  const parserOf = (type: number, index: number) => dialect.parserOf?.(type, live.get(columns[index]!))
  const run = { parserOf, doing: `reading "${collection}"` }
  const holdsKey = (texts: HeldRow['texts'], at: number) =>
    documents.every(({ part }, index) => part < 0 || sameValue(parsed(texts[index]!), keys[part]![at]!))
  for await (const batch of statement ? rowsOf(statement.sql, statement.parameters, run) : []) {
    for (const row of batch) {
      const name = nameOf(row.slice(0, scalars.length))
      const texts = row.slice(scalars.length) as (string | null)[]
      // a key of documents alone reads the rows of all batches
      if (scalars.length === 0 && !Array.from(keys[0]!).some((_, at) => holdsKey(texts, at))) continue
      held.set(name, [...(held.get(name) ?? []), texts])
    }
  }

  const found: HeldRow[] = Array.from(keys[0]!).flatMap((_, at) => {
    const rows = held.get(nameOf(scalars.map((part) => keys[part]![at]!))) ?? []
    if (expected === undefined && rows.length > 1) throw ambiguousFailure(collection, key)
    const distinct = new Map(rows.filter((texts) => holdsKey(texts, at)).map((texts) => [nameOf(texts), texts]))
    return [...distinct.values()].map((texts) => ({ at, texts }))
  })
  if (found.length === 0) {
    if (expected !== undefined) throw unkeyedFailure(collection)
    return undefined
  }

  const textsOf = (name: string) => {
    const index = documents.findIndex((document) => document.name === name)
    return index < 0 ? undefined : found.map(({ texts }) => texts[index]!)
  }
  const further = documents.flatMap(({ name, part }) => (part < 0 || isCounted(name) ? [name] : []))
  const isText = (name: string) => textsOf(name) && !isCounted(name)
  return {
    table: withTexts,
    erase: {
      ...erase,
      key: [...key.map((name) => (isText(name) ? textOf(name) : name)), ...further.map(textOf)],
      keys: [
        ...key.map((name, part) => (isText(name) ? textsOf(name)! : found.map(({ at }) => keys[part]![at]!))),
        ...further.map((name) => textsOf(name)!),
      ],
      anyOf: erase.anyOf.map((group) => byTexts(group, textsOf)),
      set: erase.set === 'delete' ? 'delete' : erase.set.map(assignedNow),
    },
  }

  function assignedNow(assigned: (typeof set)[number]): (typeof set)[number] {
    if ('to' in assigned) return assigned
    const { column, was } = assigned
    const toEach = found.map(({ at }) => assigned.toEach[at]!)
    const texts = was && textsOf(column)
    if (!texts) return { column, toEach, ...(was && { was: found.map(({ at }) => was[at]!) }) }
    const now = texts.map(parsed)
    const to = now.map((current, row) => withMemberChanges(current, was[found[row]!.at]!, toEach[row]!))
    if (!changed) return { column, toEach: to, was: now }
    const written = texts.map((text, row) => {
      if (text === null || to[row] === null) return null
      const all = changed(text, memberChanges(now[row]!, to[row]!))
      if (all === undefined) throw refusedFailure(collection, { column })
      return all
    })
    return { column: textOf(column), toEach: written }
  }
}

/** Whether the new values have nothing but nulls in them, so that nothing of the old ones stays. */
function holdsNothing(assigned: Exclude<Erase['set'], 'delete'>[number]): boolean {
  const isNothing = (value: Value): boolean =>
    value === null || (typeof value === 'object' && Object.values(value).every(isNothing))
  return 'to' in assigned ? isNothing(assigned.to) : assigned.toEach.every(isNothing)
}

/** Returns the group with the texts of documents in the place of these. */
function byTexts(group: KeyGroup, textsOf: (name: string) => readonly (string | null)[] | undefined): KeyGroup {
  if (!group.exact) return group
  let values = group.values.map((part) => Array.from(part))
  const fields = group.fields.map((field, part) => {
    const texts = textsOf(field.path[0]!)
    if (!texts || field.path.length > 1) return field
    const known = new Map<string, Set<string | null>>()
    for (const text of texts) {
      const name = nameOf([parsed(text)])
      known.set(name, (known.get(name) ?? new Set()).add(text))
    }
    const spelled = values[part]!.map((value) => [...(known.get(nameOf([value])) ?? [])])
    values = values.map((column, at) =>
      column.flatMap((value, row) => spelled[row]!.map((text) => (at === part ? text : value))),
    )
    return { path: [textOf(field.path[0]!)] }
  })
  return { ...group, fields, values }
}

/** The name of the column that stands for the texts of another one. No column of a table has it. */
function textOf(column: string): string {
  return `${column}\0`
}

function parsed(text: string | null): Value {
  return text === null ? null : parseJson(text)
}

function nameOf(values: readonly unknown[]): string {
  return JSON.stringify(values, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
