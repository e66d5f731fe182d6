import { isPlainObject } from '../../model/clean-input.js'
import { deriveKey } from '../../model/key.js'
import { invalidInput } from '../../model/parse-input.js'

/** The key that an input names or its name stands for; undefined leaves the error to the parser. */
export function keyIn(input: unknown): string | undefined {
  if (!isPlainObject(input)) return undefined
  const { service_key: key, name } = input
  if (typeof key === 'string' && key !== '') return key
  return (key == null || key === '') && typeof name === 'string' ? deriveKey(name) : undefined
}

/** An input about the resource that was named elsewhere. */
export function withKey(what: string, key: string, input: unknown): unknown {
  if (!isPlainObject(input)) return input
  const named = [input.service_key, input.fides_key]
  const other = named.find((each) => each != null && each !== '' && each !== key)
  if (other === undefined) return { ...input, service_key: key }
  const msg = 'must be the key under which it is replaced, or be left out'
  throw invalidInput(what, [{ loc: ['service_key'], msg, type: 'invalid_value' }])
}

/** A patch that names its resource by name only must not clear the key. */
export function withoutEmptyKey(patch: unknown, key: string | undefined): unknown {
  return { ...(patch as Record<string, unknown>), service_key: key }
}
