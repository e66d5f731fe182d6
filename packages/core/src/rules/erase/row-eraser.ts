import type { Retain } from '../../model/service-meta.js'
import { isStructured, type Value } from '../../model/value.js'
import { isWithin } from '../plan/part-doubts.js'
import type { FieldRetention, PlannedCollection, PlannedErasure, PlannedMask } from '../plan/plan.js'
import {
  elementsShared,
  elementsStay,
  leadsThroughList,
  listDepth,
  masksInPart,
  onlyInsideLists,
  type WhyInPart,
  whyInPart,
} from '../plan/shared-in-part.js'
import { isSameValue, valueText } from '../value/cast-value.js'
import type { ElementPath } from './filter-elements.js'
import { maskWithin, type NotText } from './mask-within.js'
import type { Masker } from './masker.js'
import { heldAt, holdsSomething, memberAt } from './member-at.js'
import { retainedBy } from './retained-by.js'
import { valueColumns } from './value-columns.js'

/** Values in the order of the plan's columns. */
type Row = readonly (Value | undefined)[]

/** The new value of one column of a row. */
export interface ColumnChange {
  readonly column: string
  /** Only for structured values, of which other parts stay. */
  readonly was?: Value
  readonly becomes: Value
  /** Whether the value changes. */
  readonly differs: boolean
  /** The new value in every row where it is not NULL. */
  readonly constant?: { readonly to: Value } | undefined
  /** True where it holds an object or a list, of which parts are written. */
  readonly structured: boolean
}

/** What an erasure does with one row. With `byValues` no key names it, and `key` holds the values that do. */
export type RowDecision =
  | {
      readonly kind: 'mask'
      readonly key: readonly Value[]
      readonly byValues: boolean
      readonly changes: readonly ColumnChange[]
      readonly reason?: string
    }
  | { readonly kind: 'delete'; readonly key: readonly Value[]; readonly byValues: boolean }
  | { readonly kind: 'unchanged'; readonly reason?: string }
  | { readonly kind: 'retained'; readonly reason: string }

export interface RowToDecide {
  readonly row: Row
  readonly leftOut: readonly ElementPath[]
  /** What is left out where the row stays because of others. Absent where all of it stays. */
  readonly beside?: readonly ElementPath[]
  /** Some elements are left out because others may share them. */
  readonly sharesElements?: true
}

/**
 * Decides what becomes of a row, from the row and the secret of the request alone, so that a retry decides the same
 * (see docs/semantics.md, 'What is erased').
 */
