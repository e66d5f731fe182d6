import { isTypedText, type Value, type ValueKind } from '../model/value.js'

/** One text for all equal scalars; undefined for values that are not scalars (null, objects, lists). */
export function scalarText(value: Value | undefined, kind?: ValueKind): string | undefined {
  switch (typeof value) {
    case 'string':
      // An integer beyond 2^53 travels as text or as bigint, and a decimal as text: 5.00 is 5 to every server.
      if (kind === 'decimal' && /^-?\d+(\.\d+)?$/.test(value)) return `number:${decimalText(value)}`
      return kind === 'integer' && /^-?\d{16,}$/.test(value) ? `number:${BigInt(value)}` : `string:${value}`
    case 'number':
    case 'bigint':
      return `number:${value}`
    case 'boolean':
      return `boolean:${value}`
    default:
      return isTypedText(value) ? `${value.type}:${value.text}` : undefined
  }
}

/** The shortest text of a decimal. */
function decimalText(text: string): string {
  const [whole, fraction = ''] = text.split('.') as [string, string?]
  const rest = fraction.replace(/0+$/, '')
  return rest === '' ? String(BigInt(whole)) : `${whole.replace(/^(-?)0+(?=\d)/, '$1')}.${rest}`
}

/** The same for any value as a whole: here null equals null, and the order of members does not count. */
export function exactText(value: Value | undefined, kind?: ValueKind): string {
  if (value === null || value === undefined) return 'null'
  const scalar = scalarText(value, kind)
  if (scalar !== undefined) return scalar
  if (Array.isArray(value)) return JSON.stringify(value.map((element: Value) => exactText(element, kind)))
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify(Object.fromEntries(members.map(([name, member]) => [`.${name}`, exactText(member as Value)])))
}
