import type { Connector } from '@habeas/core'
import { ownValues } from './fill-world.js'
import { canBePointedTo, referencing } from './spell.js'
import { ownersOf, type Rows, subject, tableOf, type World, type WorldReference, type WorldRow } from './world.js'
import type { ChangeShape } from './world-shape.js'
import type { Change, Dump } from './world-store.js'

/* What other people do while a request runs, and what is true from then on. */

export interface Meanwhile extends Change {
  /** The truth afterwards. */
  readonly rows: Rows
  /** Tables that rows of another database point to now. */
  readonly crossed: ReadonlySet<string>
}

type Move = { readonly row: WorldRow; readonly reference: WorldReference; readonly target: WorldRow | undefined }

const decides = ({ role }: WorldReference) => role === 'owner' || role === 'party'

const pick = <Each>(list: readonly Each[], at: number | undefined): Each | undefined =>
  list[(at ?? 0) % Math.max(list.length, 1)]

/** Nobody can know what points here from a table of another database that no dataset describes: a foreign key cannot say it. */
const canBeSeen = (world: World, { table }: WorldRow, { to }: WorldReference) =>
  tableOf(world, table).said === 'described' || tableOf(world, table).dataset === tableOf(world, to).dataset

/** What becomes of a truth when rows point elsewhere and further ones come. */
function changed(world: World, rows: Rows, moves: readonly Move[], inserted: readonly WorldRow[] = []): Meanwhile {
  const next = new Map(rows)
  const set = moves.map(({ row, reference, target }) => {
    const values = referencing(world, reference, target, 0)
    const now = next.get(row.id) as WorldRow
    next.set(row.id, {
      ...now,
      values: { ...now.values, ...values },
      points: { ...now.points, [reference.name]: target?.id ?? null },
    })
    return { row, values }
  })
  for (const row of inserted) next.set(row.id, row)
  // Whose the moved row is counts for all that it points to.
  const crossed = moves.flatMap(({ row }) => {
    const { dataset, references } = tableOf(world, row.table)
    return references.flatMap(({ to }) => (tableOf(world, to).dataset === dataset ? [] : [to]))
  })
  return { set, inserted, rows: next, crossed: new Set(crossed) }
}

/** A change as the shape has it, or nothing where the world has no place for it. */
export function changeOf(world: World, rows: Rows, { kind, picks }: ChangeShape, present: Dump): Meanwhile | undefined {
  const owners = ownersOf(world, rows)
  const isHers = ({ id }: WorldRow) => owners.get(id)?.has(subject) === true
  const there = [...rows.values()].filter(({ id }) => present.has(id))
  const rowsIn = (name: string) => there.filter(({ table }) => table === name)
  const ways = (of: (reference: WorldReference) => boolean) =>
    there.flatMap((row) =>
      tableOf(world, row.table).references.flatMap((reference) => (of(reference) ? [{ row, reference }] : [])),
    )

  if (kind === 'reassign') {
    const hers = (picks[0] as number) % 3 > 0
    const way = pick(
      ways(decides).filter(({ row }) => isHers(row) === hers),
      picks[1],
    )
    const target =
      way &&
      pick(
        rowsIn(way.reference.to).filter((each) => isHers(each) !== hers && canBePointedTo(way.reference, each)),
        picks[2],
      )
    return way && target && changed(world, rows, [{ ...way, target }])
  }
  if (kind === 'point' || kind === 'move') {
    const theirs = ways(({ role }) => role === 'theirs').filter(({ row, reference }) =>
      canBeSeen(world, row, reference),
    )
    const target = pick(
      there.filter((row) => isHers(row) && tableOf(world, row.table).kind === 'pointed'),
      picks[0],
    )
    const to = theirs.filter(({ reference, row }) => target && reference.to === target.table && row.id !== target.id)
    const way = pick(
      to.filter(({ row }) => !isHers(row)),
      picks[1],
    )
    if (!target || !way) return undefined
    const isLeaving = ({ row, reference }: (typeof to)[number]) =>
      row.points[reference.name] === target.id && !(row === way.row && reference === way.reference)
    const left = kind === 'point' ? [] : to.filter(isLeaving)
    const instead = rowsIn(target.table).find(({ id }) => id !== target.id)
    if (left.some(({ reference }) => !reference.nullable) && !instead) return undefined
    return changed(world, rows, [
      { ...way, target },
      ...left.map((each) => ({ ...each, target: each.reference.nullable ? undefined : instead })),
    ])
  }
  if (kind === 'insert') {
    const table = pick(
      world.tables.filter((each) => each.kind === 'one' || each.kind === 'two'),
      picks[0],
    )
    if (!table) return undefined
    const id = 'n0'
    const bare: WorldRow = {
      id,
      table: table.name,
      points: {},
      by: [],
      values: ownValues(table, id, 1_000 + (picks[1] as number), 0),
    }
    const moves = table.references.map((reference, at) => {
      const possible = rowsIn(reference.to).filter((each) => canBePointedTo(reference, each))
      return { row: bare, reference, target: pick(possible, picks[1 + (at % 3)]) }
    })
    if (moves.some(({ target, reference }) => !target && !reference.nullable)) return undefined
    const made = changed(world, new Map([...rows, [id, bare]]), moves).rows.get(id) as WorldRow
    return changed(world, rows, [], [made])
  }
  const row = rowsIn(world.tables[0]?.name ?? '').find(isHers)
  if (!row) return undefined
  const values = { email: 'p0-new@example.com' }
  const renamed = { ...row, values: { ...row.values, ...values } }
  return { set: [{ row, values }], inserted: [], rows: new Map([...rows, [row.id, renamed]]), crossed: new Set() }
}

/** A connector before one of whose calls something happens, once; `happen` is told what is about to be written. */
export function interrupted(
  connector: Connector,
  { moment, at }: Pick<ChangeShape, 'moment' | 'at'>,
  happen: (written?: string) => Promise<void>,
): Connector {
  let left = at
  async function reached(call: ChangeShape['moment'], written?: string) {
    if (call !== moment) return
    left -= 1
    if (left === -1) await happen(written)
  }
  return {
    ...connector,
    async connect(secrets) {
      const connection = await connector.connect(secrets)
      return {
        ...connection,
        async *read(read, options) {
          await reached('read')
          yield* connection.read(read, options)
        },
        async count(read, options) {
          await reached('count')
          return connection.count(read, options)
        },
        async erase(erase, options) {
          await reached(options?.rollBack ? 'trial' : 'erase', erase.collection)
          await connection.erase?.(erase, options)
        },
      }
    },
  }
}
