import { plainAddress } from '../../model/compared-text.js'
import type { Identity } from '../../model/identity.js'
import { isTypedText } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'

/** Finds texts in columns of a row that identify the person by themselves. Returns the names of the fields. */
export type IdentifyingTexts = (row: Row, columns: readonly string[]) => readonly string[]

/** Longer texts are prose. */
const maxLength = 1_000

/** A few digits can mean many other things, such as a house number or an amount. */
const fewDigits = /^\d{1,5}$/

/**
 * Looks for texts of the request's identities in fields of any kind: for each e-mail address, in any case of ASCII letters, and
 * for the value of an identity object with one property. A name that only counts together with a postcode is no such text.
 */
export function identifyingTexts(identities: readonly Identity[]): IdentifyingTexts {
  const exact = new Set<unknown>()
  const addresses = new Set<string>()
  for (const identity of identities) {
    const given = Object.entries(identity)
    for (const [property, value] of given) {
      if (typeof value !== 'string' || fewDigits.test(value.trim()) || value.trim() === '') continue
      if (property === 'email') addresses.add(plainAddress(value))
      else if (given.length === 1) exact.add(value)
    }
  }
  const isIdentifying = (value: unknown) =>
    typeof value === 'string' &&
    (exact.has(value) || (addresses.size > 0 && value.length <= maxLength && addresses.has(plainAddress(value))))
  const look = (value: unknown, name: string, found: Set<string>): void => {
    if (isTypedText(value)) look(value.text, name, found)
    else if (Array.isArray(value)) for (const element of value) look(element, name, found)
    else if (typeof value === 'object' && value !== null) {
      for (const [member, inner] of Object.entries(value)) look(inner, `${name}.${member}`, found)
    } else if (isIdentifying(value)) found.add(name)
  }
  return (row, columns) => {
    const found = new Set<string>()
    if (exact.size + addresses.size > 0) for (const [at, column] of columns.entries()) look(row[at], column, found)
    return [...found]
  }
}
