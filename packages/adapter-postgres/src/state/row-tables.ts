import { newestFirst, type RowKind, searchable } from '@habeas/core'
import { type RawBuilder, sql } from 'kysely'

/** How many characters of a field an index holds. An entry of an index has room for some 2,700 bytes. */
export const indexedCharacters = 256

/** The longest id in bytes. An index has room for little more. */
export const longestId = 2_000

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Returns the name of the table that holds the rows of a kind, without its schema. */
export function tableName(kind: string): string {
  return `record_${snakeCase(kind)}`
}

/** Returns a searchable field as text that sorts as its values do. */
export function fieldText(schema: string, field: string): RawBuilder<string> {
  if (field === 'id') return sql`id`
  return sql`(${sql.id(schema, 'sort_text')}(document -> ${sql.lit(field)}) collate "C")`
}

/** Returns the beginning of that text, which an index holds. */
export function fieldStart(schema: string, field: string): RawBuilder<string> {
  if (field === 'id') return sql`id`
  return sql`left(${fieldText(schema, field)}, ${sql.lit(indexedCharacters)})`
}

interface Relation {
  readonly name: string
  readonly create: RawBuilder<unknown>
}

/** An index in the order in which lists show the newest first. One that ascends has its nulls at the wrong end for that. */
function newestIndex(schema: string, name: string, field: string): Relation {
  const index = `${name}_newest`
  const [start, text] = [fieldStart(schema, field), fieldText(schema, field)]
  const order = sql`${start} desc nulls last, ${text} desc nulls last, id desc nulls last`
  return { name: index, create: sql`create index ${sql.id(index)} on ${sql.id(schema, name)} (${order})` }
}

/**
 * Returns every table and index that the row kinds of this version of core need, a table before its indexes. A new kind of
 * row, or a new field to search by, takes a line in core and nothing here.
 */
export function rowRelations(schema: string): readonly Relation[] {
  return (Object.keys(searchable) as RowKind[]).flatMap((kind) => {
    const name = tableName(kind)
    const table = sql.id(schema, name)
    const partition = sql`create table ${table} partition of ${sql.id(schema, 'record')} for values in (${sql.lit(kind)})`
    const indexes = searchable[kind]
      .filter((field) => field !== 'id')
      .map((field) => {
        const index = `${name}_${snakeCase(field)}`
        return { name: index, create: sql`create index ${sql.id(index)} on ${table} (${fieldStart(schema, field)})` }
      })
    const newest = Object.hasOwn(newestFirst, kind) ? newestFirst[kind as keyof typeof newestFirst] : undefined
    return [
      { name, create: partition },
      ...indexes,
      ...(newest === undefined ? [] : [newestIndex(schema, name, newest)]),
    ]
  })
}
