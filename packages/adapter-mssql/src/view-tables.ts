import type { Rights, ViewPart } from './catalogue-rows.js'

type Path = readonly [schema: string, table: string]

const keyOf = (path: Path) => JSON.stringify(path)

/** What a view shows, with other views resolved. */
export interface Shown {
  /** Undefined where not all of its tables are known. */
  readonly tables: readonly Path[] | undefined
  /** Whether a policy or a mask of one of them may hide something from the user. */
  readonly hides: boolean
}

export function shownTables(
  parts: readonly ViewPart[],
  { seesValues }: Pick<Rights, 'seesValues'>,
): (view: Path) => Shown {
  const byView = new Map<string, ViewPart[]>()
  for (const part of parts) byView.set(keyOf(part.view), [...(byView.get(keyOf(part.view)) ?? []), part])

  /** Returns what is named behind a view, in any depth. */
  function behind(view: Path, seen: Set<string>): ViewPart[] | undefined {
    seen.add(keyOf(view))
    const named = byView.get(keyOf(view))
    if (!named) return undefined
    const found: ViewPart[] = []
    for (const part of named) {
      found.push(part)
      if (part.type !== 'V' || part.named === null || seen.has(keyOf(part.named))) continue
      const inner = behind(part.named, seen)
      if (!inner) return undefined
      found.push(...inner)
    }
    return found
  }

  return (view) => {
    const named = behind(view, new Set())
    const hides = named?.some(({ secured, masked }) => secured || (masked && !seesValues)) ?? false
    // a scalar function gives no rows; a function that does may read anything
    if (!named?.every(({ named, type }) => named !== null && /^(?:U|V|FN)$/.test(type)))
      return { tables: undefined, hides }
    const tables = new Map(named.flatMap(({ named, type }) => (named && type === 'U' ? [[keyOf(named), named]] : [])))
    return { tables: [...tables.values()], hides }
  }
}
