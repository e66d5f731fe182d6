import { type Erase, type MemberChange, memberChanges, type Value } from '@habeas/core'
import type { SqlColumn, SqlTable } from './dialect.js'
import { refusedFailure } from './erase-failures.js'
import type { SqlAssignment, SqlErasingDialect, SqlMember } from './erasing-dialect.js'
import { mayHideNumbers } from './json-text.js'

/** Rows in which the same columns and members change, so that one statement writes them. */
export interface EraseShape<Column extends SqlColumn, Bound> {
  /** Positions of the rows among the keys. */
  readonly rows: readonly number[]
  readonly set: readonly SqlAssignment<Column, Bound>[]
}

type Assigned = Exclude<Erase['set'], 'delete'>[number]
type MemberAssigned = Assigned & { readonly was: readonly Value[] }

/** Groups rows by the columns and members that are written. Rows in which nothing changes are left out. */
export function eraseShapes<Column extends SqlColumn, Bound>(
  erase: Erase,
  set: readonly Assigned[],
  rows: readonly number[],
  table: SqlTable<Column>,
  dialect: SqlErasingDialect<Column, Bound>,
): EraseShape<Column, Bound>[] {
  const plain = set.filter((assigned) => !holdsMembers(assigned))
  const nested = set.filter(holdsMembers)
  const assignPlain = (among: readonly number[]) =>
    plain.map((assigned) => bound(erase.collection, assigned, among, table.columns.get(assigned.column)!, dialect))
  if (nested.length === 0) return rows.length === 0 ? [] : [{ rows, set: assignPlain(rows) }]

  const shapes = new Map<string, { rows: number[]; changes: MemberChange[][][] }>()
  for (const row of rows) {
    const changes = nested.map((assigned) =>
      changesOf(erase.collection, assigned, row, table.columns.get(assigned.column)!, dialect),
    )
    if (plain.length === 0 && changes.every(({ length }) => length === 0)) continue
    const signature = JSON.stringify(changes.map((column) => column.map(placeOf)))
    const shape = shapes.get(signature)
    if (shape) {
      shape.rows.push(row)
      shape.changes.push(changes)
    } else shapes.set(signature, { rows: [row], changes: [changes] })
  }
  return [...shapes.values()].map(({ rows, changes }) => ({
    rows,
    set: [
      ...assignPlain(rows),
      ...nested.flatMap(({ column }, index) => {
        const members = membersOf(changes.map((row) => row[index]!))
        return members.length === 0 ? [] : [{ column: table.columns.get(column)!, members }]
      }),
    ],
  }))
}

function holdsMembers(assigned: Assigned): assigned is MemberAssigned {
  return 'toEach' in assigned && assigned.was !== undefined
}

function bound<Column extends SqlColumn, Bound>(
  collection: string,
  assigned: Assigned,
  rows: readonly number[],
  column: Column,
  { erasing }: SqlErasingDialect<Column, Bound>,
): SqlAssignment<Column, Bound> {
  const bind = erasing.valueBinder(column)
  const written = (value: Value): Bound | null => {
    if (value === null) return null
    const bound = bind(value)
    if (bound === undefined) throw refusedFailure(collection, { column: column.name })
    return bound
  }
  if ('to' in assigned) return { column, to: written(assigned.to) }
  return { column, toEach: rows.map((row) => written(assigned.toEach[row]!)) }
}

/** Returns what changes in a row. A list is written whole where its other elements stay as they are, else by element. */
function changesOf<Column extends SqlColumn, Bound>(
  collection: string,
  assigned: MemberAssigned,
  row: number,
  column: Column,
  { erasing }: SqlErasingDialect<Column, Bound>,
): MemberChange[] {
  const to = (assigned as Extract<Assigned, { toEach: unknown }>).toEach[row]!
  const was = assigned.was[row]!
  const changes = memberChanges(was, to)
  if (changes.length > 0 && erasing.onlyWhole?.(column, was)) {
    // a number that was read as text would become a text
    if (mayHideNumbers(to)) throw refusedFailure(collection, { column: column.name })
    return [{ path: [], was, to, writes: [{ path: [], to }] }]
  }
  return changes.map((change) =>
    erasing.rewritable(column, change.was) ? { ...change, writes: [{ path: [], to: change.to }] } : change,
  )
}

function placeOf({ path, writes }: MemberChange): unknown {
  return [path, writes.map((write) => [write.path, write.to === undefined])]
}

/** Collects the changes of rows of one shape. These have the same places in the same order. */
function membersOf(rows: readonly (readonly MemberChange[])[]): SqlMember[] {
  return rows[0]!.map(({ path, writes }, index) => ({
    path,
    was: rows.map((row) => row[index]!.was),
    writes: writes.map((write, at) => ({
      path: [...path, ...write.path],
      to: write.to === undefined ? 'remove' : rows.map((row) => row[index]!.writes[at]!.to!),
    })),
  }))
}
