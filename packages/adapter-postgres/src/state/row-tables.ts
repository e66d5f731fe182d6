import { type RowKind, searchable } from '@habeas/core'
import { type RawBuilder, sql } from 'kysely'

/** Characters of a field that an index holds: an entry of PostgreSQL's has room for some 2,700 bytes. */
export const indexedCharacters = 256

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The table that holds the rows of a kind, without its schema. */
export function tableName(kind: string): string {
  return `record_${snakeCase(kind)}`
}

/** A searchable field as text in the order of its values. */
export function fieldText(schema: string, field: string): RawBuilder<string> {
  if (field === 'id') return sql`id`
  return sql`(${sql.id(schema, 'sort_text')}(document -> ${sql.lit(field)}) collate "C")`
}

/** The beginning of that text, which is what an index answers. */
export function fieldStart(schema: string, field: string): RawBuilder<string> {
  if (field === 'id') return sql`id`
  return sql`left(${fieldText(schema, field)}, ${sql.lit(indexedCharacters)})`
}

interface Relation {
  readonly name: string
  readonly create: RawBuilder<unknown>
}

/**
 * Every table and index that the row kinds of this version of core ask for, a table before its indexes: a new kind of
 * row, or a new field to search by, is a line in core and nothing here.
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
    return [{ name, create: partition }, ...indexes]
  })
}
