import { objectId, type Value, type ValueKind } from '../model/value.js'
import type { PlannedField } from '../rules/plan.js'
import { castValue, isBlank } from '../rules/value-cast.js'
import type { Key } from './key-set.js'

type KeyedField = Pick<PlannedField, 'kind'>
type Placeholders = PlannedField['placeholders']

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * The key that the values are together, or undefined when one of them is blank, a placeholder, or cannot be what its
 * field holds without loss (§7.4): a tuple that loses a value is dropped whole.
 */
export function keyOf(
  values: readonly (Value | undefined)[],
  fields: readonly KeyedField[],
  placeholders: readonly Placeholders[],
): Key | undefined {
  if (fields.length === 1) return partOf(values[0], fields[0] as KeyedField, placeholders[0] as Placeholders)
  const parts: string[] = []
  for (let at = 0; at < fields.length; at++) {
    const part = partOf(values[at], fields[at] as KeyedField, placeholders[at] as Placeholders)
    if (part === undefined) return undefined
    parts.push(String(part))
  }
  return JSON.stringify(parts)
}

function partOf(value: Value | undefined, field: KeyedField, placeholders: Placeholders): Key | undefined {
  const { kind } = field
  if (placeholders.length === 0) {
    if (kind === 'integer' && typeof value === 'number' && Number.isSafeInteger(value)) return value + 0
    if (kind === 'uuid' && typeof value === 'string' && uuid.test(value)) return value
  }
  if (isBlank(value, placeholders)) return undefined
  const cast = castValue(value, kind)
  if (cast && kind === 'integer') {
    const number = Number(cast.canonical)
    return Number.isSafeInteger(number) ? number : cast.canonical
  }
  return cast?.canonical
}

/** The value to bind for a key's canonical text. */
export function bindable(kind: ValueKind | undefined, canonical: string): Value {
  if (kind === undefined) {
    // Where no type is known, the canonical text says what the value is.
    if (canonical.startsWith('i')) return objectId(canonical.slice(1)) as Value
    if (!canonical.startsWith('n')) return JSON.parse(canonical) as string | boolean
    const text = canonical.slice(1)
    return Number.isSafeInteger(Number(text)) || text.includes('.') ? Number(text) : BigInt(text)
  }
  if (kind === 'integer') {
    const number = Number(canonical)
    return Number.isSafeInteger(number) ? number : canonical
  }
  if (kind === 'float') return Number(canonical)
  if (kind === 'boolean') return canonical === 'true'
  if (kind === 'object_id') return objectId(canonical) as Value
  return canonical
}
