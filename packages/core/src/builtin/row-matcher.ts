import { inSmallLetters, withoutBlanks } from '../model/compared-text.js'
import { isTypedText, type Members, memberOf, type Value, type ValueKind } from '../model/value.js'
import type { EmptyField, KeyField, KeyGroup } from '../ports/connector.js'
import { exactText, scalarText } from './exact-text.js'

/** A row by its columns. */
type NamedRow = Readonly<Record<string, Value | undefined>>

type ComparedField = Pick<KeyField, 'kind' | 'caseInsensitive' | 'trimmed'>

export interface RowMatcherOptions {
  /** One text for all values that the source takes for equal; undefined equals nothing. Default: exact comparison. */
  readonly textOf?: (value: Value | undefined, field: ComparedField) => string | undefined
  /** Whether a row refers to one of the keys of a group with `spelledAs`. Default: the values are compared. */
  readonly refersTo?: (group: KeyGroup) => (row: NamedRow) => boolean
}

function strictText(value: Value | undefined, { kind, caseInsensitive, trimmed }: ComparedField): string | undefined {
  if (!caseInsensitive || typeof value !== 'string') return scalarText(value, kind)
  return scalarText(inSmallLetters(trimmed ? withoutBlanks(value) : value), kind)
}

/** Every value that a path leads to, through objects and, element by element, through lists. */
function valuesAt(value: Value | undefined, [name, ...rest]: readonly string[]): (Value | undefined)[] {
  if (Array.isArray(value)) {
    const path = name === undefined ? [] : [name, ...rest]
    return value.flatMap((element: Value) => valuesAt(element, path))
  }
  if (name === undefined) return [value]
  const member = memberOf(value, name)
  return member === undefined ? [] : valuesAt(member, rest)
}

const textOfTuple = (parts: readonly string[]): string => JSON.stringify(parts)

const isText = (text: string | undefined): text is string => text !== undefined

const combinations = (lists: readonly (readonly string[])[]): string[][] =>
  lists.reduce<string[][]>((tuples, list) => tuples.flatMap((tuple) => list.map((part) => [...tuple, part])), [[]])

/**
 * For sources that have no query language: tells which tuples of a group a row holds, by their positions. Compares as
 * `read`, `count`, `countEach` and `erase` have to. Takes `when` into account.
 */
export function tupleMatcher(
  group: KeyGroup,
  { textOf = strictText }: RowMatcherOptions = {},
): (row: NamedRow) => readonly number[] {
  const { fields, values, exact, when = [] } = group
  const valueText = exact ? (value: Value | undefined, kind?: ValueKind) => exactText(value, kind) : undefined
  const positions = new Map<string, number[]>()
  const length = values[0]?.length ?? 0
  for (let at = 0; at < length; at++) {
    const parts = fields.map((field, part) => {
      const value = values[part]?.[at]
      return valueText ? valueText(value, field.kind) : textOf(value, field)
    })
    if (!parts.every(isText)) continue
    const text = textOfTuple(parts)
    const known = positions.get(text)
    if (known) known.push(at)
    else positions.set(text, [at])
  }
  const conditions = when.map(({ path, equals }) => ({ path, text: textOf(equals, {}) }))
  const textsAt = (row: NamedRow, path: readonly string[], field: ComparedField) => [
    ...new Set(valuesAt(row as Members, path).flatMap((value) => textOf(value, field) ?? [])),
  ]
  return (row) => {
    if (!conditions.every(({ path, text }) => text !== undefined && textsAt(row, path, {}).includes(text))) return []
    if (valueText) {
      const parts = fields.map(({ path, kind }) => valueText(row[path[0] as string], kind))
      return positions.get(textOfTuple(parts)) ?? []
    }
    const held = combinations(fields.map((field) => textsAt(row, field.path, field)))
    return held.flatMap((parts) => positions.get(textOfTuple(parts)) ?? [])
  }
}

/** For sources that have no query language: tells whether a row meets at least one of the groups. */
export function rowMatcher(anyOf: readonly KeyGroup[], options: RowMatcherOptions = {}): (row: NamedRow) => boolean {
  const matchers = anyOf.map((group) => {
    if (!group.spelledAs || !options.refersTo) {
      const positions = tupleMatcher(group, options)
      return (row: NamedRow) => positions(row).length > 0
    }
    const refers = options.refersTo(group)
    const meets = group.when && rowMatcher([{ fields: [], values: [[null]], when: group.when }], options)
    return (row: NamedRow) => refers(row) && (!meets || meets(row))
  })
  return (row) => matchers.some((matches) => matches(row))
}

function isNothing(value: Value | undefined, placeholders: readonly (string | number | boolean)[]): boolean {
  if (value === null || value === undefined) return true
  if (typeof value === 'object' && !isTypedText(value)) return false
  const text = String(isTypedText(value) ? value.text : value)
  if (text.trim() === '') return true
  const isNumber = /^-?\d+(\.\d+)?$/.test(text)
  return placeholders.some(
    (placeholder) =>
      text === String(placeholder) || (typeof placeholder === 'number' && isNumber && Number(text) === placeholder),
  )
}

/** For sources that have no query language: tells whether a field of a row is empty, as `CountRows.empty` says. */
export function emptyMatcher({ path, placeholders = [] }: EmptyField): (row: NamedRow) => boolean {
  const [column = '', ...rest] = path
  return (row) => valuesAt(row[column], rest).every((value) => isNothing(value, placeholders))
}
