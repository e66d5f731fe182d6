import { withoutBlanks } from '../../model/compared-text.js'
import { isTypedText, objectId, type Value, type ValueKind } from '../../model/value.js'
import type { PlannedField } from '../../rules/plan/planned-field.js'
import { castValue, isBlank } from '../../rules/value/cast-value.js'

type KeyedField = Pick<PlannedField, 'kind'> & { readonly trimmed?: boolean; readonly caseInsensitive?: boolean }
type Placeholders = PlannedField['placeholders']

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * The key of the values together. Undefined when one of them is blank, a placeholder, or does not fit its field without
 * loss. `from` names the fields that the values come from. Values that people give come from no field.
 */
export function keyOf(
  values: readonly (Value | undefined)[],
  fields: readonly KeyedField[],
  placeholders: readonly Placeholders[],
  from: readonly KeyedField[] = fields,
): Key | undefined {
  const compared = (part: number) => {
    const value = values[part]
    return fields[part]?.trimmed && typeof value === 'string' ? withoutBlanks(value) : value
  }
  if (fields.length === 1) return partOf(compared(0), fields[0]?.kind, placeholders[0] as Placeholders, from[0]?.kind)
  const parts: string[] = []
  for (let at = 0; at < fields.length; at++) {
    const part = partOf(compared(at), fields[at]?.kind, placeholders[at] as Placeholders, from[at]?.kind)
    if (part === undefined) return undefined
    parts.push(String(part))
  }
  return JSON.stringify(parts)
}

const alsoTexts: readonly (ValueKind | undefined)[] = ['integer', 'decimal', 'float', 'object_id', 'uuid', 'string']

/**
 * Whether a value of one field may be stored in several forms in another: a field without a type may hold it as it is or as
 * text, and a text writes an id in small letters or in capitals.
 */
export function isHeldInForms({ kind, caseInsensitive }: KeyedField, from: KeyedField): boolean {
  if (kind === undefined) return alsoTexts.includes(from.kind)
  return kind === 'string' && !caseInsensitive && (from.kind === 'uuid' || from.kind === 'object_id')
}

/** The field as far as the value tells: an id says what it is also in a field that holds texts or dates besides. */
function fieldOf(value: Value | undefined, from: KeyedField): KeyedField {
  return from.kind !== 'object_id' && isId(value) ? { ...from, kind: 'object_id' } : from
}

/** Whether it is an ObjectId, and no text that writes one. */
export const isId = (value: Value | undefined): boolean =>
  typeof value === 'object' && value !== null && isTypedText(value)

/** The UUID or ObjectId that a value is or writes. */
export const idOf = (value: Value | undefined) => castValue(value, 'uuid') ?? castValue(value, 'object_id')

/** The forms in which a value of one field may be stored in another, each once. */
export function formsOf(value: Value | undefined, to: KeyedField, column: KeyedField): readonly (Value | undefined)[] {
  const from = fieldOf(value, column)
  const text = isHeldInForms(to, from) && typeof value !== 'boolean' ? textOf(value, from) : undefined
  if (text === undefined) return [value]
  const isNumber = from.kind === 'integer' || from.kind === 'decimal' || from.kind === 'float'
  const id = isNumber ? undefined : idOf(text)
  const spellings = id ? [text, id.canonical, id.canonical.toUpperCase()] : [text]
  return [...new Set(to.kind === undefined ? [...asNumber(text), ...(id ? [id.value] : []), ...spellings] : spellings)]
}

/** The tuples of all forms in which the values of some fields may be stored in others. */
export function eachForm(
  values: readonly (Value | undefined)[],
  to: readonly KeyedField[],
  from: readonly KeyedField[],
): (Value | undefined)[][] {
  return tuplesOf(values.map((value, part) => formsOf(value, to[part] ?? {}, from[part] ?? {})))
}

/** Every tuple that has one of the forms of each of its parts. */
export function tuplesOf<Form>(forms: readonly (readonly Form[])[]): Form[][] {
  return forms.reduce<Form[][]>((tuples, each) => tuples.flatMap((tuple) => each.map((form) => [...tuple, form])), [[]])
}

/** The text of a value. A server hands numbers over as text, at any scale. */
function textOf(value: Value | undefined, { kind }: KeyedField): string | undefined {
  return castValue(value, 'string', kind === 'integer' ? 'decimal' : kind)?.canonical
}

/** The number that reads as this text. One with fewer digits is another number. */
function asNumber(text: string): readonly Value[] {
  if (castValue(text, 'decimal')?.canonical !== text) return []
  const number = /^-?[0-9]+$/.test(text) && !Number.isSafeInteger(Number(text)) ? BigInt(text) : Number(text)
  return castValue(number, 'decimal')?.canonical === text ? [number] : []
}

function partOf(
  value: Value | undefined,
  kind: ValueKind | undefined,
  placeholders: Placeholders,
  from: ValueKind | undefined,
): Key | undefined {
  if (placeholders.length === 0) {
    if (kind === 'integer' && typeof value === 'number' && Number.isSafeInteger(value)) return value + 0
    if (kind === 'uuid' && typeof value === 'string' && uuid.test(value)) return value
  }
  if (isBlank(value, placeholders)) return undefined
  // where a field holds several types, or texts, a yes or no names nobody whose key is 1 or the text `true`
  if (kind === 'boolean' && typeof value !== 'boolean' && from !== 'integer') return undefined
  const cast = castValue(value, kind, from)
  if (cast && kind === 'integer') {
    const number = Number(cast.canonical)
    return Number.isSafeInteger(number) ? number : cast.canonical
  }
  return cast?.canonical
}

/** The value that a statement binds for the canonical text of a key. */
export function bindable(kind: ValueKind | undefined, canonical: string): Value {
  if (kind === undefined) {
    // Without a type, the first character of the canonical text tells the type of the value.
    if (canonical.startsWith('i')) return objectId(canonical.slice(1)) as Value
    if (!canonical.startsWith('n')) return JSON.parse(canonical) as string | boolean
    const text = canonical.slice(1)
    return Number.isSafeInteger(Number(text)) || text.includes('.') ? Number(text) : BigInt(text)
  }
  if (kind === 'integer') {
    const number = Number(canonical)
    return Number.isSafeInteger(number) ? number : canonical
  }
  if (kind === 'float') return Number.isFinite(Number(canonical)) ? Number(canonical) : canonical
  if (kind === 'boolean') return canonical === 'true'
  if (kind === 'object_id') return objectId(canonical) as Value
  return canonical
}

/**
 * One comparable key: a safe integer for a single whole number, otherwise canonical text. Several parts are the JSON of
 * their texts. Two keys are the same when they are equal as JavaScript values.
 */
export type Key = number | string
