import type { Value } from '../../model/value.js'
import { valueText } from '../../rules/value/cast-value.js'

/** The key of a row as one text. */
export function keyText(key: readonly Value[]): string {
  return key.length === 1 ? valueText(key[0] as Value) : key.map(valueText).join('\n')
}

/** The key of one row as one text, from lists that hold the parts of the keys of many rows. */
export function keyTextAt(keys: readonly (readonly Value[])[], at: number): string {
  return keys.length === 1
    ? valueText(keys[0]?.[at] as Value)
    : keys.map((part) => valueText(part[at] as Value)).join('\n')
}
