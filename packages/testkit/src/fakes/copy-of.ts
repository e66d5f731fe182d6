import type { Value } from '@habeas/core'

/** Plain data, copied, so that a caller that changes a value does not change the database. */
export const copyOf = (value: Value): Value => {
  if (Array.isArray(value)) return value.map(copyOf)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]))
}
