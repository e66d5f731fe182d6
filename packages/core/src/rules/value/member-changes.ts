import { isMembers, isTypedText, type Members, memberOf, type Value } from '../../model/value.js'

/** A change at one place inside a value, with the value that must still be there when it is written. */
export interface MemberChange {
  /** Leads through objects only and ends at a list, since positions in a list may shift. Empty: the whole value. */
  readonly path: readonly string[]
  /** The value at `path` when the row was read: the member itself, or the list in which members change. */
  readonly was: Value
  /** The new value at `path`. Undefined where the member is removed. */
  readonly to: Value | undefined
  /** The same change, reduced to the differences. Their paths continue `path` and lead through lists by position. */
  readonly writes: readonly MemberWrite[]
}

/** One changed member. Undefined where it is removed. */
export interface MemberWrite {
  readonly path: readonly (string | number)[]
  readonly to: Value | undefined
}

/**
 * The changes that turn `was` into `to`. Everything else in the value stays as the database holds it. A null or absent
 * value stays so.
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

/**
 * The current value with the changes that turn `was` into `to`, wherever it still holds what it was. For sources that
 * cannot write members one by one.
 */
export function withMemberChanges(current: Value, was: Value, to: Value): Value {
  return memberChanges(was, to).reduce((value, change) => {
    const held = change.path.reduce<Value | undefined>(memberOf, value)
    return sameValue(held, change.was) ? replaced(value, change.path, change.to) : value
  }, current)
}

function replaced(value: Value, [name, ...rest]: readonly string[], to: Value | undefined): Value {
  if (name === undefined) return to ?? null
  const { [name]: member, ...others } = value as Members
  if (rest.length === 0 && to === undefined) return others
  // in place, so that members keep their order
  return { ...(value as Members), [name]: rest.length === 0 ? (to as Value) : replaced(member as Value, rest, to) }
}

/** Whether two values are deeply equal, whatever the order of members. */
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
