import type { Value } from '../../model/value.js'
import type { ColumnChange, RowDecision } from '../../rules/erase/row-eraser.js'
import { valueColumns } from '../../rules/erase/value-columns.js'
import type { IncomingReference } from '../../rules/plan/plan.js'
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

/** The change of one column in every row of a group. */
export interface GroupChange extends Pick<ColumnChange, 'column' | 'structured'> {
  /** The new value of every row that is not NULL. Absent if each row has its own new value. */
  readonly constant?: { readonly to: Value }
  /** The new value, by row. Empty if the new value is constant. */
  readonly becomes: Value[]
  /** The old value of a structured column, by row. */
  readonly was: Value[]
  /** Whether the value changes, by row. */
  readonly differs: boolean[]
}

/**
 * Rows that one statement writes, because the same columns change in the same way. Their values are in lists: one object
 * per row would live just long enough that the garbage collector treats it as permanent, and those of a million rows would
 * pile up.
 */
export interface RowGroup {
  readonly kind: WriteDecision['kind']
  /** The rows have no key. Their values name them. */
  readonly byValues: boolean
  readonly changes: readonly GroupChange[]
  /** The keys by part, then by row. */
  readonly keys: readonly Value[][]
  /** The place of each row among the found rows. */
  readonly places: number[]
  /** The number of equal rows for which a row stands, if there are several. Only rows without a key have copies. */
  readonly copies: ReadonlyMap<number, number>
  /** Why a row is masked instead of deleted. */
  readonly reasons: ReadonlyMap<number, string>
  /** The keys that found the rows of this batch, by entry. */
  readonly found: readonly KeySet[]
  /** The values of these rows that decide their owner. */
  readonly judged: JudgedValues
  /** Rows to which other people's rows may refer as well. */
  readonly mayBeShared: FoundRow[]
  /** Deleted rows, if foreign keys cascade their deletion. */
  readonly deleted: FoundRow[]
}

/** Groups rows by what is done to them. */
export function rowGroups(collection: CollectionToErase) {
  const cascades = cascadingReferences(collection).length > 0
  const groups = new Map<string, GrowingGroup>()
  const nameOf = shapes()
  const found = collection.entries.map((entry) => keySet(entry.fields))
  const judged = judgedValues(collection)
  const isReferenced = collection.erasure.pointedToBy.length > 0
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
      for (const [entry, key] of [[foundRow.entry, foundRow.key] as const, ...(foundRow.more ?? [])])
        found[entry]?.add(key)
      judged.add(foundRow.row)
      if (!foundRow.own && foundRow.reason === undefined && isReferenced) group.mayBeShared.push(foundRow)
      if (copies > 1) group.copies.set(group.places.length, copies)
      if (decision.kind === 'mask' && decision.reason !== undefined)
        group.reasons.set(group.places.length, decision.reason)
      group.places.push(foundRow.place)
      for (let part = 0; part < decision.key.length; part++) group.keys[part]?.push(decision.key[part] as Value)
      if (decision.kind === 'delete') {
        if (cascades) group.deleted.push(foundRow)
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

/** A group with only those rows that `isPicked` picks. */
export function someOf(group: RowGroup, isPicked: (at: number) => boolean): RowGroup {
  const picked = group.places.flatMap((_, at) => (isPicked(at) ? [at] : []))
  const of = <Each>(list: readonly Each[]): Each[] => (list.length === 0 ? [] : picked.map((at) => list[at] as Each))
  const places = of(group.places)
  const pickedPlaces = new Set(places)
  const byRow = <Each>(known: ReadonlyMap<number, Each>) =>
    new Map(picked.flatMap((at, now) => (known.has(at) ? [[now, known.get(at) as Each] as const] : [])))
  return {
    ...group,
    changes: group.changes.map((change) => ({
      ...change,
      becomes: of(change.becomes),
      was: of(change.was),
      differs: of(change.differs),
    })),
    keys: group.keys.map(of),
    places,
    deleted: of(group.deleted),
    mayBeShared: group.mayBeShared.filter(({ place }) => pickedPlaces.has(place)),
    copies: byRow(group.copies),
    reasons: byRow(group.reasons),
  }
}

/** The columns that name a row: those of its key, or those of its values for rows without a key. */
export function keyColumnsOf(
  collection: CollectionToErase,
  { byValues }: { readonly byValues: boolean },
): readonly string[] {
  return byValues ? valueColumns(collection) : collection.erasure.key.map(({ column }) => column)
}

/** The keys of rows after the write. The same lists as before if the keys do not change. */
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
 * Returns the same text for rows with the same write: the same columns change in the same way. With `nullsApart`, the same
 * columns must also become NULL.
 */
export function shapes({ nullsApart = false } = {}): (decision: WriteDecision) => string {
  let last: { readonly decision: WriteDecision; readonly shape: string } | undefined
  return (decision) => {
    // Most rows are like the one before. Comparing them is faster than making a text.
    if (!last || !isAlike(last.decision, decision, nullsApart))
      last = { decision, shape: shapeOf(decision, nullsApart) }
    return last.shape
  }
}

function shapeOf(decision: WriteDecision, nullsApart: boolean): string {
  const changes = decision.kind === 'delete' ? [] : decision.changes
  const parts = changes.map(({ column, constant, structured, becomes }) =>
    [column, constant ? valueText(constant.to) : structured, nullsApart && becomes === null].join('\0'),
  )
  return [decision.kind, decision.byValues, ...parts].join('\n')
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
    kind: decision.kind,
    byValues: decision.byValues,
    changes: changes.map(({ column, structured, constant }) => ({
      column,
      structured,
      ...(constant && { constant }),
      becomes: [],
      was: [],
      differs: [],
    })),
    keys: decision.key.map(() => []),
    places: [],
    deleted: [],
    mayBeShared: [],
    copies: new Map(),
    reasons: new Map(),
  }
}

/** The foreign keys that delete or change rows which refer to a deleted row. */
export function cascadingReferences({ erasure }: CollectionToErase): readonly IncomingReference[] {
  return erasure.pointedToBy.filter(({ onDelete = '' }) => ['cascade', 'set null', 'set default'].includes(onDelete))
}
