import { isConnected } from './needed-rows.js'
import { type Rows, subject, type World, type WorldReference, type WorldRow, type WorldTable } from './world.js'

/* Where a truth contradicts what the datasets say, so that nobody who reads them could know better. */

type Owners = ReadonlyMap<string, ReadonlySet<number>>

/**
 * A reference that a reader of the datasets may take for more than it is: its name says nothing, nobody says anything
 * else, and nothing else is described that says whose the row is.
 */
function mayMislead({ identities, owner, references }: WorldTable, { said, role, neutral }: WorldReference): boolean {
  const isGround = (other: WorldReference) => other.said !== 'no' && ['owner', 'party', 'names'].includes(other.role)
  return (
    said === 'without' &&
    neutral &&
    (role === 'handler' || role === 'parent') &&
    owner === undefined &&
    Object.keys(identities).length === 0 &&
    !references.some(isGround)
  )
}

/** An e-mail that is the subject's by now, on a row of somebody else's, and no word about which of its fields counts. */
function holdsRecycled({ people }: World, table: WorldTable, { values }: WorldRow): boolean {
  const email = values['email']
  return (
    table.kind === 'one' &&
    table.owner === undefined &&
    typeof email === 'string' &&
    email.toLowerCase() === people[subject]?.email
  )
}

/**
 * Rows that are not the subject's alone, although what is described makes them hers, and what hangs on them. Nothing is inferred
 * where ownership is declared: then only what is declared misleads.
 */
export function misledRows(world: World, rows: Rows, owners: Owners): ReadonlySet<string> {
  const isHers = (id: string) => owners.get(id)?.has(subject) === true
  const isHersAlone = (id: string) => isHers(id) && owners.get(id)?.size === 1
  const tables = new Map(world.tables.map((table) => [table.name, table]))
  const all = [...rows.values()].map((row) => ({ row, table: tables.get(row.table) as WorldTable }))
  const described = all.filter(({ table }) => table.said === 'described')
  const misled = new Set(
    described.filter(({ row, table }) => !isHers(row.id) && holdsRecycled(world, table, row)).map(({ row }) => row.id),
  )
  for (let size = -1; size < misled.size; ) {
    size = misled.size
    for (const { row, table } of described) {
      for (const reference of table.references) {
        const target = row.points[reference.name]
        if (!target || reference.said === 'no') continue
        const isInferred = !world.declared && mayMislead(table, reference) && isHers(target)
        const leads = reference.said === 'without' || !['handler', 'parent', 'catalogue'].includes(reference.role)
        if (!isHersAlone(row.id) && (isInferred || (leads && misled.has(target)))) misled.add(row.id)
        if (leads && misled.has(row.id) && !isHersAlone(target)) misled.add(target)
      }
    }
  }
  return misled
}

/** Rows of the subject's that a reference which may be taken for more than it is gives to somebody else. */
export function givenAwayRows(world: World, rows: Rows, owners: Owners): ReadonlySet<string> {
  if (world.declared) return new Set()
  const isHers = (id: string) => owners.get(id)?.has(subject) === true
  const given = [...rows.values()].filter((row) => {
    const table = world.tables.find(({ name }) => name === row.table) as WorldTable
    const isMisled = table.references.some((reference) => {
      const target = row.points[reference.name]
      return mayMislead(table, reference) && target && !isHers(target)
    })
    return isHers(row.id) && isMisled
  })
  return new Set(given.map(({ id }) => id))
}

/** Whether the datasets, or live foreign keys, tell that a row of the subject's is somebody else's as well. */
export function sharingIsTold(
  world: World,
  rows: Rows,
  owners: Owners,
  row: WorldRow,
  seen = new Set<string>(),
): boolean {
  if (seen.has(row.id)) return false
  seen.add(row.id)
  const isHers = (id: string) => owners.get(id)?.has(subject) === true
  const table = world.tables.find(({ name }) => name === row.table) as WorldTable
  const upwards = table.references.some((reference) => {
    const target = row.points[reference.name]
    if (!target || reference.said !== 'with direction') return false
    if (reference.role === 'party') return !isHers(target)
    if (reference.role !== 'owner' && reference.role !== 'names') return false
    return sharingIsTold(world, rows, owners, rows.get(target) as WorldRow, seen)
  })
  if (upwards) return true
  if (table.kind !== 'pointed') return false
  return world.tables.some((referencing) =>
    referencing.references.some(
      (reference) =>
        reference.role === 'theirs' &&
        isConnected(referencing, world) &&
        (reference.onDelete !== undefined || (referencing.said !== 'no' && reference.said !== 'no')) &&
        [...rows.values()].some(
          (each) => each.table === referencing.name && each.points[reference.name] === row.id && !isHers(each.id),
        ),
    ),
  )
}
