import type { Issue } from '../../errors.js'
import { isPlainObject } from '../../model/clean-input.js'
import { type DataType, parseDataType } from '../../model/data-type.js'
import type { Collection, Field } from '../../model/dataset.js'
import { invalidInput } from '../../model/parse-input.js'
import type { Value } from '../../model/value.js'
import { castValue } from '../value/cast-value.js'

/** A row that a person looked up: JSON under the names of declared fields. */
export type ManualRow = Readonly<Record<string, Value>>

const mostRows = 10_000
const deepest = 64

/**
 * Reads rows that people give for a collection. Throws `invalid_input` with every undeclared member and every value of
 * a wrong type. No message repeats a value.
 */
export function readManualRows({ fields }: Pick<Collection, 'fields'>, input: unknown): readonly ManualRow[] {
  if (!Array.isArray(input)) throw refused([{ loc: [], msg: 'must be a list of rows', type: 'invalid_type' }])
  if (input.length > mostRows) {
    throw refused([{ loc: [], msg: `must have at most ${mostRows} rows`, type: 'too_big' }])
  }
  const issues = input.flatMap((row, index) => faultsOfObject(row, fields, [index]))
  if (issues.length > 0) throw refused(issues)
  return input as ManualRow[]
}

const refused = (issues: readonly Issue[]) => invalidInput('list of rows', issues)

type Location = readonly (string | number)[]

const fault = (loc: Location, msg: string, type = 'invalid_type'): Issue[] => [{ loc, msg, type }]

function faultsOfObject(value: unknown, fields: readonly Field[], loc: Location): Issue[] {
  if (!isPlainObject(value)) return fault(loc, 'must be an object')
  return Object.entries(value).flatMap(([name, member]) => {
    const field = fields.find((each) => each.name === name)
    if (field) return faultsOfMember(member, field, [...loc, name])
    const known = fields.map((each) => each.name).join(', ')
    return fault([...loc, name], `is not known here: the fields are ${known}`, 'unknown_member')
  })
}

function faultsOfMember(value: unknown, field: Field, loc: Location): Issue[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return value.flatMap((element, index) => faultsOfMember(element, field, [...loc, index]))
  if (field.fields.length > 0) return faultsOfObject(value, field.fields, loc)
  const { type } = parseDataType(field.service_meta.data_type as DataType | undefined)
  if (type === undefined || type === 'object') return faultsOfJson(value, loc)
  const scalar = faultsOfJson(value, loc)
  if (scalar.length > 0) return scalar
  if (typeof value === 'object') return fault(loc, `must be of the type ${type}`)
  // A blank text casts to no value, but a text field may hold it.
  if (typeof value === 'string' && type === 'string') return []
  return castValue(value as Value, type, type) ? [] : fault(loc, `must be of the type ${type}`)
}

function faultsOfJson(value: unknown, loc: Location): Issue[] {
  if (loc.length > deepest)
    return fault(loc.slice(0, 2), `must not be nested deeper than ${deepest} levels`, 'too_deep')
  if (value === null || typeof value === 'boolean') return []
  if (typeof value === 'number') return Number.isFinite(value) ? [] : fault(loc, 'must be a finite number')
  if (typeof value === 'string') {
    return /\p{Surrogate}|\0/u.test(value) ? fault(loc, 'must be well-formed text without null characters') : []
  }
  if (Array.isArray(value)) return value.flatMap((element, index) => faultsOfJson(element, [...loc, index]))
  if (!isPlainObject(value)) return fault(loc, 'must be JSON')
  return Object.entries(value).flatMap(([name, member]) => faultsOfJson(member, [...loc, name]))
}
