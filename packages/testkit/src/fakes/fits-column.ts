import { type Column, isTypedText, type Value, type ValueKind } from '@habeas/core'

const numeral = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

/** Texts that a server accepts for a value of the kind. */
const texts: Partial<Record<ValueKind, RegExp>> = {
  integer: /^-?\d+$/,
  decimal: numeral,
  float: numeral,
  boolean: /^(true|false)$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  bytes: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  date: /^\d{4,}-\d\d-\d\d$/,
  timestamp: /^\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  datetime: /^\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/,
}

const fitsKind = (value: Value, kind: ValueKind): boolean => {
  if (value === null || kind === 'object') return true
  if (typeof value === 'object') return isTypedText(value) && value.type === kind
  if (kind === 'string') return true
  if (kind === 'object_id') return false
  return texts[kind]!.test(String(value))
}

/** Whether a column of a server accepts the value: its kind and its length. Other rules check null. */
export const fitsColumn = (value: Value, column: Column | undefined): boolean => {
  if (value === null || column === undefined) return true
  const { kind, length, array, orObject } = column
  if (array === true && !(orObject && !Array.isArray(value))) {
    return Array.isArray(value) && value.every((element: Value) => fitsColumn(element, { ...column, array: false }))
  }
  if (kind !== undefined && !fitsKind(value, kind)) return false
  return length === undefined || [...String(value)].length <= length
}
