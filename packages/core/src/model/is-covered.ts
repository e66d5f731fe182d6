/** The parent of each taxonomy key that has one, for keys whose parent is not their own dotted prefix. */
export type ParentLinks = ReadonlyMap<string, string>

/**
 * Whether `target` covers `key`: they are equal, or `key` lies below it, by whole dotted segments or by parent links.
 * `user.name` covers `user.name.first` but not `user.name_x`.
 */
export function isCovered(key: string, target: string, parents?: ParentLinks): boolean {
  if (key === target || key.startsWith(`${target}.`)) return true
  return parents !== undefined && ancestors(key, parents).includes(target)
}

/** All keys above `key`, nearest first, each once. The walk stops at a circle of links. */
export function ancestors(key: string, parents?: ParentLinks): string[] {
  const found = new Set([key])
  for (const current of found) {
    const parent = parents?.get(current)
    if (parent !== undefined) found.add(parent)
    const dot = current.lastIndexOf('.')
    if (dot > 0) found.add(current.slice(0, dot))
  }
  found.delete(key)
  return [...found]
}
