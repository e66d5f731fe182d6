import { type BoundList, type DocumentWords, type Expression, jsonPath } from '@habeas/sql'
import { sql } from 'kysely'
import type { MysqlColumn } from './live-column.js'
import type { ServerKind } from './server-version.js'
import { asText } from './typed-values.js'

const json = (value: Expression) => sql`json_extract(${value}, '$')`

/** A place that no document has, so that nothing is written there. */
const nowhere = '$[4294967295]'

/** The words for documents. MySQL has a type for them; MariaDB keeps texts, and compares them by a function. */
export function documentWords(kind: ServerKind): DocumentWords<MysqlColumn, BoundList> {
  const place = (guard: Expression, path: readonly (string | number)[]) =>
    sql`if(${guard}, ${jsonPath(path)}, ${nowhere})`
  return {
    list: (values) => ({ values, typed: asText }),
    held: ({ name }) => sql.id(name),
    member: (document, path) => sql`json_extract(${document}, ${jsonPath(path)})`,
    same: (member, was) =>
      kind === 'mysql' ? sql<boolean>`${json(member)} = ${json(was)}` : sql<boolean>`json_equals(${member}, ${was})`,
    replaced: (document, guard, path, to) => sql`json_replace(${document}, ${place(guard, path)}, ${json(to)})`,
    removed: (document, guard, path) => sql`json_remove(${document}, ${place(guard, path)})`,
  }
}
