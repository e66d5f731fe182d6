import { memberOf, type Value } from '../../model/value.js'

/** The value at a path. For a list, the values in all its elements. */
export function memberAt(value: Value | undefined, path: readonly string[]): Value | undefined {
  if (value === undefined || value === null || path.length === 0) return value
  if (Array.isArray(value)) {
    const found = value.map((element: Value) => memberAt(element, path)).filter((each) => each !== undefined)
    return found.length === 0 ? undefined : found
  }
  const [name, ...rest] = path
  return memberAt(memberOf(value, name as string), rest)
}

/** Whether a value, or an element of a list, is not NULL. */
export function holdsSomething(value: Value | undefined): boolean {
  if (value === undefined || value === null) return false
  return Array.isArray(value) ? value.some(holdsSomething) : true
}
