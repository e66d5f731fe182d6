import assert from 'node:assert/strict'
import { type EmptyField, isTypedText, type KeyField, type KeyGroup, type Value, type ValueKind } from '@habeas/core'
import { exactText, insensitiveText, scalarText, tupleText } from './exact-text.js'
import type { keySpeller } from './key-speller.js'
import type { MemoryRow } from './memory-database.js'

interface ComparedField {
  readonly kind?: ValueKind
  readonly caseInsensitive?: boolean
  readonly trimmed?: boolean
}

/** Gives one text for all equal values, or undefined for values that equal nothing (null, objects). */
type KeyText = (value: Value | undefined, field: ComparedField) => string | undefined

type Spell = ReturnType<typeof keySpeller>

const strictText: KeyText = (value, { kind, caseInsensitive, trimmed }) => {
  if (caseInsensitive !== true || typeof value !== 'string') return scalarText(value, kind)
  return scalarText((trimmed ? value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '') : value).toLowerCase(), kind)
}

/** Every value that a path leads to, through objects and, element by element, through arrays. */
const valuesAt = (value: Value | undefined, path: readonly string[]): (Value | undefined)[] => {
  if (Array.isArray(value)) return value.flatMap((element: Value) => valuesAt(element, path))
  const [name, ...rest] = path
  if (name === undefined) return [value]
  if (typeof value !== 'object' || value === null || isTypedText(value)) return []
  return Object.hasOwn(value, name) ? valuesAt((value as MemoryRow)[name], rest) : []
}

const product = (lists: readonly (readonly string[])[]): string[][] =>
  lists.reduce<string[][]>((tuples, list) => tuples.flatMap((tuple) => list.map((part) => [...tuple, part])), [[]])

const isText = (text: string | undefined): text is string => text !== undefined

const tuplesOf = ({ fields, values }: KeyGroup, keyText: KeyText): Set<string> => {
  const tuples = new Set<string>()
  for (let index = 0; index < values[0]!.length; index += 1) {
    const parts = fields.map((field, part) => keyText(values[part]![index], field))
    if (parts.every(isText)) tuples.add(tupleText(parts))
  }
  return tuples
}

const exactMatcher = ({ fields, values }: KeyGroup): ((row: MemoryRow) => boolean) => {
  const textOf = (valueAt: (part: number) => Value | undefined) =>
    tupleText(fields.map(({ kind }, part) => exactText(valueAt(part), kind)))
  const rows = new Set(Array.from(values[0]!, (_, at) => textOf((part) => values[part]![at])))
  return (row) => rows.has(textOf((part) => row[fields[part]!.path[0]!]))
}

/** Whether a row refers to one of the keys, in the server's comparison. */
const spelledMatcher = ({ fields, values, spelledAs: as }: KeyGroup, spell: Spell): ((row: MemoryRow) => boolean) => {
  if (!as) return () => true
  const texts = spell({ columns: fields.map(({ path }) => path[0]!), as })
  const keys = new Set(Array.from(values[0]!, (_, at) => JSON.stringify(values.map((column) => column[at]))))
  return (row) => keys.has(JSON.stringify(texts(row)))
}

const groupMatcher = (group: KeyGroup, keyText: KeyText, spell: Spell): ((row: MemoryRow) => boolean) => {
  if (group.exact) return exactMatcher(group)
  const tuples = tuplesOf(group, keyText)
  const textsAt = (row: MemoryRow, field: KeyField): string[] =>
    valuesAt(row, field.path)
      .map((value) => keyText(value, field))
      .filter(isText)
  const conditions = (group.when ?? []).map(({ path, equals }) => ({ field: { path }, text: keyText(equals, {}) }))
  const points = spelledMatcher(group, spell)
  return (row) =>
    points(row) &&
    conditions.every(({ field, text }) => text !== undefined && textsAt(row, field).includes(text)) &&
    (group.spelledAs !== undefined ||
      product(group.fields.map((field) => textsAt(row, field))).some((tuple) => tuples.has(tupleText(tuple))))
}

const isNothing = (value: Value | undefined, placeholders: readonly (string | number | boolean)[]): boolean => {
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

/** Tests whether a field of a row is empty. */
export const emptyMatcher = ({ path, placeholders = [] }: EmptyField): ((row: MemoryRow) => boolean) => {
  const [column, ...rest] = path
  assert.ok(column !== undefined, 'the path of an empty field is not empty')
  return (row) => valuesAt(row[column], rest).every((value) => isNothing(value, placeholders))
}

/** Fails when a group breaks the port: then the engine is wrong, not the row. */
const checkGroup = ({ fields, values }: KeyGroup): void => {
  assert.ok(fields.length > 0, 'a key group names at least one field')
  assert.equal(values.length, fields.length, 'a key group has one column of values for each field')
  assert.equal(new Set(values.map((column) => column.length)).size, 1, 'the columns of a key group are equally long')
  for (const { path } of fields) assert.ok(path.length > 0, 'the path of a key field is not empty')
}

/**
 * Tests whether a row meets at least one group; `loose` compares as loosely as the laxest servers do. `spell` is that
 * of their collection.
 */
export const rowMatcher = (anyOf: readonly KeyGroup[], loose: boolean, spell: Spell): ((row: MemoryRow) => boolean) => {
  assert.ok(anyOf.length > 0, 'a read has at least one key group')
  for (const group of anyOf) checkGroup(group)
  const matchers = anyOf.map((group) => groupMatcher(group, loose ? insensitiveText : strictText, spell))
  return (row) => matchers.some((matches) => matches(row))
}
