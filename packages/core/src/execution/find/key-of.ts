import { withoutBlanks } from '../../model/compared-text.js'
import { isTypedText, objectId, type Value, type ValueKind } from '../../model/value.js'
import type { PlannedField } from '../../rules/plan/planned-field.js'
import { castValue, isBlank } from '../../rules/value/cast-value.js'

type KeyedField = Pick<PlannedField, 'kind'> & { readonly trimmed?: boolean }
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

const alsoTexts: readonly (ValueKind | undefined)[] = ['integer', 'decimal', 'float', 'object_id']

/** Whether a number or an id of one field may be stored as such or as its text in another field, which has no type. */
export function isHeldTwice({ kind }: KeyedField, from: KeyedField): boolean {
  return kind === undefined && alsoTexts.includes(from.kind)
}

/** The tuples of all forms in which the values may be stored. `twice` marks those that may be stored as text. */
export function eachForm(values: readonly (Value | undefined)[], twice: readonly boolean[]): (Value | undefined)[][] {
  const forms = values.map((value, part) => (twice[part] ? itselfAndText(value) : [value]))
  return forms.reduce<(Value | undefined)[][]>(
    (tuples, each) => tuples.flatMap((tuple) => each.map((value) => [...tuple, value])),
    [[]],
  )
}

function itselfAndText(value: Value | undefined): readonly (Value | undefined)[] {
  if (isTypedText(value)) return [value, value.text]
  const text = castValue(value, 'string', 'decimal')?.canonical
  if (text === undefined) return [value]
  const number = /^-?[0-9]+$/.test(text) && !Number.isSafeInteger(Number(text)) ? BigInt(text) : Number(text)
  // A number with fewer digits than the text is another number.
  return castValue(number, 'decimal')?.canonical === text ? [number, text] : [text]
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
