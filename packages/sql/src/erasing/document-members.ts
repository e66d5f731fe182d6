import type { Value } from '@habeas/core'
import { sql } from 'kysely'
import type { Condition, SqlColumn, SqlTable } from '../dialect.js'
import { refusedFailure } from '../erase-failures.js'
import type { SqlMember, SqlMemberWrite } from '../erasing-dialect.js'
import { writeJson } from '../json-text.js'
import type { Expression, ListedAssignment, RowSource } from './sql-shapes.js'

type Path = SqlMemberWrite['path']

/** What is written where a member, or the list around it, still is what it was. No path of it leads into another one. */
export interface GuardedWrites {
  /** The place that the guard looks at. */
  readonly path: readonly string[]
  readonly guard: Condition
  readonly writes: readonly { readonly path: Path; readonly to: Expression | 'remove' }[]
}

/** The words of a server for documents. */
export interface DocumentWords<Column extends SqlColumn, List> {
  /** Returns a list of documents, one for each row. */
  list(texts: readonly (string | null)[]): List
  /** Returns a document of a list as it is written, where that is another form. */
  parsed?(listed: Expression): Expression
  /** Returns a list of values that were read, in the form in which `same` compares. Default: `list`. */
  known?(texts: readonly (string | null)[]): List
  /** Returns the document of a column, as the server compares documents. */
  held(column: Column): Expression
  /** Returns the document to write members into, where `held` is not all of it. It may fail. Default: `held`. */
  whole?(column: Column): Expression
  /** Returns a value that was read as `held` gives it, where that is another form. */
  repaired?(column: Column, value: Value): Value
  /** Returns one more condition under which a document is written, though a member in it is not what it was. */
  always?(column: Column): Condition | undefined
  /** Returns what a document holds at a path, or null where it holds nothing there. */
  member(document: Expression, path: readonly string[]): Expression
  /** Returns the condition that a member is the given one. Null, and a list in another order, are different. */
  same(member: Expression, was: Expression): Condition
  /**
   * Returns the document with all changes, each where its guard holds and something is at the path. `name` gives names that
   * are free. It MUST NOT repeat the document around each change: the statement would double with each of them.
   */
  changed(document: Expression, changes: readonly GuardedWrites[], name: RowSource<List>['name']): Expression
  /** Returns a document as the column takes it, where that is another form. */
  written?(column: Column, document: Expression): Expression
}

/** Returns the column with each member written, where the member, or the list around it, is still what it was. */
export function documentMembers<Column extends SqlColumn, List>(
  column: Column,
  members: readonly SqlMember[],
  table: SqlTable<Column>,
  words: DocumentWords<Column, List>,
): ListedAssignment<List> {
  const text = (path: Path, value: Value): string | null => {
    if (value === null && path.length === 0) return null
    const written = writeJson(value)
    if (written === undefined) throw refusedFailure(table.path.at(-1)!, { column: column.name })
    return written
  }
  const listed = members.map(({ path, was, writes }) => ({
    path,
    was: formsOf(words.repaired ? was.map((value) => words.repaired!(column, value)) : was).map(
      words.known ?? words.list,
    ),
    writes: writes.map(({ path, to }) => ({
      path,
      to: to === 'remove' ? to : words.list(to.map((value) => text(path, value))),
    })),
  }))
  return {
    lists: listed.flatMap(({ was, writes }) => [...was, ...writes.flatMap(({ to }) => (to === 'remove' ? [] : [to]))]),
    to(source) {
      const parsed = (list: List) => words.parsed?.(source.of(list)) ?? source.of(list)
      const held = words.held(column)
      const guards = listed.map(({ path, was }) => {
        const member = path.length === 0 ? held : words.member(held, path)
        const same = was.map((form) => words.same(member, source.of(form)))
        const always = words.always?.(column)
        if (always) same.push(always)
        return same.length === 1 ? same[0]! : sql<boolean>`(${sql.join(same, sql` or `)})`
      })
      const changes = listed.map(({ path, writes }, index) => ({
        path,
        guard: guards[index]!,
        writes: writes.map(({ path, to }) => ({ path, to: to === 'remove' ? ('remove' as const) : parsed(to) })),
      }))
      const written = writtenWhole(changes) ?? words.changed(words.whole?.(column) ?? held, changes, source.name)
      return sql`case when ${sql.join(guards, sql` or `)} then ${words.written?.(column, written) ?? written} else ${sql.id(column.name)} end`
    },
  }
}

/** Returns the new document where it is written as one. */
function writtenWhole(changes: readonly GuardedWrites[]): Expression | undefined {
  const whole = changes.flatMap(({ writes }) => writes).find(({ path }) => path.length === 0)
  return whole && (whole.to === 'remove' ? sql`null` : whole.to)
}

/** The functions of a server that writes one change at a time, and name the document once. */
interface SingleWrites {
  /** Returns the document with `to` at the path, where the guard holds and something is at the path. */
  replaced(document: Expression, guard: Condition, path: Path, to: Expression): Expression
  /** Returns the document without what lies at the path, where the guard holds. */
  removed(document: Expression, guard: Condition, path: Path): Expression
}

/** Returns how such a server makes all changes: each around the one before. */
export function oneAroundAnother({ replaced, removed }: SingleWrites): DocumentWords<SqlColumn, unknown>['changed'] {
  return (document, changes) =>
    changes
      .flatMap(({ guard, writes }) => writes.map((write) => ({ guard, ...write })))
      .reduce(
        (document, { guard, path, to }) =>
          to === 'remove' ? removed(document, guard, path) : replaced(document, guard, path, to),
        document,
      )
}

/** Returns the forms that the values may have, since a number may have been read as text. */
function formsOf(was: readonly Value[]): (string | null)[][] {
  const plain = was.map((value) => writeJson(value) ?? null)
  const numbers = was.map((value) => writeJson(value, true) ?? null)
  return plain.every((text, row) => text === numbers[row]) ? [plain] : [plain, numbers]
}
