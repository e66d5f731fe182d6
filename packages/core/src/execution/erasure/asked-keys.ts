import type { Value, ValueKind } from '../../model/value.js'
import { shortestDecimal } from '../../rules/number-text.js'
import type { PlannedField } from '../../rules/plan.js'
import { castValue } from '../../rules/value-cast.js'
import { type KeySet, keySet } from '../key-set.js'
import { isHeldTwice, keyOf } from '../key-values.js'

/** Keys as columns hold them that are looked in, which may be of another type than those the keys were read from. */
export interface AskedKeys {
  readonly fields: readonly PlannedField[]
  readonly keys: KeySet
  /** The position of what a key was made of, by its own. */
  readonly positionOf: (at: number) => number
}

type Kinds = readonly Pick<PlannedField, 'kind'>[]

/**
 * Whether equality finds every value that reads as one of the keys. Of other pairs of types there are many: `05.0` and `5`
 * are one number, and two texts.
 */
export function isAskable(fields: Kinds, to: Kinds): boolean {
  return fields.every(({ kind }, part) => {
    const other = to[part]?.kind
    if (other === undefined || kind === other) return true
    if (kind === undefined) return other === 'integer' || other === 'string'
    if (kind === 'string') return other === 'integer' || other === 'uuid'
    if (kind === 'uuid') return other === 'string'
    return isNumber(kind) && (isNumber(other) || other === 'float' || other === 'string')
  })
}

const isNumber = (kind: ValueKind) => kind === 'integer' || kind === 'decimal'

/** The keys that `to` holds as `fields` hold them; what a field cannot hold without loss is left out. */
export function askedKeys(fields: readonly PlannedField[], to: readonly PlannedField[], keys: KeySet): AskedKeys {
  if (fields.every(({ kind }, part) => kind === to[part]?.kind)) return { fields, keys, positionOf: (at) => at }
  // As text a UUID may be in letters of either case.
  const spelled = fields.map((field, part) =>
    field.kind === 'string' && to[part]?.kind === 'uuid' ? { ...field, caseInsensitive: true } : field,
  )
  const asked = keySet(spelled)
  const positions: number[] = []
  const columns = to.map((_, part) => [...keys.column(part, 0, keys.size)])
  const none = fields.map(() => [])
  for (let at = 0; at < keys.size; at++) {
    const forms = fields.map((field, part) => formsOf(columns[part]?.[at] as Value, field, to[part] as PlannedField))
    const tuples = forms.reduce<Value[][]>(
      (all, each) => all.flatMap((one) => each.map((value) => [...one, value])),
      [[]],
    )
    for (const tuple of tuples) {
      const key = keyOf(tuple, fields, none)
      if (key !== undefined && asked.add(key)) positions.push(at)
    }
  }
  return { fields: spelled, keys: asked, positionOf: (at) => positions[at] as number }
}

/** What a column holds that reads as a value of another type. */
function formsOf(value: Value, { kind }: PlannedField, from: PlannedField): readonly Value[] {
  if (kind === from.kind) return [value]
  if (kind !== undefined) {
    const cast = castValue(value, kind, from.kind)
    const back = cast && castValue(cast.value, from.kind, kind)?.canonical
    // Without a type a number may be held as its text, too.
    const isSame = isHeldTwice(from, { kind }) || back === castValue(value, from.kind)?.canonical
    return cast && isSame ? [cast.value] : []
  }
  if (typeof value !== 'string') return isHeldTwice({}, from) ? [value, String(value)] : [value]
  return shortestDecimal(value) === value ? [value, Number(value)] : [value]
}
