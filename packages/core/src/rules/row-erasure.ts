import { isTypedText, type Value } from '../model/value.js'
import type { ElementPath } from './element-match.js'
import type { Masker } from './masking.js'
import type { PlannedCollection, PlannedErasure, PlannedMask } from './plan.js'
import { keptBy } from './retained-until.js'
import { isSameValue, valueText } from './value-cast.js'

/** Values in the order of the plan's columns. */
type Row = readonly (Value | undefined)[]

/** What one column of a row becomes. */
export interface ColumnChange {
  readonly column: string
  readonly was: Value
  readonly becomes: Value
  /** The same in every row. */
  readonly constant: boolean
  /** It holds an object or a list, of which parts are written. */
  readonly structured: boolean
}

/** What an erasure does with one row. `byValues`: no key names it, so `key` is all that was read of it. */
export type RowFate =
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

export interface FoundRow {
  readonly row: Row
  readonly leftOut: readonly ElementPath[]
  /** Rows outside the request that point to it. */
  readonly shared?: string | undefined
}

/** A value that a text strategy met where no column type had told that it is no text. */
export interface NotText {
  readonly field: string
  readonly strategy: string
}

/** Decides row by row, from the row alone and the secret of the request: a retry decides the same (§7.10–7.16). */
export function rowEraser(
  collection: Pick<PlannedCollection, 'address' | 'columns'> & { readonly erasure: PlannedErasure },
  options: {
    readonly masker: (mask: PlannedMask) => Masker
    /** ISO 8601: what has to stay until a later day stays. */
    readonly now: string
    readonly notText?: (found: NotText) => void
  },
) {
  const { address, columns, erasure } = collection
  const at = new Map(columns.map((column, index) => [column, index]))
  const valueAt = (row: Row, path: readonly string[]) =>
    memberAt(row[at.get(path[0] as string) as number], path.slice(1))
  const masks = erasure.masks.map((mask) => ({
    mask,
    masker: options.masker(mask),
    index: at.get(mask.path[0] as string) as number,
  }))
  const keyAt = erasure.key.map(({ column }) => at.get(column) as number)
  /** A declared key may hold null, which equals nothing when a row is looked for by it. */
  const isNamed = (row: Row) => keyAt.length > 0 && keyAt.every((index) => (row[index] ?? null) !== null)

  const changesOf = ({ row, leftOut }: FoundRow, key: readonly Value[]) => {
    // Most strategies do not ask where a value stands.
    let place: string | undefined
    const placeOf = (field: string): string => {
      place ??= `${address}\0${key.map(valueText).join('\0')}`
      return `${place}\0${field}`
    }
    const changed = new Map<string, { change: ColumnChange; index: number }>()
    const kept: string[] = []
    for (const { mask, masker, index } of masks) {
      if (mask.retain && keptBy(mask.retain, (path) => valueAt(row, path), options.now)) {
        if (holdsSomething(valueAt(row, mask.path))) kept.push(mask.retain.reason)
        continue
      }
      const column = mask.path[0] as string
      const known = changed.get(column)?.change
      const before = known ? known.becomes : (row[index] ?? null)
      const structured = mask.path.length > 1 || (typeof before === 'object' && before !== null && !isTypedText(before))
      // No column type has told that it is no text: then each value does.
      const notText = !structured && masker.text && before !== null && typeof before !== 'string'
      if (notText) options.notText?.({ field: mask.field, strategy: mask.strategy.strategy })
      const becomes = structured
        ? maskWithin(
            before,
            { mask, masker, place: placeOf(mask.field), leftOut: below(leftOut, column), notText: options.notText },
            1,
            [],
          )
        : notText || before === null
          ? before
          : masker.constant
            ? masker.constant.to
            : masker.mask(before, placeOf(mask.field))
      const constant = !structured && !notText && masker.constant !== undefined && (known?.constant ?? true)
      const change = {
        column,
        was: row[index] ?? null,
        becomes,
        constant,
        structured: structured || known?.structured === true,
      }
      changed.set(column, { change, index })
    }
    return { changes: [...changed.values()].map(({ change }) => change), kept }
  }

  return (found: FoundRow): RowFate => {
    const { row, leftOut, shared } = found
    if (erasure.retain && keptBy(erasure.retain, (path) => valueAt(row, path), options.now)) {
      return { kind: 'retained', reason: erasure.retain.reason }
    }
    if (shared !== undefined && erasure.onShared === 'retain') return { kind: 'retained', reason: shared }
    if (!erasure.targeted.some((path) => holdsSomething(valueAt(row, path)))) return { kind: 'unchanged' }
    const byValues = !isNamed(row)
    const key = byValues ? row.map((value) => value ?? null) : keyAt.map((index) => row[index] ?? null)
    const instead =
      shared ??
      (leftOut.length > 0 ? 'its lists hold elements of others' : undefined) ??
      (erasure.keeps.some((path) => holdsSomething(valueAt(row, path))) ? 'a field of it is kept' : undefined)
    if (erasure.how === 'delete' && instead === undefined) return { kind: 'delete', key, byValues }
    const { changes, kept } = changesOf(found, key)
    const differs = changes.some(({ was, becomes }) => !isSameValue(was, becomes))
    if (!differs) {
      const stays = erasure.retained.filter(({ path }) => holdsSomething(valueAt(row, path)))
      // That a key stays goes without saying.
      const told = stays.find(({ reason }) => reason !== 'key') ?? stays[0]
      const reason = kept[0] ?? told?.reason
      return reason === undefined ? { kind: 'unchanged' } : { kind: 'retained', reason }
    }
    const reason = erasure.how === 'delete' ? `masked instead of deleted: ${instead}` : undefined
    return { kind: 'mask', key, byValues, changes, ...(reason !== undefined && { reason }) }
  }
}

