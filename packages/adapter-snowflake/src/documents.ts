import {
  type BoundList,
  type DocumentWords,
  documentMembers,
  type Expression,
  type ListedAssignment,
  type SqlMember,
  type SqlMemberWrite,
  type SqlTable,
} from '@habeas/sql'
import { sql } from 'kysely'
import { documentForm } from './document-form.js'
import type { SnowflakeColumn } from './live-column.js'

type Path = SqlMemberWrite['path']

function variant(value: Expression): Expression {
  return sql`cast(${value} as variant)`
}

/** What stands at one place of a document; null where it is not such a document. */
function at(document: Expression, part: string | number): Expression {
  return typeof part === 'number'
    ? sql`get(as_array(${document}), ${sql.lit(part)})`
    : sql`get(as_object(${document}), ${part})`
}

/** The server has no function that writes at a path, so each level is written anew around the one inside it. */
function written(document: Expression, [part, ...rest]: Path, to: Expression): Expression {
  if (part === undefined) return to
  const inner = written(at(document, part), rest, to)
  if (typeof part === 'string') return variant(sql`object_insert(as_object(${document}), ${part}, ${inner}, true)`)
  const list = sql`as_array(${document})`
  const before = sql`array_append(array_slice(${list}, 0, ${sql.lit(part)}), ${inner})`
  return variant(sql`array_cat(${before}, array_slice(${list}, ${sql.lit(part + 1)}, array_size(${list})))`)
}

function removed(document: Expression, path: Path): Expression {
  const [last] = path.slice(-1)
  const parents = path.slice(0, -1)
  const parent = parents.reduce<Expression>(at, document)
  return written(document, parents, variant(sql`object_delete(as_object(${parent}), ${String(last)})`))
}

const words: DocumentWords<SnowflakeColumn, BoundList> = {
  list: (texts) => ({ values: texts, typed: (text) => sql`parse_json(${text})` }),
  held: ({ name }) => variant(sql.id(name)),
  member: (document, path) => path.reduce<Expression>(at, document),
  // documents are compared by a text: to compare them as documents is not defined for lists
  same: (member, was) => sql<boolean>`equal_null(${documentForm(member)}, ${documentForm(was)})`,
  replaced: (document, guard, path, to) => sql`iff(${guard}, ${written(document, path, to)}, ${document})`,
  removed: (document, guard, path) => sql`iff(${guard}, ${removed(document, path)}, ${document})`,
  written: ({ cast }, document) => (cast === 'variant' ? document : sql`cast(${document} as ${sql.raw(cast)})`),
}

/** Members of documents, each written while it is what it was. */
export function documentMembersOf(
  column: SnowflakeColumn,
  members: readonly SqlMember[],
  table: SqlTable<SnowflakeColumn>,
): ListedAssignment<BoundList> {
  return documentMembers(column, members, table, words)
}
