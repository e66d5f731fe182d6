import { isPlainObject } from '../../model/clean-input.js'

/** As deep as any parser looks. Deeper values are taken as they are, for the parser to refuse. */
const maxDepth = 64

/** A JSON merge patch (RFC 7396): omitted members stay, null clears, objects merge, lists are replaced whole. */
export function mergePatch(target: unknown, patch: unknown, depth = 0): unknown {
  if (!isPlainObject(patch) || depth > maxDepth) return patch
  const merged = new Map(isPlainObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else if (value !== undefined) merged.set(name, mergePatch(merged.get(name), value, depth + 1))
  }
  // Unlike assignment, this makes a member even of '__proto__', which the parser then refuses.
  return Object.fromEntries(merged)
}
