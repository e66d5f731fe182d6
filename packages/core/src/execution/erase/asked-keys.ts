import type { Value, ValueKind } from '../../model/value.js'
import type { PlannedField } from '../../rules/plan/planned-field.js'
import { appendTo } from '../../rules/value/append-to.js'
import { castValue } from '../../rules/value/cast-value.js'
import { shortestDecimal } from '../../rules/value/shortest-decimal.js'
import { formsOf, idOf, keyOf, tuplesOf } from '../find/key-of.js'
import { type KeySet, keySet } from '../find/key-set.js'

/** Keys in the type of the searched columns, which may differ from the type of the columns that the keys were read from. */
export interface AskedKeys {
  readonly fields: readonly PlannedField[]
  readonly keys: KeySet
  /** For the position of an asked key, the positions of the keys it was made from. */
  readonly positionsOf: (at: number) => readonly number[]
  /** A text such as `007` was left out: a number may stand for it, although no number reads as this text. */
  readonly isInPart: boolean
}

type Kinds = readonly Pick<PlannedField, 'kind'>[]

/**
 * Whether equality finds every value that reads as one of the keys. It does not find all spellings of a decimal number or
 * a time as text, nor an id in mixed letters where there is no type. Keys without a type are searched in the type of the column.
 */
export function isAskable(fields: Kinds, to: Kinds): boolean {
  return fields.every(({ kind }, part) => {
    const other = to[part]?.kind
    if (other === undefined || kind === other) return true
    if (kind === undefined) return other === 'integer' || other === 'object_id'
    if (kind === 'string') return other === 'integer' || other === 'uuid' || other === 'object_id'
    if (kind === 'uuid') return other === 'string'
    return isNumber(kind) && (isNumber(other) || other === 'float' || other === 'string')
  })
}

const isNumber = (kind: ValueKind) => kind === 'integer' || kind === 'decimal'

/** Converts keys of `to` to the types of `fields`. A key that a field cannot hold without loss is left out. */
export function askedKeys(fields: readonly PlannedField[], to: readonly PlannedField[], keys: KeySet): AskedKeys {
  if (fields.every(({ kind }, part) => kind === to[part]?.kind))
    return { fields, keys, positionsOf: (at) => [at], isInPart: false }
  const columns = to.map((_, part) => [...keys.column(part, 0, keys.size)])
  // An id as text may be in upper or lower case. A field without a type may hold some.
  const holdsIds = (part: number) => {
    const kind = to[part]?.kind
    return kind === undefined ? columns[part]?.some(idOf) : kind === 'uuid' || kind === 'object_id'
  }
  const spelled = fields.map((field, part) =>
    field.kind === 'string' && holdsIds(part) ? { ...field, caseInsensitive: true } : field,
  )
  const asked = keySet(spelled)
  const positions = new Map<number, number[]>()
  const none = fields.map(() => [])
  let isInPart = false
  for (let at = 0; at < keys.size; at++) {
    const values = columns.map((column) => column[at] as Value)
    const forms = fields.map((field, part) => readingsOf(values[part] as Value, field, to[part] as PlannedField))
    isInPart ||= forms.some((each, part) => {
      return (
        each.length === 0 && to[part]?.kind === 'string' && shortestDecimal(String(values[part]).trim()) !== undefined
      )
    })
    for (const tuple of tuplesOf(forms)) {
      const key = keyOf(tuple, fields, none)
      if (key === undefined) continue
      asked.add(key)
      appendTo(positions, asked.find(key), at)
    }
  }
  return { fields: spelled, keys: asked, positionsOf: (at) => positions.get(at) ?? [], isInPart }
}

/** The values of a column that read as a value of another type. */
function readingsOf(value: Value, field: PlannedField, from: PlannedField): readonly Value[] {
  if (field.kind === from.kind) return [value]
  if (field.kind === undefined) return formsOf(value, field, from) as readonly Value[]
  const cast = castValue(value, field.kind, from.kind)
  return cast ? [cast.value] : []
}
