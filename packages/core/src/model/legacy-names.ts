import type { Issue } from '../errors.js'
import { isPlainObject, type Warning } from './clean-input.js'

type Location = Issue['loc']

/** An outside value with the older names replaced, and a function that maps places back to what the caller wrote. */
export interface LegacyReading {
  readonly input: unknown
  readonly warnings: readonly Warning[]
  readonly locate: (loc: Location) => Location
}

/** Notes which members a reading moved and which it could not take over. */
export function legacyNotes() {
  const warnings: Warning[] = []
  const moves = new Map<string, Location>()
  return {
    warnings,
    moved: (from: Location, to: Location) => void moves.set(JSON.stringify(to), from),
    warn: (loc: Location, msg: string) => void warnings.push({ loc, msg }),
    locate(loc: Location): Location {
      for (let length = loc.length; length > 0; length--) {
        const from = moves.get(JSON.stringify(loc.slice(0, length)))
        if (from) return [...from, ...loc.slice(length)]
      }
      return loc
    },
  }
}

export type LegacyNotes = ReturnType<typeof legacyNotes>

const keyNames = { fides_key: 'service_key', organization_fides_key: 'organization_service_key' }

/**
 * Renames `fides_key` and `organization_fides_key` in one object to the current names. Where both are given, the
 * current name wins.
 */
export function renameKeys(
  object: Record<string, unknown>,
  loc: Location,
  notes: LegacyNotes,
): Record<string, unknown> {
  const renamed = { ...object }
  for (const [from, to] of Object.entries(keyNames)) {
    if (!Object.hasOwn(renamed, from)) continue
    if (renamed[from] != null && !renamed[to]) {
      renamed[to] = renamed[from]
      notes.moved([...loc, from], [...loc, to])
      notes.warn([...loc, from], `was read as ${to}`)
    }
    delete renamed[from]
  }
  return renamed
}

/** Renames the older key names in a resource other than a dataset, and in the objects of its `lists`. */
export function readLegacyKeys(input: unknown, lists: readonly string[] = []): LegacyReading {
  const notes = legacyNotes()
  if (!isPlainObject(input)) return { input, ...notes }
  const renamed = renameKeys(input, [], notes)
  for (const name of lists) {
    const list = renamed[name]
    if (!Array.isArray(list)) continue
    renamed[name] = list.map((item, index) => (isPlainObject(item) ? renameKeys(item, [name, index], notes) : item))
  }
  return { input: renamed, ...notes }
}