interface Masking {
  readonly mask: PlannedMask
  readonly masker: Masker
  readonly place: string
  readonly leftOut: readonly ElementPath[]
  readonly notText: ((found: NotText) => void) | undefined
}

/** A copy in which what lies at the path is masked, lists element by element, without the elements that are left out. */
function maskWithin(value: Value, masking: Masking, depth: number, at: ElementPath): Value {
  const { mask, masker, place, leftOut, notText } = masking
  if (value === null) return null
  if (Array.isArray(value)) {
    return value.map((element: Value, index) => {
      const path = [...at, index]
      if (leftOut.some((left) => left.length === path.length && left.every((step, here) => step === path[here])))
        return element
      return maskWithin(element, masking, depth, path)
    })
  }
  const isObject = typeof value === 'object' && !isTypedText(value)
  const name = mask.path[depth]
  if (name !== undefined) {
    if (!isObject || !Object.hasOwn(value, name)) return value
    const object = value as { readonly [name: string]: Value }
    return { ...object, [name]: maskWithin(object[name] as Value, masking, depth + 1, [...at, name]) }
  }
  if (masker.text && typeof value !== 'string') {
    notText?.({ field: mask.field, strategy: mask.strategy.strategy })
    return value
  }
  return masker.constant ? masker.constant.to : masker.mask(value, `${place}\0${at.join('\0')}`)
}

/** Elements left out within one column, their places told from it. */
function below(leftOut: readonly ElementPath[], column: string): ElementPath[] {
  return leftOut.flatMap(([first, ...rest]) => (first === column ? [rest] : []))
}

/** What a path leads to; of a list, all that its elements lead to. */
export function memberAt(value: Value | undefined, path: readonly string[]): Value | undefined {
  if (value === undefined || value === null || path.length === 0) return value
  if (Array.isArray(value)) {
    const found = value.map((element: Value) => memberAt(element, path)).filter((each) => each !== undefined)
    return found.length === 0 ? undefined : found
  }
  if (typeof value !== 'object' || isTypedText(value)) return undefined
  const [name, ...rest] = path
  return Object.hasOwn(value, name as string)
    ? memberAt((value as { readonly [name: string]: Value })[name as string], rest)
    : undefined
}

function holdsSomething(value: Value | undefined): boolean {
  if (value === undefined || value === null) return false
  return Array.isArray(value) ? value.some(holdsSomething) : true
}
