import { randomUUID } from 'node:crypto'
import { type BoundList, type DocumentWords, type Expression, jsonPath, oneAroundAnother } from '@habeas/sql'
import { sql } from 'kysely'
import type { MssqlColumn } from './live-column.js'
import { asText, exact } from './typed-values.js'

/** A member that no document has, so that nothing is removed there. */
const nowhere = '$."habeas: nowhere"'

/** Returns the type of a value in JSON and its text, which is the same however a text in it is escaped. */
const decoded = (value: Expression) =>
  sql`(select concat([type], ${sql.lit(':')}, [value]) from openjson(concat(${sql.lit('[')}, ${value}, ${sql.lit(']')})))`

/**
 * The words for documents, which the server keeps as texts. JSON_MODIFY writes a text, and takes nothing else whose type is only
 * known in a row. So it writes a mark, and the new value takes the place of the mark.
 */
export const documentWords: DocumentWords<MssqlColumn, BoundList> = {
  list: (values) => ({ values, typed: asText }),
  held: ({ name }) => asText(sql.id(name)),
  member(document, path) {
    const [around, name] = [jsonPath(path.slice(0, -1)), path.at(-1)]
    const value = sql`case [type] when 0 then ${sql.lit('null')} when 1 then concat(${sql.lit('"')}, string_escape([value], ${sql.lit('json')}), ${sql.lit('"')}) else [value] end`
    return sql`(select top (1) ${value} from openjson(${document}, ${around}) where [key] = ${name})`
  },
  same: (member, was) => sql<boolean>`${exact(decoded(member))} = ${exact(decoded(was))}`,
  changed: oneAroundAnother({
    replaced(document, guard, path, to) {
      const mark = `habeas-${randomUUID()}`
      const written = sql`json_modify(${document}, ${placeOf(guard, path)}, case when ${guard} then ${mark} end)`
      return sql`replace(${written}, ${`"${mark}"`}, ${to})`
    },
    removed: (document, guard, path) => sql`json_modify(${document}, ${placeOf(guard, path)}, null)`,
  }),
}

function placeOf(guard: Expression, path: readonly (string | number)[]): Expression {
  return sql`case when ${guard} then ${jsonPath(path)} else ${sql.lit(nowhere)} end`
}
