import { isStructured, memberOf, type Value } from '../../model/value.js'
import { isBlank } from '../value/cast-value.js'

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

/**
 * The same, and a plain value that stands where members are described: it may hold what the description expects in them (see
 * docs/semantics.md, 'Documents that are not alike').
 */
export function heldAt(value: Value | undefined, path: readonly string[]): Value | undefined {
  if (!isStructured(value) || path.length === 0) return value
  if (Array.isArray(value)) {
    const found = value.map((element: Value) => heldAt(element, path)).filter((each) => each !== undefined)
    return found.length === 0 ? undefined : found
  }
  const [name, ...rest] = path
  return heldAt(memberOf(value, name as string), rest)
}

export const standsPlain = 'a plain value stands in the place of its members'

const isUnknownList = 'is a list there, and the dataset does not say that it may be one'

/** Why a row is undecided that holds a list at a path where none is known. */
export const unknownListAt = (path: readonly string[]) => `'${path.join('.')}' ${isUnknownList}`

/** Why a row is undecided that only the comparison of its server connects with a row of the person. */
export const heldInAnotherSpelling =
  'the database holds its value equal to a key of this person, though it differs in case, accents or blanks, and only a foreign key is followed in another spelling'

/** What settles why a row is undecided, where it is about what stands in the row. */
export function settledBy(reason: string, reference: string): string | undefined {
  if (reason === heldInAnotherSpelling) return `in the database, one spelling at both ends, or a foreign key`
  if (reason === standsPlain) return `in the database, members in place of the plain value, as elsewhere`
  return reason.endsWith(isUnknownList) ? `\`data_type: object[]\` on ${reference}` : undefined
}

/** Whether a plain value stands at a path where an object is described, or among the elements of a list there. */
export function holdsPlain(value: Value | undefined, path: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((element: Value) => holdsPlain(element, path))
  const [name, ...rest] = path
  return name === undefined ? !isStructured(value) && !isBlank(value, []) : holdsPlain(memberOf(value, name), rest)
}

/** Whether there is a list at a path, perhaps in the elements of lists on the way. */
export function holdsListAt(value: Value | undefined, [name, ...rest]: readonly string[]): boolean {
  if (!isStructured(value)) return false
  if (name === undefined) return Array.isArray(value)
  if (Array.isArray(value)) return value.some((element: Value) => holdsListAt(element, [name, ...rest]))
  return holdsListAt(memberOf(value, name), rest)
}

/** Whether a value, or an element of a list, is not NULL. */
export function holdsSomething(value: Value | undefined): boolean {
  if (value === undefined || value === null) return false
  return Array.isArray(value) ? value.some(holdsSomething) : true
}
