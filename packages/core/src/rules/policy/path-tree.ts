import { isStructured, type Value } from '../../model/value.js'

/** Paths by their segments. A node without members is delivered whole. */
export interface PathTree {
  readonly members: ReadonlyMap<string, PathTree>
  /** A member below is undecided, and so is a plain value in its place. */
  readonly leavesPlain?: true
}

interface GrowingTree extends PathTree {
  readonly members: Map<string, GrowingTree>
  leavesPlain?: true
}

/** The tree of at least one path. A path below another one adds nothing. `undecided`: paths of members that are left out. */
export function pathTree(
  paths: readonly (readonly string[])[],
  undecided: readonly (readonly string[])[] = [],
): PathTree {
  const root: GrowingTree = { members: new Map() }
  for (const path of [...paths].sort((a, b) => a.length - b.length)) {
    let node = root
    for (const segment of path) {
      const known = node.members.get(segment)
      if (known?.members.size === 0) break
      const next = known ?? { members: new Map() }
      node.members.set(segment, next)
      node = next
    }
  }
  for (const path of undecided) {
    let node = root
    for (const segment of path) {
      const next = node.members.get(segment)
      if (!next || next.members.size === 0) break
      next.leavesPlain = true
      node = next
    }
  }
  return root
}

/**
 * The delivered part of a value (see docs/semantics.md, 'What is delivered'). Nesting stays. Objects and elements
 * without delivered content are removed. null, false and 0 stay, and so does a plain value that stands where members are
 * described. Undefined when nothing is left.
 */
export function project(value: Value | undefined, tree: PathTree): Value | undefined {
  if (!isStructured(value)) return tree.leavesPlain && value !== null ? undefined : value
  if (Array.isArray(value)) {
    const elements = value.map((element) => project(element, tree)).filter((element) => element !== undefined)
    return elements.length > 0 ? (elements as Value) : undefined
  }
  const whole = tree.members.size === 0
  const members: [string, Value][] = []
  for (const [name, inner] of Object.entries(value)) {
    const next = whole ? tree : tree.members.get(name)
    const kept = next && project(inner, next)
    if (kept !== undefined) members.push([name, kept])
  }
  return members.length > 0 ? Object.fromEntries(members) : undefined
}
