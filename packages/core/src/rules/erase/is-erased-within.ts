import { isMembers, memberOf, type Value } from '../../model/value.js'
import { isSameValue } from '../value/cast-value.js'

/**
 * Whether the value at a path already holds the target value, or is gone. Lists are compared element by element. Values
 * next to the path do not count, since they may have changed meanwhile.
 */
export function isErasedWithin(now: Value | undefined, becomes: Value | undefined, path: readonly string[]): boolean {
  if (now === null || now === undefined) return true
  const [name, ...rest] = path
  if (name === undefined || becomes === undefined) return isSameValue(now, becomes ?? null)
  if (Array.isArray(now) && Array.isArray(becomes) && now.length === becomes.length) {
    return now.every((element: Value, at) => isErasedWithin(element, becomes[at] as Value, path))
  }
  if (!isMembers(now) || !isMembers(becomes)) return isSameValue(now, becomes)
  if (!Object.hasOwn(now, name)) return true
  return isErasedWithin(now[name], memberOf(becomes, name), rest)
}
