import type { Value } from '@habeas/core'
import {
  type BoundList,
  type DocumentTexts,
  type Expression,
  jsonPath,
  type ListedAssignment,
  refusedFailure,
  type SqlMember,
  type SqlTable,
  writeJson,
} from '@habeas/sql'
import { sql } from 'kysely'
import { changedText } from './changed-text.js'
import type { MysqlColumn } from './live-column.js'
import type { ServerKind } from './server-version.js'
import { asText } from './typed-values.js'

/**
 * Documents are compared by their texts. MariaDB keeps what was written, and takes `"\u00e9"` and `"é"` for different. MySQL has
 * dates, bytes and decimals in documents, which equal none that is made of a text.
 */
export function documentTexts(kind: ServerKind): DocumentTexts<MysqlColumn> {
  return {
    column: (column) =>
      column.family === 'document' ? { ...column, family: 'documentText', indexed: false } : undefined,
    // the functions of MariaDB find no member whose name is escaped, and only the first one of a name
    ...(kind === 'mariadb' && { changed: changedText }),
  }
}

/** Returns the column with each member written. The row is named by its document, so that this is what was read. */
export function documentMembers(
  column: MysqlColumn,
  members: readonly SqlMember[],
  table: SqlTable<MysqlColumn>,
): ListedAssignment<BoundList> {
  const listOf = (values: readonly Value[], isWhole: boolean): BoundList => ({
    values: values.map((value) => {
      if (value === null && isWhole) return null
      const written = writeJson(value)
      if (written === undefined) throw refusedFailure(table.path.at(-1)!, { column: column.name })
      return written
    }),
    typed: asText,
  })
  const writes = members.flatMap(({ writes }) =>
    writes.map(({ path, to }) => ({ path, to: to === 'remove' ? undefined : listOf(to, path.length === 0) })),
  )
  return {
    lists: writes.flatMap(({ to }) => to ?? []),
    to: (source) =>
      writes.reduce<Expression>((document, { path, to }) => {
        if (path.length === 0) return to ? source.of(to) : sql`null`
        const place = sql`${jsonPath(path)}`
        if (!to) return sql`json_remove(${document}, ${place})`
        return sql`json_replace(${document}, ${place}, json_extract(${source.of(to)}, '$'))`
      }, sql.id(column.name)),
  }
}
