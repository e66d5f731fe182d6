import type { Value, ValueKind } from '../../model/value.js'
import type { PlannedField } from '../../rules/plan/planned-field.js'
import { appendTo } from '../../rules/value/append-to.js'
import { castValue } from '../../rules/value/cast-value.js'
import { shortestDecimal } from '../../rules/value/shortest-decimal.js'
import { isHeldTwice, keyOf } from '../find/key-of.js'
import { type KeySet, keySet } from '../find/key-set.js'

/** Keys as columns hold them that are looked in, which may be of another type than those the keys were read from. */
export interface AskedKeys {
  readonly fields: readonly PlannedField[]
  readonly keys: KeySet
  /** For the position of an asked key, the positions of those it was made from. */
  readonly positionsOf: (at: number) => readonly number[]
  /** A key was left out that a number may be meant for, though none reads as it: the text `007`. */
  readonly isInPart: boolean
}

type Kinds = readonly Pick<PlannedField, 'kind'>[]

/**
 * Whether equality finds whatever reads as one of the keys. A decimal number or a time has many spellings as text. Keys
 * without a type are asked for as the column would hold them.
 */
export function isAskable(fields: Kinds, to: Kinds): boolean {
  return fields.every(({ kind }, part) => {
    const other = to[part]?.kind
    if (other === undefined || kind === other) return true
    if (kind === undefined) return other === 'integer'
    if (kind === 'string') return other === 'integer' || other === 'uuid'
    if (kind === 'uuid') return other === 'string'
    return isNumber(kind) && (isNumber(other) || other === 'float' || other === 'string')
  })
}

const isNumber = (kind: ValueKind) => kind === 'integer' || kind === 'decimal'

/** The keys that `to` holds as `fields` hold them; what a field cannot hold without loss is left out. */
export function askedKeys(fields: readonly PlannedField[], to: readonly PlannedField[], keys: KeySet): AskedKeys {
  if (fields.every(({ kind }, part) => kind === to[part]?.kind))
    return { fields, keys, positionsOf: (at) => [at], isInPart: false }
  // As text a UUID may be in letters of either case.
  const spelled = fields.map((field, part) =>
    field.kind === 'string' && to[part]?.kind === 'uuid' ? { ...field, caseInsensitive: true } : field,
  )
  const asked = keySet(spelled)
  const positions = new Map<number, number[]>()
  const columns = to.map((_, part) => [...keys.column(part, 0, keys.size)])
  const none = fields.map(() => [])
  let isInPart = false
  for (let at = 0; at < keys.size; at++) {
    const values = columns.map((column) => column[at] as Value)
    const forms = fields.map((field, part) => formsOf(values[part] as Value, field, to[part] as PlannedField))
    isInPart ||= forms.some((each, part) => {
      return each.length === 0 && to[part]?.kind === 'string' && shortestDecimal(String(values[part])) !== undefined
    })
    const tuples = forms.reduce<Value[][]>(
      (all, each) => all.flatMap((one) => each.map((value) => [...one, value])),
      [[]],
    )
    for (const tuple of tuples) {
      const key = keyOf(tuple, fields, none)
      if (key === undefined) continue
      asked.add(key)
      appendTo(positions, asked.find(key), at)
    }
  }
  return { fields: spelled, keys: asked, positionsOf: (at) => positions.get(at) ?? [], isInPart }
}

/** What a column holds that reads as a value of another type. */
function formsOf(value: Value, { kind }: PlannedField, from: PlannedField): readonly Value[] {
  if (kind === from.kind) return [value]
  if (kind === undefined) return isHeldTwice({}, from) ? [value, String(value)] : [value]
  const cast = castValue(value, kind, from.kind)
  return cast ? [cast.value] : []
}
