import {
  castValue,
  inSmallLetters,
  isTypedText,
  type KeyField,
  type KeyGroup,
  objectId,
  tupleMatcher,
  type Value,
  type ValueKind,
} from '@habeas/core'
import type { Document } from 'mongodb'
import { columnAt, decimalText, otherSpellings, plainDigits, readValue, spellingsOf } from './bson-value.js'
import { collatedText } from './collated-text.js'
import { isPlain } from './field-expression.js'
import { columnsOfGroups, comparedKind, isNested, type KindOf } from './key-filter.js'
import { storedMember } from './stored-document.js'

/** Tests whether a document meets at least one group, exactly as the port says. */
export function documentMatcher(groups: readonly KeyGroup[], kindOf: KindOf): (document: Document) => boolean {
  const matchers = groups.map((group) => heldTuples(group, kindOf))
  return (document) => matchers.some((heldBy) => heldBy(document).length > 0)
}

/** Tells which tuples of a group a document holds, by their positions. With a collation, as loosely as that. */
export function heldTuples(
  group: KeyGroup,
  kindOf: KindOf,
  collation?: Document,
): (document: Document) => readonly number[] {
  const columns = columnsOfGroups([group]).map((name) => ({ name, as: columnAt(kindOf.columns ?? [], [name]) }))
  const typed = withKinds(group, kindOf)
  const texts = collation ? typed.values.flatMap((column) => Array.from(column).filter(isText)) : []
  const loosely = collation && collatedText(collation, texts)
  const heldBy = tupleMatcher(typed, {
    textOf: (value, field) => textOf(loosely && isText(value) ? loosely(value) : value, field),
  })
  return (document) =>
    heldBy(Object.fromEntries(columns.map(({ name, as }) => [name, readValue(storedMember(document, name), as)])))
}

/** Whether the filter of a group lets no document pass that does not meet it. */
export function comparesExactly(group: KeyGroup, kindOf: KindOf): boolean {
  const { exact, fields, values, when = [] } = group
  if (exact || [...fields, ...when].some(({ path }) => isNested(path, kindOf))) return false
  // where `find` cannot name the path, numbers meet decimals, which are texts
  if (!fields.every(({ path }) => path.every(isPlain))) return false
  const typed = withKinds(group, kindOf)
  return typed.fields.every((field, part) => {
    const asked = part < fields.length ? values[part] : [when[part - fields.length]?.equals ?? null]
    return Array.from(asked ?? []).every((value) => meetsEqualsAlone(value, field))
  })
}

/** Whether a search for a value meets nothing that does not equal it. */
function meetsEqualsAlone(value: Value, field: KeyField): boolean {
  const text = textOf(value, field)
  return readingsOf(value, field.kind).every((reading) => textOf(reading, field) === text)
}

/**
 * How everything reads that a server meets when it looks for the spellings of `value`. A server takes more for equal than
 * core does: numbers of all types and scales, and each text that writes one date or one UUID.
 */
function readingsOf(value: Value, kind?: ValueKind): readonly Value[] {
  const { plain, decimals } = spellingsOf(value, kind)
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  const digits = [...decimals, ...(isNumber ? [value] : [])].map((number) => plainDigits(String(number)))
  const inOtherScale = digits.map((text) => (text.includes('.') ? `${text}0` : `${text}.0`))
  const asText = kind === 'string' ? { kind } : undefined
  return [
    ...[...plain, ...otherSpellings(value, kind)].map((spelling) => readValue(spelling)),
    ...[...digits, ...inOtherScale].map((text) => decimalText(text, asText)),
  ]
}

/** The group with the kinds of its fields. Conditions become fields, since they have no kind otherwise. */
function withKinds({ when = [], ...group }: KeyGroup, kindOf: KindOf): KeyGroup {
  const typed = (field: KeyField): KeyField => {
    const kind = comparedKind(field, kindOf)
    return kind === undefined ? field : { ...field, kind }
  }
  if (group.exact) return { ...group, when, fields: group.fields.map(typed) }
  const length = group.values[0]?.length ?? 0
  return {
    ...group,
    fields: [...group.fields, ...when.map(({ path }) => ({ path }))].map(typed),
    values: [...group.values, ...when.map(({ equals }) => Array<Value>(length).fill(equals))],
  }
}

const isText = (value: Value | undefined): value is string => typeof value === 'string'

/** One text for all equal scalars. Undefined for null, lists and objects, which equal nothing. */
function textOf(
  value: Value | undefined,
  { kind, caseInsensitive, trimmed }: Omit<KeyField, 'path'>,
): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'number' || typeof value === 'bigint') {
    const text = kind === 'string' ? castValue(value, kind)?.canonical : undefined
    return text === undefined ? numberText(value) : `s${text}`
  }
  if (typeof value === 'boolean') return `b${value}`
  if (typeof value === 'object') return isTypedText(value) ? `${kind === 'string' ? 's' : 'i'}${value.text}` : undefined
  const isNumber = (kind === 'integer' || kind === 'decimal' || kind === 'float') && /^-?\d/.test(value)
  if (isNumber) return numberText(value)
  const id = kind === 'object_id' ? objectId(value) : undefined
  if (id) return `i${id.text}`
  if (kind === 'timestamp' || kind === 'uuid') return `s${castValue(value, kind)?.canonical ?? value}`
  if (!caseInsensitive) return `s${value}`
  const inner = trimmed ? value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '') : value
  return `s${inSmallLetters(inner)}`
}

function numberText(value: string | number | bigint): string {
  const digits = plainDigits(String(value))
  return `n${castValue(digits, 'decimal', 'decimal')?.canonical ?? digits}`
}
