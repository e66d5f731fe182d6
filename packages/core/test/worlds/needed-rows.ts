import { type Rows, subject, type World, type WorldReference, type WorldRow, type WorldTable } from './world.js'

/* Which rows of the subject's a request must account for: those to which what is described leads, by way of her own. */

export const isConnected = ({ dataset }: WorldTable, { second }: World): boolean =>
  dataset === 'a' || second === 'there' || second === 'read-only'

/** Whether anybody can look into it. */
export const isSearchable = (table: WorldTable, world: World): boolean =>
  table.said === 'described' && isConnected(table, world)

/** What a row says of whose it is. */
interface Claim {
  /** Said to count before everything else. */
  readonly decisive: WorldReference | undefined
  readonly owners: readonly WorldReference[]
  readonly holdsIdentity: boolean
}

function claimOf(table: WorldTable, { points, values }: WorldRow): Claim {
  const held = table.references.filter(({ name, said }) => said !== 'no' && points[name])
  return {
    decisive: table.owner
      ?.map((column) => held.find(({ columns }) => columns[0]?.name === column))
      .find((reference) => reference !== undefined),
    owners: held.filter(({ role }) => role === 'owner' || role === 'party' || role === 'names'),
    holdsIdentity: Object.keys(table.identities).some(
      (column) => (values[column] ?? null) !== null && values[column] !== table.placeholders[column],
    ),
  }
}

/** Whether a reference leads from the row it points to down to the row that has it. */
const leadsDown = ({ name, said, role }: WorldReference, { decisive }: Claim): boolean =>
  said !== 'no' &&
  (decisive ? decisive.name === name : said === 'without' || role === 'owner' || role === 'party' || role === 'names')

/**
 * Whether a reference leads up to the row it points to. What says itself whose it is does not become somebody's because
 * they point to it.
 */
function leadsUp({ said, role }: WorldReference, { decisive, owners, holdsIdentity }: Claim): boolean {
  if (said === 'no' || decisive) return false
  if (role === 'names' && said === 'with direction') return true
  return owners.length === 0 && (said === 'without' ? !holdsIdentity : role === 'theirs')
}

/** Whether a row holds an identity of the request, and nothing is said to count for more than that. */
function isNamed({ identities: asked }: World, table: WorldTable, row: WorldRow): boolean {
  if (claimOf(table, row).decisive) return false
  return Object.entries(table.identities).some(([column, property]) =>
    asked.some((identity) => {
      const value = row.values[column]
      return typeof value === 'string' && value.toLowerCase() === identity[property]?.toLowerCase()
    }),
  )
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
  const ways = new Map<string, { readonly to: string; readonly isSaid: boolean }[]>()
  const lead = (from: string, to: string, { said }: WorldReference) =>
    ways.set(from, [...(ways.get(from) ?? []), { to, isSaid: said === 'with direction' }])
  const found: string[] = []
  for (const row of rows.values()) {
    const table = tables.get(row.table) as WorldTable
    if (table.said === 'no') continue
    for (const reference of table.references) {
      const target = row.points[reference.name]
      if (!target) continue
      const above = rows.get(target) as WorldRow
      if (leadsDown(reference, claimOf(table, row))) lead(target, row.id, reference)
      if (leadsUp(reference, claimOf(tables.get(above.table) as WorldTable, above))) lead(row.id, target, reference)
    }
    if (isHers(row.id) && isSearchable(table, world) && isNamed(world, table, row)) found.push(row.id)
  }
  const needed = new Set(found)
  // what is itself only guessed at, and of which no row is asked for, is no ground for a further guess
  const guessed = new Set<string>()
  for (const id of needed) {
    if (!followed(id)) continue
    for (const { to, isSaid } of ways.get(id) ?? []) {
      if (!isHers(to) || (guessed.has(id) && !isSaid)) continue
      const isGuess = !isSaid && !tables.get(rows.get(to)?.table ?? '')?.targeted
      if (isGuess && !needed.has(to)) guessed.add(to)
      if (!isGuess && guessed.delete(to)) needed.delete(to)
      needed.add(to)
    }
  }
  return needed
}
