import type { Value } from '@habeas/core'
import { decimalText, documentForms, textBinders, writeJson } from '@habeas/sql'
import type { Family, LiveType } from './live-column.js'
import type { ParameterType, ParameterValue } from './query-parameters.js'

/** A scalar as text, the forms that a key may have in a document, or a list or STRUCT whole. */
export type Bound = string | readonly string[] | ParameterValue

type Binder = (value: Value) => string | undefined

/** Range of NUMERIC and BIGNUMERIC: all digits, and those after the point. */
const digits: Readonly<Record<string, readonly [precision: number, scale: number]>> = {
  NUMERIC: [38, 9],
  // of 39 digits before the point only some
  BIGNUMERIC: [77, 38],
}

/** The largest BIGNUMERIC, without its point. */
const mostBignumeric = 2n ** 255n - 1n

/** A scalar of the type as text; undefined for what no value of the type can be. */
export function scalarBinder(type: LiveType): Binder {
  const bind = binders[type.family]
  return type.family === 'decimal' ? (value) => decimalOf(type.name, value) : bind
}

function decimalOf(name: string, value: Value): string | undefined {
  const text = decimalText(value, ...digits[name]!)
  if (text === undefined || name !== 'BIGNUMERIC') return text
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  return BigInt(`${whole}${fraction.padEnd(38, '0')}`) <= mostBignumeric ? text : undefined
}

const binders: Readonly<Record<Family, Binder>> = {
  integer: textBinders.integer,
  decimal: (value) => decimalOf('BIGNUMERIC', value),
  // the service gives and takes what is no finite number in these words
  float: (value) =>
    typeof value === 'string' && /^(?:NaN|-?Infinity)$/.test(value) ? value : textBinders.float(value),
  boolean: (value) =>
    value === true || value === 'true' ? 'true' : value === false || value === 'false' ? 'false' : undefined,
  string: textBinders.string,
  bytes: textBinders.bytes,
  date: within(textBinders.date),
  timestamp: (value) => {
    const text = within(textBinders.timestamp)(value)
    return text === undefined ? undefined : `${text}+00:00`
  },
  datetime: within(textBinders.datetime),
  time: (value) => (typeof value === 'string' && /^\d\d:\d\d:\d\d(?:\.\d{1,6})?$/.test(value) ? value : undefined),
  json: (value) => writeJson(value),
  struct: () => undefined,
  geography: textBinders.string,
  other: textBinders.string,
}

/** The service knows the years 1 to 9999. */
function within(bind: Binder): Binder {
  return (value) => {
    const text = bind(value)
    return text === undefined || text.startsWith('0000') ? undefined : text
  }
}

/** The forms of a key inside a document. A whole number may be written with a point. */
export function formsIn(onlyText: boolean): (value: Value) => readonly string[] | undefined {
  return (value) =>
    documentForms(value, onlyText)?.flatMap((form) => (/^n-?\d+$/.test(form) ? [form, `${form}.0`] : [form]))
}

/** The type of a parameter that holds values of a type. */
export function parameterTypeOf(type: LiveType): ParameterType {
  if (type.repeated) return { type: 'ARRAY', arrayType: parameterTypeOf({ ...type, repeated: false }) }
  if (type.family !== 'struct') return { type: type.family === 'other' ? 'STRING' : type.name }
  return { type: 'STRUCT', structTypes: type.fields!.map(({ name, type }) => ({ name, type: parameterTypeOf(type) })) }
}

/** A value of any type as a parameter, lists and STRUCTs whole; undefined where the type does not take it. */
export function parameterValueOf(type: LiveType, value: Value): ParameterValue | undefined {
  if (value === null) return type.repeated ? { arrayValues: [] } : { value: null }
  if (type.repeated) {
    if (!Array.isArray(value)) return undefined
    const elements = value.map((element: Value) =>
      element === null ? undefined : parameterValueOf({ ...type, repeated: false }, element),
    )
    return elements.includes(undefined) ? undefined : { arrayValues: elements as ParameterValue[] }
  }
  if (type.family !== 'struct') {
    const text = scalarBinder(type)(value)
    return text === undefined ? undefined : { value: text }
  }
  if (typeof value !== 'object' || Array.isArray(value)) return undefined
  const held = value as { readonly [name: string]: Value }
  const members = type.fields!.map(({ name, type }) => {
    const member = Object.hasOwn(held, name) ? held[name] : undefined
    return [name, parameterValueOf(type, member ?? null)] as const
  })
  if (members.some(([, member]) => member === undefined)) return undefined
  return { structValues: Object.fromEntries(members) as Record<string, ParameterValue> }
}
