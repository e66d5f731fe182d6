import type { Value } from '../../model/value.js'
import type { ColumnChange, RowDecision } from '../../rules/erase/row-eraser.js'
import type { IncomingReference } from '../../rules/plan/plan.js'
import { ownColumns } from '../../rules/plan/spelled-column.js'
import { valueText } from '../../rules/value/cast-value.js'
import type { FoundRow } from '../find/found-rows.js'
import { type KeySet, keySet } from '../find/key-set.js'
import type { CollectionToErase } from './erasure-context.js'
import { type JudgedValues, judgedValues } from './judged-values.js'

export type WriteDecision = Extract<RowDecision, { kind: 'mask' | 'delete' }>

/** A row that is to be written. */
export interface RowToWrite {
  readonly foundRow: FoundRow
  readonly decision: WriteDecision
}

/** What one column becomes in every row of a group. */
export interface GroupChange extends Pick<ColumnChange, 'column' | 'structured'> {
  /** What it becomes unless it is NULL; absent where each row has a value of its own. */
  readonly constant?: { readonly to: Value }
  /** By row; of what is constant nothing is told. */
  readonly becomes: Value[]
  /** By row, of what is structured. */
  readonly was: Value[]
  /** By row: it was something else. */
  readonly differs: boolean[]
}

/**
 * Rows that are written by one statement, since the same columns change in the same way. They stand in lists: an object
 * for each would live just long enough for the garbage collector to take it for one that stays, and those of a million
 * rows pile up.
 */
export interface RowGroup {
  readonly kind: WriteDecision['kind']
  /** No key names them: all that was read of them does. */
  readonly byValues: boolean
  readonly changes: readonly GroupChange[]
  /** By part of the key, and then by row. */
  readonly keys: readonly Value[][]
  /** By row, its place among the kept rows. */
  readonly places: number[]
  /** How many a row stands for, where that is more than one: only where rows are told apart by their values. */
  readonly copies: ReadonlyMap<number, number>
  /** Why a row is masked instead of deleted. */
  readonly reasons: ReadonlyMap<number, string>
  /** By slot, the keys by which these rows, and others of their batch, were found. */
  readonly found: readonly KeySet[]
  /** What they held that says whose they are. */
  readonly judged: JudgedValues
  /** Rows that others may point to as well. */
  readonly pointedTo: FoundRow[]
  /** What was read of rows that go, where others may go with them. */
  readonly going: FoundRow[]
}

/** Puts rows together by what is done to them. */
export function rowGroups(collection: CollectionToErase) {
  const carries = cascadingReferences(collection).length > 0
  const groups = new Map<string, GrowingGroup>()
  const nameOf = shapes()
  const found = collection.entries.map((entry) => keySet(entry.fields))
  const judged = judgedValues(collection)
  const maySharePoint = collection.erasure.pointedToBy.length > 0
  let length = 0
  return {
    get length() {
      return length
    },
    list: (): RowGroup[] => [...groups.values()],
    add(foundRow: FoundRow, decision: WriteDecision, copies = 1): void {
      const shape = nameOf(decision)
      let group = groups.get(shape)
      if (!group) {
        group = { ...emptyGroup(decision), found, judged: judged.found }
        groups.set(shape, group)
      }
      length++
      found[foundRow.entry]?.add(foundRow.key)
      judged.add(foundRow.row)
      if (!foundRow.own && foundRow.reason === undefined && maySharePoint) group.pointedTo.push(foundRow)
      if (copies > 1) group.copies.set(group.places.length, copies)
      if (decision.kind === 'mask' && decision.reason !== undefined)
        group.reasons.set(group.places.length, decision.reason)
      group.places.push(foundRow.place)
      for (let part = 0; part < decision.key.length; part++) group.keys[part]?.push(decision.key[part] as Value)
      if (decision.kind === 'delete') {
        if (carries) group.going.push(foundRow)
        return
      }
      for (let at = 0; at < decision.changes.length; at++) {
        const { becomes, was, differs, structured } = decision.changes[at] as ColumnChange
        const change = group.changes[at] as GroupChange
        if (!change.constant) change.becomes.push(becomes)
        if (structured) change.was.push(was ?? null)
        change.differs.push(differs)
      }
    },
  }
}