export function rowEraser(
  collection: Pick<PlannedCollection, 'address' | 'columns'> &
    Partial<Pick<PlannedCollection, 'entries' | 'judging' | 'mixed' | 'ownedLists' | 'unownedLists'>> & {
      readonly erasure: PlannedErasure
    },
  options: {
    readonly masker: (mask: PlannedMask) => Masker
    /** ISO 8601. Data whose retention ends on a later day is retained. */
    readonly now: string
    readonly notText?: (found: NotText) => void
  },
) {
  const { address, columns, erasure, entries = [], mixed = [], ownedLists = [], unownedLists } = collection
  const filtered = { entries, ...(unownedLists && { unownedLists }) }
  const at = new Map(columns.map((column, index) => [column, index]))
  const valuesAt = valueColumns({ columns, erasure }).map((column) => at.get(column) as number)
  const columnOf = (row: Row, path: readonly string[]) => row[at.get(path[0] as string) as number]
  const holds = (row: Row, path: readonly string[]) => holdsSomething(heldAt(columnOf(row, path), path.slice(1)))
  const reader = ([column, ...rest]: readonly string[]) => {
    const index = at.get(column as string) as number
    return rest.length === 0 ? (row: Row) => row[index] : (row: Row) => heldAt(row[index], rest)
  }
  const targeted = erasure.targeted.map(reader)
  const keeps = erasure.keeps.map(({ path, retain }) => ({ path, retain, read: reader(path) }))
  const masks = erasure.masks.map((mask, position) => {
    const column = mask.path[0] as string
    return {
      mask,
      masker: options.masker(mask),
      column,
      /** The depth down to which its lists are filtered by element. */
      lists: listDepth(filtered, mask.path),
      /** The depths at which there are such lists. An object in the place of one is its only element. */
      listed: new Set(ownedLists.filter((list) => isWithin(mask.path, list)).map((list) => list.length)),
      index: at.get(column) as number,
      /** An earlier mask may have changed another member of the same column. */
      isLater: erasure.masks.slice(0, position).some(({ path }) => path[0] === column),
    }
  })
  const keyAt = erasure.key.map(({ column }) => at.get(column) as number)
  /** The key of a row. A declared key may hold null, which matches no row in a query. */
  const nameOf = (row: Row): readonly Value[] | undefined => {
    const key = keyAt.map((index) => row[index] ?? null)
    return key.length === 0 || key.includes(null) ? undefined : key
  }

  const placeOf = (key: readonly Value[], field: string): string =>
    `${address}\0${key.map(valueText).join('\0')}\0${field}`

  /** Fields that stay. A key stays for its value, which a plain value in its place is not. */
  const staying = [...erasure.retained.filter(({ reason }) => reason !== 'key').map(({ path }) => ({ path })), ...keeps]
  const isDue = (retain: Retain, row: Row) =>
    !retainedBy(retain, (path) => memberAt(columnOf(row, path), path.slice(1)), options.now)
  const holdsTargeted = (row: Row) => {
    if (erasure.all) return true
    for (const read of targeted) if (holdsSomething(read(row))) return true
    return false
  }
  /** The first field that a row holds and keeps. */
  const keptField = (row: Row): string | undefined => {
    for (const { path, read, retain } of keeps)
      if (holdsSomething(read(row)) && !(retain && isDue(retain, row))) return path.join('.')
    return undefined
  }
  /** A plain value may hold any of the members in whose place it stands, so it stays while one of them does. */
  const staysPlain = (row: Row, place: readonly string[]) =>
    mixed.some(({ path }) => path.join('.') === place.join('.')) ||
    staying.some(({ path, retain }: FieldRetention) => isWithin(path, place) && !(retain && isDue(retain, row)))
  const reasonToStay = (row: Row) => {
    const stays = erasure.retained.filter(({ path }) => holds(row, path))
    // That a key stays is not worth a reason.
    return (stays.find(({ reason }) => reason !== 'key') ?? stays[0])?.reason
  }

  // Rows with equal changes share one array, since a batch holds many of them.
  const made = new Map<string, ColumnChange[]>()
  let last: readonly ColumnChange[] = []
  const sameChange = (column: string, becomes: Value, differs: boolean, constant: Masker['constant']): ColumnChange => {
    const known = constant ? made.get(column) : undefined
    // There are only a few: a constant or NULL, changed or not.
    for (const each of known ?? [])
      if (each.becomes === becomes && each.differs === differs && each.constant === constant) return each
    const change = { column, becomes, differs, constant, structured: false }
    if (constant) made.set(column, [...(known ?? []), change])
    return change
  }

  /** The changes of one row. All rows use this one array, so that memory holds only results. */
  const changes: ColumnChange[] = []
  const changesOf = (
    { row, leftOut }: Pick<RowToDecide, 'row' | 'leftOut'>,
    key: readonly Value[],
    inPart: WhyInPart | undefined,
  ) => {
    let count = 0
    let retainedFor: string | undefined
    let keptPlain = false
    for (const each of masks) {
      const { mask, masker, column, index, lists, listed } = each
      if (leftOut.some((place) => place.length === 1 && place[0] === column)) {
        if (inPart && holds(row, mask.path)) retainedFor = inPart
        continue
      }
      if (
        inPart === whyInPart.shared &&
        !leadsThroughList((name) => row[at.get(name) as number], mask.path, { lists, listed })
      ) {
        if (holds(row, mask.path)) retainedFor = inPart
        continue
      }
      if (mask.retain && !isDue(mask.retain, row)) {
        if (holds(row, mask.path)) retainedFor ??= mask.retain.reason
        continue
      }
      const knownAt = each.isLater ? placeOfColumn(changes, count, column) : count
      const known = knownAt < count ? changes[knownAt] : undefined
      const before = known ? known.becomes : (row[index] ?? null)
      // A NULL list stays NULL: the constant is for each element, not for the list.
      const structured = mask.list === true || mask.path.length > 1 || isStructured(before)
      // No column type says that it is not text. The value itself shows it.
      const notText = !structured && masker.text && before !== null && typeof before !== 'string'
      if (notText) options.notText?.({ field: mask.field, strategy: mask.strategy.strategy })
      const becomes = structured
        ? maskWithin(
            before,
            {
              mask,
              masker,
              place: placeOf(key, mask.field),
              leftOut: below(leftOut, column),
              notText: options.notText,
              lists: inPart === whyInPart.shared ? lists : undefined,
              listed,
              staysPlain(place) {
                const stays = staysPlain(row, place)
                keptPlain ||= stays
                return stays
              },
            },
            1,
            [],
          )
        : notText || before === null
          ? before
          : masker.constant
            ? masker.constant.to
            : masker.mask(before, placeOf(key, mask.field))
      const constant = structured || notText || (known && !known.constant) ? undefined : masker.constant
      const was = row[index] ?? null
      const differs = !isSameValue(was, becomes)
      const change =
        structured || known?.structured
          ? { column, was, becomes, differs, constant, structured: true }
          : sameChange(column, becomes, differs, constant)
      changes[knownAt] = change
      if (!known) count++
    }
    if (!isBegunBy(changes, count, last)) last = changes.slice(0, count)
    return { changes: last, retainedFor, keptPlain }
  }

  /** `shared`: why the row is shared, where rows outside the request refer to it. */
  return (found: RowToDecide, shared?: string): RowDecision => {
    const { row, beside } = found
    const sharesElements = found.sharesElements && erasure.onShared === 'retain'
    if (erasure.retain && !isDue(erasure.retain, row)) return { kind: 'retained', reason: erasure.retain.reason }
    const stays = shared !== undefined && erasure.onShared === 'retain'
    if (stays && !beside) return { kind: 'retained', reason: shared }
    if (!holdsTargeted(row)) return { kind: 'unchanged' }
    const leftOut = (stays ? beside : undefined) ?? found.leftOut
    const inPart = stays ? whyInPart.also : masksInPart(collection, row, leftOut)
    const named = nameOf(row)
    const byValues = named === undefined
    const key = named ?? valuesAt.map((index) => row[index] ?? null)
    const kept = keptField(row)
    const instead =
      shared ??
      (found.sharesElements ? elementsShared : undefined) ??
      (leftOut.length > 0 ? 'its lists hold elements that are not known to be the person’s' : undefined) ??
      (kept === undefined ? undefined : `its '${kept}' is kept`)
    if (erasure.how === 'delete' && instead === undefined) return { kind: 'delete', key, byValues }
    const { changes: all, retainedFor, keptPlain } = changesOf({ row, leftOut }, key, inPart)
    if (!all.some(isDifferent)) {
      if (stays) return { kind: 'retained', reason: shared }
      const reason = retainedFor ?? (sharesElements ? elementsStay : keptPlain ? plainStays : reasonToStay(row))
      return reason === undefined ? { kind: 'unchanged' } : { kind: 'retained', reason }
    }
    const decision = { kind: 'mask' as const, key, byValues, changes: all }
    const also = sharesElements ? `; ${elementsStay}` : ''
    if (inPart && retainedFor === inPart)
      return { ...decision, reason: `${onlyInsideLists(inPart, erasure.how)}${also}` }
    if (erasure.how === 'delete') return { ...decision, reason: `masked instead of deleted: ${instead}` }
    const reason = sharesElements ? elementsStay : keptPlain ? plainStays : undefined
    return reason === undefined ? decision : { ...decision, reason }
  }
}

const plainStays = 'a plain value stays that stands in the place of members of which one is kept'

const isDifferent = ({ differs }: ColumnChange) => differs

/** The position of a column among the first changes, or `count` if it has none. */
function placeOfColumn(changes: readonly ColumnChange[], count: number, column: string): number {
  let at = 0
  while (at < count && changes[at]?.column !== column) at++
  return at
}

function isBegunBy(changes: readonly ColumnChange[], count: number, others: readonly ColumnChange[]): boolean {
  if (others.length !== count) return false
  for (let at = 0; at < count; at++) if (changes[at] !== others[at]) return false
  return true
}

/** Left out elements of one column, with places relative to it. */
function below(leftOut: readonly ElementPath[], column: string): ReadonlySet<string> {
  return new Set(leftOut.flatMap(([first, ...rest]) => (first === column ? [JSON.stringify(rest)] : [])))
}
