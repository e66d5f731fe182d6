import { type Column, type MemberChange, memberChanges, sameValue, type Value } from '@habeas/core'
import type { Document } from 'mongodb'
import { bsonLike, columnAt, readValue } from './bson-value.js'
import { isDocument, storedMember } from './stored-document.js'

/** A new value for what lies at a path through objects, and what lies there still. Undefined where it is removed. */
export interface PathWrite {
  readonly path: readonly string[]
  readonly held: unknown
  readonly to: unknown
}

/** That the type of what is stored cannot hold a new value. */
export class UnfitValue extends Error {}

/**
 * The writes that turn a stored column from `was` into `to`, member by member. Members that hold something else by now are
 * left, and so are lists of which any element has changed. What is not written keeps its BSON type.
 */
export function memberWrites(
  column: string,
  held: unknown,
  was: Value,
  to: Value,
  columns: readonly Column[] = [],
): PathWrite[] {
  return memberChanges(was, to).flatMap((change) => {
    const at = heldAt(held, change.path)
    if (at === undefined || !sameValue(readValue(at, columnAt(columns, [column, ...change.path])), change.was))
      return []
    return [{ path: [column, ...change.path], held: at, to: rewritten(at, change) }]
  })
}

function heldAt(held: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isDocument(value) ? storedMember(value, name) : undefined), held)
}

function rewritten(held: unknown, { to, writes }: MemberChange): unknown {
  if (to === undefined) return undefined
  return writes.reduce<unknown>((value, write) => withWrite(value, write.path, write.to), held)
}

function withWrite(held: unknown, [name, ...rest]: readonly (string | number)[], to: Value | undefined): unknown {
  if (name === undefined) return fitted(to ?? null, held)
  if (typeof name === 'number') {
    return (held as readonly unknown[]).map((element, at) => (at === name ? withWrite(element, rest, to) : element))
  }
  const members = Object.entries(held as Document)
  if (rest.length === 0 && to === undefined) return Object.fromEntries(members.filter(([member]) => member !== name))
  return Object.fromEntries(
    members.map(([member, value]) => [member, member === name ? withWrite(value, rest, to) : value]),
  )
}

/** The new value in the type of the stored one. */
export function fitted(to: Value, held: unknown): unknown {
  const value = bsonLike(to, held)
  if (value === undefined) throw new UnfitValue()
  return value
}
