import type { ViewRow } from '@habeas/sql'
import type { DefinedView } from './catalogue-lists.js'

type Path = readonly [schema: string, table: string]

const keyOf = (path: Path) => JSON.stringify(path)

/** What is known of the views of all databases: the tables they show, with other views resolved. */
export interface KnownViews {
  viewOf(schema: string, name: string): Omit<ViewRow, 'collection'>
  /**
   * Whether its rows depend on who asks, so that some may be hidden from the user of the connection. `unknown`: the user may not see
   * the statement of the view, or of one that it shows.
   */
  dependsOnUser(schema: string, name: string): boolean | 'unknown'
}

interface Behind {
  /** Undefined where they are not known. */
  readonly tables: readonly Path[] | undefined
  readonly byUser: boolean | 'unknown'
}

/** Reads the statements of views. The server writes every name in them in full and in quotes. */
export function knownViews(views: readonly DefinedView[], tables: ReadonlySet<string>): KnownViews {
  const byName = new Map(views.map((view) => [keyOf([view.schema, view.name]), view]))

  function behind(path: Path, seen: ReadonlySet<string>): Behind {
    const view = byName.get(keyOf(path))
    // a user without SHOW VIEW sees no statement
    if (!view?.definition) return { tables: undefined, byUser: view ? 'unknown' : false }
    const { definition } = view
    const found = new Map<string, Path>()
    let isKnown = true
    let byUser: Behind['byUser'] = /\b(?:current_user|session_user|system_user|user|current_role)\s*\(/i.test(
      withoutTexts(definition),
    )
    for (const named of namedIn(definition)) {
      const key = keyOf(named)
      if (!tables.has(key) || seen.has(key)) continue
      if (!byName.has(key)) {
        found.set(key, named)
        continue
      }
      const inner = behind(named, new Set([...seen, key]))
      // what is known of one of them is known of all
      if (byUser !== true && inner.byUser) byUser = inner.byUser
      isKnown &&= inner.tables !== undefined
      for (const each of inner.tables ?? []) found.set(keyOf(each), each)
    }
    return { tables: isKnown ? [...found.values()] : undefined, byUser }
  }

  return {
    viewOf(schema, name) {
      const path: Path = [schema, name]
      const shown = behind(path, new Set([keyOf(path)])).tables
      return { writable: Boolean(byName.get(keyOf(path))?.updatable), ...(shown && { shows: shown }) }
    },
    dependsOnUser(schema, name) {
      const path: Path = [schema, name]
      return behind(path, new Set([keyOf(path)])).byUser
    },
  }
}

/** Returns the names of two parts in a statement, those that begin a longer name among them. */
function namedIn(definition: string): Path[] {
  const name = '`((?:[^`]|``)+)`'
  return [...withoutTexts(definition).matchAll(new RegExp(`${name}\\.(?=${name})`, 'g'))].map(
    ([, schema, table]) => [schema, table].map((part) => (part as string).replaceAll('``', '`')) as unknown as Path,
  )
}

/** A name in quotes stays, whatever signs it has. */
function withoutTexts(definition: string): string {
  return definition.replaceAll(/`(?:[^`]|``)*`|'(?:[^'\\]|''|\\.)*'/gs, (found) =>
    found.startsWith('`') ? found : "''",
  )
}
