/** The place of a value, from the inside out. It is put into words only for an error. */
interface Place {
  readonly above?: Place
  readonly member: string | number
}

/*
 * Only the members of rows are remembered: a document, but not each object inside it. A weak collection of hundreds of thousands
 * of objects holds the event loop for a tenth of a second when it grows, and again when garbage is collected.
 */

/** Copies that were made here. They are frozen all the way down, so that they need not be copied again. */
const copies = new WeakSet<object>()

/** Copies of objects that are frozen all the way down themselves, and therefore never change. */
const copiesOfFrozen = new WeakMap<object, unknown>()

const isFrozenDeeply = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozenDeeply))

const wordsFor = ({ above, member }: Place): string => {
  if (!above) return String(member)
  return typeof member === 'number' ? `${wordsFor(above)}[${member}]` : `${wordsFor(above)}.${member}`
}

const reject = (what: string, place: Place): never => {
  throw new TypeError(`A row holds JSON only, but ${wordsFor(place)} is ${what}`)
}

const freezeObject = (value: object, place: Place): object => {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    return reject(`a ${value.constructor?.name ?? 'class instance'}`, place)
  }
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key]
    if (member === undefined) continue
    const frozen = freeze(member, place, key)
    // Plain assignment would set the prototype instead of a member.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: frozen, enumerable: true })
    else copy[key] = frozen
  }
  return copy
}

const freeze = (value: unknown, above: Place | undefined, member: string | number): unknown => {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value === 'object') {
    const known = copies.has(value) ? value : copiesOfFrozen.get(value)
    if (known) return known
  }
  const place: Place = above ? { above, member } : { member }
  if (typeof value === 'number') return reject(String(value), place)
  if (typeof value !== 'object') return reject(`a ${typeof value}`, place)
  const copy = Array.isArray(value)
    ? value.map((element, index) => freeze(element, place, index))
    : freezeObject(value, place)
  Object.freeze(copy)
  // A row is written again as another object; the objects inside it are often the same.
  if (above && !above.above) {
    copies.add(copy)
    if (isFrozenDeeply(value)) copiesOfFrozen.set(value, copy)
  }
  return copy
}

/**
 * Copies plain JSON data and freezes the copy all the way down, so that it can be shared instead of copied again.
 * Members that are undefined are left out, as in JSON. Throws a TypeError for what JSON cannot hold.
 */
export const frozenCopy = <Data>(data: Data, name: string): Data => freeze(data, undefined, name) as Data