/** The rows of a group that are meant, alone. */
export function someOf(group: RowGroup, isMeant: (at: number) => boolean): RowGroup {
  const picked = group.places.flatMap((_, at) => (isMeant(at) ? [at] : []))
  const of = <Each>(list: readonly Each[]): Each[] => (list.length === 0 ? [] : picked.map((at) => list[at] as Each))
  const places = of(group.places)
  const isPicked = new Set(places)
  const byRow = <Each>(known: ReadonlyMap<number, Each>) =>
    new Map(picked.flatMap((at, now) => (known.has(at) ? [[now, known.get(at) as Each] as const] : [])))
  return {
    ...group,
    changes: group.changes.map((change) => ({
      ...change,
      ...{ becomes: of(change.becomes), was: of(change.was), differs: of(change.differs) },
    })),
    keys: group.keys.map(of),
    ...{ places, going: of(group.going), pointedTo: group.pointedTo.filter(({ place }) => isPicked.has(place)) },
    ...{ copies: byRow(group.copies), reasons: byRow(group.reasons) },
  }
}

/** The columns that tell rows apart: of rows that no key names, all that were read. */
export function keyColumnsOf(
  { erasure, columns }: CollectionToErase,
  { byValues }: { readonly byValues: boolean },
): readonly string[] {
  return byValues ? ownColumns(columns) : erasure.key.map(({ column }) => column)
}

/** The keys that rows have once they are written, the very same lists where these stay. */
export function newKeys(collection: CollectionToErase, group: RowGroup): readonly (readonly Value[])[] {
  const columns = keyColumnsOf(collection, group)
  if (!group.changes.some(({ column }) => columns.includes(column))) return group.keys
  return columns.map((column, part) => {
    const change = group.changes.find((each) => each.column === column)
    const { constant } = change ?? {}
    const old = group.keys[part] as Value[]
    return change ? (constant ? old.map((was) => (was === null ? null : constant.to)) : change.becomes) : old
  })
}

/**
 * Gives the same text for rows to which the same is done: the same columns change in the same way. `nullsApart`: and the
 * same columns are NULL then.
 */
export function shapes({ nullsApart = false } = {}): (decision: WriteDecision) => string {
  let last: { readonly decision: WriteDecision; readonly shape: string } | undefined
  return (decision) => {
    // Most rows are like the one before, which is found out faster than a text is made.
    if (!last || !isAlike(last.decision, decision, nullsApart))
      last = { decision, shape: shapeOf(decision, nullsApart) }
    return last.shape
  }
}

function shapeOf(decision: WriteDecision, nullsApart: boolean): string {
  const changes = decision.kind === 'delete' ? [] : decision.changes
  const told = changes.map(({ column, constant, structured, becomes }) =>
    [column, constant ? valueText(constant.to) : structured, nullsApart && becomes === null].join('\0'),
  )
  return [decision.kind, decision.byValues, ...told].join('\n')
}

function isAlike(one: WriteDecision, other: WriteDecision, nullsApart: boolean): boolean {
  if (one.byValues !== other.byValues) return false
  if (one.kind === 'delete' || other.kind === 'delete') return one.kind === other.kind
  if (one.changes.length !== other.changes.length) return false
  return one.changes.every(({ column, constant, structured, becomes }, at) => {
    const change = other.changes[at] as ColumnChange
    if (nullsApart && (becomes === null) !== (change.becomes === null)) return false
    return column === change.column && constant === change.constant && structured === change.structured
  })
}

interface GrowingGroup extends RowGroup {
  readonly copies: Map<number, number>
  readonly reasons: Map<number, string>
}

function emptyGroup(decision: WriteDecision): Omit<GrowingGroup, 'found' | 'judged'> {
  const changes = decision.kind === 'delete' ? [] : decision.changes
  return {
    ...{ kind: decision.kind, byValues: decision.byValues },
    changes: changes.map(({ column, structured, constant }) => ({
      ...{ column, structured },
      ...(constant && { constant }),
      ...{ becomes: [], was: [], differs: [] },
    })),
    keys: decision.key.map(() => []),
    ...{ places: [], going: [], pointedTo: [], copies: new Map(), reasons: new Map() },
  }
}

/** The foreign keys that take rows along that point to deleted ones, or change them. */
export function cascadingReferences({ erasure }: CollectionToErase): readonly IncomingReference[] {
  return erasure.pointedToBy.filter(({ onDelete = '' }) => ['cascade', 'set null', 'set default'].includes(onDelete))
}
