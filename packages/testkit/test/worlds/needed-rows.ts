import { type Rows, subject, type World, type WorldReference, type WorldTable } from './world.js'

/* Which rows of the subject's a request must account for: those to which what is described leads, by way of her own. */

export const isConnected = ({ dataset }: WorldTable, { second }: World): boolean =>
  dataset === 'a' || second === 'there' || second === 'read-only'

/** Whether anybody can look into it. */
export const isSearchable = (table: WorldTable, world: World): boolean =>
  table.said === 'described' && isConnected(table, world)

/** Which way what is described leads over a reference: to the row that has it, to the row it points to. */
function waysOf({ said, role }: WorldReference): { down: boolean; up: boolean } {
  if (said === 'no') return { down: false, up: false }
  if (said === 'without' || role === 'names') return { down: true, up: true }
  return { down: role === 'owner' || role === 'party', up: role === 'theirs' }
}

/**
 * Her rows that hold an identity of hers, and those that a way leads to from a row that `followed` says the request has
 * gone on from.
 */
export function neededRows(
  world: World,
  rows: Rows,
  owners: ReadonlyMap<string, ReadonlySet<number>>,
  followed: (id: string) => boolean,
): ReadonlySet<string> {
  const tables = new Map(world.tables.map((table) => [table.name, table]))
  const isHers = (id: string) => owners.get(id)?.has(subject) === true
  const ways = new Map<string, string[]>()
  const lead = (from: string, to: string) => ways.set(from, [...(ways.get(from) ?? []), to])
  const found: string[] = []
  for (const row of rows.values()) {
    const table = tables.get(row.table) as WorldTable
    if (table.said === 'no') continue
    for (const reference of table.references) {
      const target = row.points[reference.name]
      if (!target) continue
      const { down, up } = waysOf(reference)
      if (down) lead(target, row.id)
      if (up) lead(row.id, target)
    }
    const holds = Object.entries(table.identities).some(([column, property]) =>
      world.identities.some((identity) => {
        const value = row.values[column]
        return typeof value === 'string' && value.toLowerCase() === identity[property]?.toLowerCase()
      }),
    )
    if (holds && isHers(row.id) && isSearchable(table, world)) found.push(row.id)
  }
  const needed = new Set(found)
  for (const id of needed) {
    if (!followed(id)) continue
    for (const next of ways.get(id) ?? []) if (isHers(next)) needed.add(next)
  }
  return needed
}
