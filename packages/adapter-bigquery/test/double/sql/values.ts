import type { SchemaField } from '../../../src/live-column.js'
import type { ParameterType, ParameterValue } from '../../../src/query-parameters.js'
import { RestError } from '../rest.js'

/** A value with its type, so that what the service would not compare is not compared. */
export type Sql =
  | null
  | bigint
  | number
  | boolean
  | string
  | { readonly type: 'decimal' | 'bytes' | 'date' | 'datetime' | 'time' | 'timestamp'; readonly text: string }
  | { readonly type: 'json'; readonly json: unknown }
  | { readonly type: 'struct'; readonly members: ReadonlyMap<string, Sql> }
  | readonly Sql[]

export const refused = (message: string) => new RestError(400, 'invalidQuery', message)

/** One text for all equal values of a type, and for values of one type only. */
export function keyOf(value: Sql): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${value.map(keyOf).join()}]`
  if (typeof value !== 'object') return `${typeof value}:${value}`
  const tagged = value as Exclude<Sql, null | readonly Sql[] | string | number | bigint | boolean>
  if (tagged.type === 'json' || tagged.type === 'struct') throw refused(`Equality is not defined for ${tagged.type}`)
  return `${tagged.type}:${tagged.text}`
}

/** Undefined where one is NULL. */
export function equal(one: Sql, other: Sql): boolean | null {
  if (one === null || other === null) return null
  const [left, right] = [keyOf(one), keyOf(other)]
  if (left.split(':', 1)[0] !== right.split(':', 1)[0]) throw refused('No matching signature for operator =')
  return left === right
}

/** Less than 0 where the first comes first. Only numbers and times have an order here. */
export function ordered(one: Sql, other: Sql): number {
  const [left, right] = [one, other].map((value) => {
    if (typeof value === 'bigint' || typeof value === 'number') return value
    const { type, text } = Object(value) as { type?: string; text?: string }
    if (type === 'timestamp') return BigInt(text!)
    if (type === 'date' || type === 'datetime') return text!
    throw refused('No matching signature for operator <')
  })
  if (typeof left !== typeof right) throw refused('No matching signature for operator <')
  return left! < right! ? -1 : left! > right! ? 1 : 0
}

export function toJson(value: Sql): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number')
    return value
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (Array.isArray(value)) return value.map(toJson)
  const tagged = value as Exclude<Sql, null | readonly Sql[] | string | number | bigint | boolean>
  if (tagged.type === 'json') return tagged.json
  if (tagged.type === 'struct')
    return Object.fromEntries([...tagged.members].map(([name, member]) => [name, toJson(member)]))
  return tagged.type === 'decimal'
    ? Number(tagged.text) === Math.trunc(Number(tagged.text))
      ? tagged.text
      : tagged.text
    : tagged.text
}

/** Members in one order, as the service keeps them. */
export function canonical(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(canonical)
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(
    Object.entries(json)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, canonical(member)]),
  )
}

const micros = (text: string): string => {
  const [, second = '', fraction = '', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? []
  if (second === '') throw refused('Invalid timestamp')
  const seconds = BigInt(Date.parse(`${second.replace(' ', 'T')}${zone}`) / 1000)
  return String(seconds * 1_000_000n + BigInt(fraction.padEnd(6, '0')))
}

const decimal = (text: string): string => {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw refused('Invalid NUMERIC value')
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** A scalar of a type from its text. */
export function scalarOf(type: string, text: string): Sql {
  switch (type) {
    case 'INT64':
    case 'INTEGER':
      return BigInt.asIntN(64, BigInt(text))
    case 'FLOAT64':
    case 'FLOAT':
      return Number(text)
    case 'BOOL':
    case 'BOOLEAN':
      return text === 'true'
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return { type: 'decimal', text: decimal(text) }
    case 'STRING':
      return text
    case 'BYTES':
      return { type: 'bytes', text }
    case 'TIMESTAMP':
      return { type: 'timestamp', text: micros(text) }
    case 'DATE':
    case 'DATETIME':
    case 'TIME':
      return { type: type.toLowerCase() as 'date', text: text.replace(' ', 'T') }
    case 'JSON':
      return { type: 'json', json: canonical(JSON.parse(text)) }
    default:
      throw refused(`Type not found: ${type}`)
  }
}

export function parameterOf(type: ParameterType, value: ParameterValue): Sql {
  if (type.type === 'ARRAY') return (value.arrayValues ?? []).map((element) => parameterOf(type.arrayType!, element))
  if (type.type === 'STRUCT') {
    if (!value.structValues) return null
    const members = type.structTypes!.map(
      ({ name, type }) => [name, parameterOf(type, value.structValues![name]!)] as const,
    )
    return { type: 'struct', members: new Map(members) }
  }
  return value.value === null || value.value === undefined ? null : scalarOf(type.type, value.value)
}

/** The cell of a result. */
export function cellOf(value: Sql): unknown {
  if (value === null) return null
  if (Array.isArray(value)) return value.map((element) => ({ v: cellOf(element) }))
  if (typeof value !== 'object') return String(value)
  const tagged = value as Exclude<Sql, null | readonly Sql[] | string | number | bigint | boolean>
  if (tagged.type === 'json') return JSON.stringify(tagged.json)
  if (tagged.type === 'struct') return { f: [...tagged.members.values()].map((member) => ({ v: cellOf(member) })) }
  return tagged.text
}

/** Refuses what the column does not take. */
export function checkColumn({ name, mode, maxLength }: SchemaField, value: Sql): void {
  if (value === null && mode === 'REQUIRED') throw refused(`Required field ${name} cannot be null`)
  if (typeof value === 'string' && maxLength && [...value].length > Number(maxLength)) {
    throw refused(
      `Field ${name}: STRING(${maxLength}) has maximum length ${maxLength} but got a value with length ${value.length}`,
    )
  }
}
