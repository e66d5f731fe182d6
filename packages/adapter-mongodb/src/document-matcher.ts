import {
  castValue,
  inSmallLetters,
  isTypedText,
  type KeyField,
  type KeyGroup,
  objectId,
  tupleMatcher,
  type Value,
} from '@habeas/core'
import type { Document } from 'mongodb'
import { columnAt, plainDigits, readValue } from './bson-value.js'
import { columnsOfGroups, comparedKind, type KindOf } from './key-filter.js'
import { storedMember } from './stored-document.js'

/** Tests whether a document meets at least one group, exactly as the port says. */
export function documentMatcher(groups: readonly KeyGroup[], kindOf: KindOf): (document: Document) => boolean {
  const matchers = groups.map((group) => heldTuples(group, kindOf))
  return (document) => matchers.some((heldBy) => heldBy(document).length > 0)
}

/** Tells which tuples of a group a document holds, by their positions. */
export function heldTuples(group: KeyGroup, kindOf: KindOf): (document: Document) => readonly number[] {
  const columns = columnsOfGroups([group]).map((name) => ({ name, as: columnAt(kindOf.columns ?? [], [name]) }))
  const heldBy = tupleMatcher(withKinds(group, kindOf), { textOf })
  return (document) =>
    heldBy(Object.fromEntries(columns.map(({ name, as }) => [name, readValue(storedMember(document, name), as)])))
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
  if (kind === 'timestamp') return `s${castValue(value, kind)?.canonical ?? value}`
  if (!caseInsensitive) return `s${value}`
  const inner = trimmed ? value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '') : value
  return `s${inSmallLetters(inner)}`
}

function numberText(value: string | number | bigint): string {
  const digits = plainDigits(String(value))
  return `n${castValue(digits, 'decimal', 'decimal')?.canonical ?? digits}`
}
