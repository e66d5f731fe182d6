import { PrivacyError } from '../../errors.js'

/** The value of a key that must be there. Throws `internal` naming the key, which is a name and never a value of a row. */
export function need<Key, Value>(map: { get(key: Key): Value | undefined }, key: Key): Value {
  const value = map.get(key)
  if (value === undefined) throw new PrivacyError('internal', `'${key}' should be known here, and is not.`)
  return value
}
