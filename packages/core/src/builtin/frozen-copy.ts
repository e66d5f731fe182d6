const reject = (what: string, at: string): never => {
  throw new TypeError(`A row holds JSON only, but ${at} is ${what}`)
}

const freezeObject = (value: object, at: string): object => {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    return reject(`a ${value.constructor?.name ?? 'class instance'}`, at)
  }
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key]
    if (member === undefined) continue
    const frozen = freeze(member, `${at}.${key}`)
    // Plain assignment would set the prototype instead of a member.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: frozen, enumerable: true })
    else copy[key] = frozen
  }
  return Object.freeze(copy)
}

const freeze = (value: unknown, at: string): unknown => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : reject(String(value), at)
    case 'object':
      if (value === null) return null
      if (Array.isArray(value)) return Object.freeze(value.map((element, index) => freeze(element, `${at}[${index}]`)))
      return freezeObject(value, at)
    default:
      return reject(`a ${typeof value}`, at)
  }
}

/**
 * Copies plain JSON data and freezes the copy all the way down, so that it can be shared instead of copied again.
 * Members that are undefined are left out, as JSON would; what JSON cannot hold throws a TypeError.
 */
export const frozenCopy = <Data>(data: Data, name: string): Data => freeze(data, name) as Data
