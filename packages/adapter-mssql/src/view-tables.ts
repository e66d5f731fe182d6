import type { ViewRow } from '@habeas/sql'
import type { ViewPart } from './catalogue-rows.js'

type Path = readonly [schema: string, table: string]

const keyOf = (path: Path) => JSON.stringify(path)

/** Returns the tables that a view shows, with other views resolved; undefined where they are not known. */
export function shownTables(parts: readonly ViewPart[]): (view: Path) => ViewRow['shows'] {
  const byView = new Map<string, ViewPart[]>()
  for (const part of parts) byView.set(keyOf(part.view), [...(byView.get(keyOf(part.view)) ?? []), part])

  function behind(view: Path, seen: ReadonlySet<string>): Map<string, Path> | undefined {
    const found = new Map<string, Path>()
    const named = byView.get(keyOf(view))
    if (!named) return undefined
    for (const { named: path, type } of named) {
      // a scalar function gives no rows; a function that does may read anything
      if (type === 'FN') continue
      if (path === null || (type !== 'U' && type !== 'V')) return undefined
      if (type === 'U') found.set(keyOf(path), path)
      else if (!seen.has(keyOf(path))) {
        const inner = behind(path, new Set([...seen, keyOf(path)]))
        if (!inner) return undefined
        for (const [key, each] of inner) found.set(key, each)
      }
    }
    return found
  }

  return (view) => {
    const found = behind(view, new Set([keyOf(view)]))
    return found && [...found.values()]
  }
}
