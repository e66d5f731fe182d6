import type { Value } from '@habeas/core'
import { refusedFailure, type SqlMember, type SqlMemberWrite, type SqlTable } from '@habeas/sql'
import { sql } from 'kysely'
import { type Expression, parameter } from './comparison.js'
import { writeJson } from './json-text.js'
import { type KeyArray, textArray } from './key-array.js'
import type { LiveColumn } from './live-column.js'
import type { RowSource } from './row-source.js'
import { valueBinderOf } from './value-binding.js'
import { exactKey, exactKeys, exactSide, newValue, newValues } from './whole-value.js'

/** A member with the lists that travel for it. */
export interface ListedMember {
  readonly path: readonly string[]
  /** Forms of what must still be there: a number may have been read as text. */
  readonly was: readonly KeyArray[]
  readonly writes: readonly { readonly path: SqlMemberWrite['path']; readonly to: KeyArray | 'remove' }[]
}

export function listedMembers(
  column: LiveColumn,
  members: readonly SqlMember[],
  table: SqlTable<LiveColumn>,
): ListedMember[] {
  const written = (path: SqlMemberWrite['path'], value: Value): string | null => {
    if (value === null && path.length === 0) return null
    const text = isDocument(column) ? writeJson(value) : valueBinderOf(column)(value)
    if (text === undefined) throw refusedFailure(table.path.at(-1)!, { column: column.name })
    return text
  }
  return members.map(({ path, was, writes }) => ({
    path,
    was: formsOf(column, was),
    writes: writes.map(({ path, to }) => ({
      path,
      to:
        to === 'remove'
          ? to
          : newValues(
              isDocument(column) ? document : column,
              to.map((value) => written(path, value)),
            ),
    })),
  }))
}

/** The column with its members written where each, or the list around it, still is what it was. */
export function membersWritten(column: LiveColumn, members: readonly ListedMember[], source: RowSource): Expression {
  const current = sql.id(column.name)
  if (!isDocument(column)) {
    const [{ was, writes }] = members as [ListedMember]
    const unchanged = sql`${exactSide(column)}::text = ${exactKey(column, source.of(was[0]!))}::text`
    return sql`case when ${unchanged} then ${newValue(column, source.of(writes[0]!.to as KeyArray))} else ${current} end`
  }
  const held = sql`${current}::jsonb`
  const guards = members.map(({ path, was }) => {
    const member = path.length === 0 ? held : sql`(${held} #> ${pathOf(path)})`
    return sql`${member} in (${sql.join(was.map((form) => source.of(form)))})`
  })
  const written = members.reduce<Expression>(
    (document, member, index) =>
      member.writes.reduce<Expression>(
        (document, { path, to }) => memberWritten(document, guards[index]!, path, to === 'remove' ? to : source.of(to)),
        document,
      ),
    held,
  )
  const type = sql.raw(column.cast)
  return sql`case when ${sql.join(guards, sql` or `)} then ${written}::${type} else ${current} end`
}

/** Where the guard does not hold the path is empty, which writes nothing and, unlike any other, fits every document. */
function memberWritten(
  document: Expression,
  guard: Expression,
  path: SqlMemberWrite['path'],
  to: Expression | 'remove',
): Expression {
  if (path.length === 0) return to === 'remove' ? sql`null` : to
  const place = sql`case when ${guard} then ${pathOf(path)} else '{}' end`
  return to === 'remove' ? sql`(${document} #- ${place})` : sql`jsonb_set(${document}, ${place}, ${to}, false)`
}

function pathOf(path: SqlMemberWrite['path']): Expression {
  return parameter(textArray('text', path.map(String)))
}

function isDocument({ family, array }: LiveColumn): boolean {
  return family === 'json' && !array
}

function formsOf(column: LiveColumn, was: readonly Value[]): KeyArray[] {
  if (!isDocument(column))
    return [
      exactKeys(
        column,
        was.map((value) => valueBinderOf(column)(value) ?? null),
      ),
    ]
  const plain = was.map((value) => writeJson(value) ?? null)
  const numbers = was.map((value) => writeJson(value, true) ?? null)
  const forms = plain.every((text, row) => text === numbers[row]) ? [plain] : [plain, numbers]
  return forms.map((form) => textArray('jsonb', form))
}

/** What lies inside a document is written as one. */
const document: LiveColumn = { name: '', family: 'json', cast: 'jsonb', loose: false, indexed: false, inverted: false }
