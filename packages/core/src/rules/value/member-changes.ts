import { isMembers, isTypedText, memberOf, type Value } from '../../model/value.js'

/** One place inside a value that is to become something else, and what must still be there for it to be written. */
export interface MemberChange {
  /** Leads through objects only: a list on the way ends it, as positions in a list may shift. Empty: the whole value. */
  readonly path: readonly string[]
  /** What `path` led to when the row was read: the member itself, or the list in which members change. */
  readonly was: Value
  /** What `path` leads to afterwards; undefined where the member goes. */
  readonly to: Value | undefined
  /** The same change cut down to what differs, by paths that go on from `path`, through lists by position. */
  readonly writes: readonly MemberWrite[]
}

/** One member that differs; undefined where it goes. */
export interface MemberWrite {
  readonly path: readonly (string | number)[]
  readonly to: Value | undefined
}

/**
 * What has to be written to turn `was` into `to`, so that all else in the value stays as the database holds it.
 * What was null or absent stays so.
 */
export function memberChanges(was: Value, to: Value): MemberChange[] {
  return changesAt([], was, to)
}

function changesAt(path: readonly string[], was: Value | undefined, to: Value | undefined): MemberChange[] {
  if (was === undefined || was === null || sameValue(was, to)) return []
  if (isMembers(was) && isMembers(to)) {
    return Object.keys(was).flatMap((name) => changesAt([...path, name], was[name], memberOf(to, name)))
  }
  return [{ path, was, to, writes: writesAt([], was, to) }]
}

function writesAt(path: readonly (string | number)[], was: Value, to: Value | undefined): MemberWrite[] {
  if (sameValue(was, to)) return []
  if (Array.isArray(was) && Array.isArray(to) && was.length === to.length) {
    return was.flatMap((element: Value, index) => writesAt([...path, index], element, to[index] as Value))
  }
  if (isMembers(was) && isMembers(to) && Object.keys(to).every((name) => Object.hasOwn(was, name))) {
    return Object.keys(was).flatMap((name) => writesAt([...path, name], was[name]!, memberOf(to, name)))
  }
  return [{ path, to }]
}

/** Whether two values are the same through and through, the order of members aside. */
export function sameValue(one: Value | undefined, other: Value | undefined): boolean {
  if (one === other) return true
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((element: Value, index) => sameValue(element, other[index] as Value))
    )
  }
  if (isTypedText(one) || isTypedText(other)) {
    return isTypedText(one) && isTypedText(other) && one.type === other.type && one.text === other.text
  }
  if (!isMembers(one) || !isMembers(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameValue(one[name], other[name]))
  )
}
