import { castValue, isTypedText, type KeyField, type KeyGroup, type Value, type ValueKind } from '@habeas/core'
import type { Document } from 'mongodb'
import { plainDigits, readValue } from './bson-value.js'
import { comparedKind, type KindOf } from './key-filter.js'
import { isDocument, storedMember } from './stored-document.js'

/** Tests whether a document meets at least one group, exactly as the port says. */
export function rowMatcher(groups: readonly KeyGroup[], kindOf: KindOf): (document: Document) => boolean {
  const matchers = groups.map((group) => (group.exact ? wholeMatcher(group, kindOf) : groupMatcher(group, kindOf)))
  return (document) => matchers.some((matches) => matches(document))
}

/** The tuples of a group by their text, and the texts of those that a document holds. */
export function tupleReader(group: KeyGroup, kindOf: KindOf) {
  const { fields, values, when = [] } = group
  const compared = fields.map((field) => ({ ...field, ...kindIn(field, kindOf) }))
  const conditions = when.map(({ path, equals }) => {
    const field = { path, ...kindIn({ path }, kindOf) }
    return { field, text: scalarText(equals, field) }
  })
  const texts = Array.from(values[0] ?? [], (_, at) => {
    const parts = compared.map((field, part) => scalarText(values[part]?.[at], field))
    return parts.includes(undefined) ? undefined : JSON.stringify(parts)
  })
  return {
    /** By tuple. Undefined where no document can hold it. */
    texts,
    heldBy(document: Document): readonly string[] {
      if (conditions.some(({ field, text }) => text === undefined || !textsAt(document, field).includes(text)))
        return []
      const [first = [], ...others] = compared.map((field) => textsAt(document, field))
      let tuples = first.map((part) => [part])
      for (const list of others) tuples = tuples.flatMap((tuple) => list.map((part) => [...tuple, part]))
      return tuples.map((tuple) => JSON.stringify(tuple))
    },
  }
}

function kindIn(field: Pick<KeyField, 'path' | 'kind'>, kindOf: KindOf): { kind?: ValueKind } {
  const kind = comparedKind(field, kindOf)
  return kind === undefined ? {} : { kind }
}

function groupMatcher(group: KeyGroup, kindOf: KindOf): (document: Document) => boolean {
  const { texts, heldBy } = tupleReader(group, kindOf)
  const tuples = new Set(texts)
  return (document) => heldBy(document).some((tuple) => tuples.has(tuple))
}

function wholeMatcher({ fields, values }: KeyGroup, kindOf: KindOf): (document: Document) => boolean {
  const columns = fields.map(({ path }) => path[0] as string)
  const kinds = fields.map((field) => comparedKind(field, kindOf))
  const rows = new Set(
    Array.from(values[0] ?? [], (_, at) =>
      JSON.stringify(kinds.map((kind, part) => wholeText(values[part]?.[at], kind))),
    ),
  )
  return (document) =>
    rows.has(JSON.stringify(columns.map((name, part) => wholeText(heldIn(document, name), kinds[part]))))
}

/** The values of columns of a document as one text, the same for all that hold the same. */
export function keyText(values: readonly (Value | undefined)[], columns: readonly string[], kindOf: KindOf): string {
  return JSON.stringify(values.map((value, part) => wholeText(value, kindOf(columns[part] as string))))
}

/** The value of a column. A document without it holds null. */
export function heldIn(document: Document, column: string): Value {
  return readValue(storedMember(document, column))
}

function textsAt(document: Document, field: KeyField): string[] {
  return valuesIn(document, field.path).flatMap((held) => scalarText(readValue(held), field) ?? [])
}

/** Every stored value to which a path leads, through objects and elements of lists. */
function valuesIn(held: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(held)) return held.flatMap((element) => valuesIn(element, path))
  const [name, ...rest] = path
  if (name === undefined) return [held]
  return isDocument(held) && Object.hasOwn(held, name) ? valuesIn(held[name], rest) : []
}

/** One text for all equal scalars. Undefined for null, lists and objects, which equal nothing. */
function scalarText(
  value: Value | undefined,
  { kind, caseInsensitive, trimmed }: Pick<KeyField, 'kind' | 'caseInsensitive' | 'trimmed'>,
): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'number' || typeof value === 'bigint') return numberText(value)
  if (typeof value === 'boolean') return `b${value}`
  if (typeof value === 'object') return isTypedText(value) ? `i${value.text}` : undefined
  const isNumber = (kind === 'integer' || kind === 'decimal' || kind === 'float') && /^-?\d/.test(value)
  if (isNumber) return numberText(plainDigits(value))
  if (kind === 'timestamp') return `s${castValue(value, kind)?.canonical ?? value}`
  if (!caseInsensitive) return `s${value}`
  return `s${(trimmed ? value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '') : value).toLowerCase()}`
}

function numberText(value: string | number | bigint): string {
  return `n${castValue(value, 'decimal')?.canonical ?? value}`
}

/** The same for a value as a whole: null equals null, and the order of members does not count. */
function wholeText(value: Value | undefined, kind?: ValueKind): string {
  if (value === null || value === undefined) return 'null'
  const scalar = scalarText(value, kind === undefined ? {} : { kind })
  if (scalar !== undefined) return scalar
  if (Array.isArray(value)) return JSON.stringify(value.map((element: Value) => wholeText(element, kind)))
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify(members.map(([name, member]) => [name, wholeText(member as Value)]))
}
