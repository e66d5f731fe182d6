import type { Document } from 'mongodb'

/** Whether a stored value has members. Scalars of BSON are objects of classes; a document may call a member as it likes. */
export function isDocument(held: unknown): held is Document {
  return typeof held === 'object' && held !== null && Object.getPrototypeOf(held) === Object.prototype
}

/** The member with this name. Undefined where the document has none, whatever every object has. */
export function storedMember(document: Document, name: string): unknown {
  return Object.hasOwn(document, name) ? document[name] : undefined
}

/** Whether a list lies directly in a list, anywhere in a stored value. */
export function hasNestedList(held: unknown): boolean {
  if (Array.isArray(held)) return held.some((element) => Array.isArray(element) || hasNestedList(element))
  return isDocument(held) && Object.values(held).some(hasNestedList)
}

/**
 * A stored or new value as it is sent. The driver takes an object with a member `_bsontype` for a value of BSON, and a
 * `Map` for a document whatever its members are called.
 */
export function sentValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sentValue)
  if (!isDocument(value)) return value
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [name, sentValue(member)])
  return Object.hasOwn(value, '_bsontype') ? new Map(members) : Object.fromEntries(members)
}
