import { viewName } from './describe-world.js'
import { givenAwayRows, misledRows, sharingIsTold } from './misled-rows.js'
import { handedOut, namesTable, reasonOf, type Said, saidOf, saysNothingChanged } from './named-rows.js'
import { isSearchable, neededRows } from './needed-rows.js'
import { type Asked, changedRows, type WorldRun } from './run-world.js'
import { ownersOf, type Rows, subject, type WorldRow, type WorldTable } from './world.js'

/** Something that must not be. `excused`: what is described misleads. */
export interface Violation {
  readonly kind: string
  readonly detail: string
  readonly excused?: true
}

interface Truth {
  readonly rows: Rows
  readonly owners: ReadonlyMap<string, ReadonlySet<number>>
  readonly misled: ReadonlySet<string>
}

export interface Verdict {
  readonly violations: readonly Violation[]
  /** Rows of the subject's; of all rows, those handed out or changed; those nobody decided. */
  readonly hers: number
  readonly touched: number
  readonly undecided: number
}

const addressOf = ({ dataset, name }: WorldTable) => `${dataset}:${name}`
const isOwn = ({ owners }: Truth, id: string) => owners.get(id)?.has(subject) === true
const tagsIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:note|remark) of (\w+)/gi)].map(([, tag]) => (tag as string).toLowerCase())

/** Judges what an engine did by the truth, which it could not see. */
export function judgeWorld(run: WorldRun): Verdict {
  const { world, phases, asked } = run
  const truths = phases.map(({ rows }): Truth => {
    const owners = ownersOf(world, rows)
    return { rows, owners, misled: misledRows(world, rows, owners) }
  })
  const last = asked.at(-1) as Asked
  const delivered = new Set(asked.flatMap((each) => [...handedOut(each).values()].flat().flatMap(tagsIn)))
  const changed = phases.flatMap((phase) => changedRows(phase))
  const said = saidOf(last)
  return {
    violations: [
      ...deliveredOthers(run, truths),
      ...changedOthers(run, truths),
      ...asked.flatMap((each) => untold(each)),
      ...(last.request.status === 'complete'
        ? [
            ...missed(run, truths, said, delivered),
            ...unnamed(run, truths, said, delivered),
            ...miscounted(run, last, said),
          ]
        : []),
    ],
    hers: [...world.rows.keys()].filter((id) => isOwn(truths[0] as Truth, id)).length,
    touched: new Set([...delivered, ...changed]).size,
    undecided: [...said.values()].reduce((sum, { undecided }) => sum + undecided, 0),
  }
}

const excuse = (truths: readonly Truth[], id: string) =>
  truths.some(({ misled }) => misled.has(id)) ? { excused: true as const } : {}

function deliveredOthers({ world, asked }: WorldRun, truths: readonly Truth[]): Violation[] {
  const free = new Set(
    world.tables
      .filter(({ others }) => others)
      .flatMap((table) => [addressOf(table), `${table.dataset}:${viewName(table.name)}`]),
  )
  return asked.flatMap((each) =>
    [...handedOut(each)].flatMap(([address, texts]) =>
      free.has(address)
        ? []
        : texts.flatMap((text): Violation[] => {
            const [tag] = tagsIn(text)
            if (tag === undefined) return [{ kind: 'delivered a row that tells nothing', detail: `${address} ${text}` }]
            if (truths.some((truth) => isOwn(truth, tag))) return []
            return [{ kind: "delivered another's row", detail: `${tag} of ${address}`, ...excuse(truths, tag) }]
          }),
    ),
  )
}

function changedOthers({ world, phases }: WorldRun, truths: readonly Truth[]): Violation[] {
  return phases.flatMap((phase, at) => {
    const truth = truths[at] as Truth
    return changedRows(phase).flatMap((tag): Violation[] => {
      const row = truth.rows.get(tag) as WorldRow
      const how = !phase.before.has(tag) ? 'made' : phase.after.has(tag) ? 'changed' : 'deleted'
      const detail = `${tag} of ${row?.table}`
      if (how === 'made') return [{ kind: 'made a row', detail }]
      if (!isOwn(truth, tag)) return [{ kind: `${how} another's row`, detail, ...excuse([truth], tag) }]
      const { onShared } = world.tables.find(({ name }) => name === row.table) as WorldTable
      const isShared = (truth.owners.get(tag)?.size ?? 0) > 1 && onShared === 'retain'
      return isShared && sharingIsTold(world, truth.rows, truth.owners, row)
        ? [{ kind: `${how} a shared row`, detail, ...excuse([truth], tag) }]
        : []
    })
  })
}

/** What ended or stopped without saying why, or said that nothing was done though something was. */
function untold(each: Asked): Violation[] {
  const { status } = each.request
  if (status === 'complete') return []
  const reason = reasonOf(each)
  return [
    ...(reason ? [] : [{ kind: `${status} without a reason`, detail: each.request.id }]),
    ...(saysNothingChanged(each) && each.changed.length > 0
      ? [{ kind: `${status}, and something was changed`, detail: each.changed.join(', ') }]
      : []),
  ]
}

const targetedColumns = ['note', 'remark', 'full_name', 'email', 'phone']

/** Whether a request has done with a row what it was to do. */
function isDone({ mode, phases }: WorldRun, delivered: ReadonlySet<string>, id: string): boolean {
  if (mode === 'access') return delivered.has(id)
  const [before, after] = [phases[0]?.before.get(id), phases.at(-1)?.after.get(id)]
  return (
    after === undefined ||
    targetedColumns.every((column) => (before?.[column] ?? null) === null || before?.[column] !== after[column])
  )
}

/** Rows of the subject's that are neither handed out nor erased nor named. */
function missed(
  run: WorldRun,
  truths: readonly Truth[],
  said: ReadonlyMap<string, Said>,
  delivered: ReadonlySet<string>,
): Violation[] {
  const { world, phases } = run
  const tables = new Map(world.tables.map((table) => [table.name, table]))
  const tableOf = (id: string) => tables.get((world.rows.get(id) as WorldRow).table) as WorldTable
  const saidFor = (table: WorldTable) => said.get(addressOf(table))
  const isFollowed = (id: string) => {
    if (!world.rows.has(id)) return false
    const table = tableOf(id)
    return table.targeted ? isDone(run, delivered, id) : (saidFor(table)?.left ?? 0) === 0
  }
  const [first, final] = [truths[0] as Truth, truths.at(-1) as Truth]
  const needed = neededRows(world, final.rows, final.owners, isFollowed)
  const left = [...neededRows(world, first.rows, first.owners, isFollowed)].filter(
    (id) =>
      needed.has(id) &&
      truths.every((truth) => isOwn(truth, id)) &&
      phases.every(({ before }) => before.has(id)) &&
      tableOf(id).targeted &&
      !isDone(run, delivered, id),
  )
  return world.tables.flatMap((table): Violation[] => {
    const rows = left.filter((id) => tableOf(id) === table)
    const about = saidFor(table)
    if (rows.length <= (about?.left ?? 0)) return []
    const words = about ? `names ${about.left}` : 'says nothing'
    const detail = `${rows.join(', ')} of ${addressOf(table)}, which ${words}`
    const given = truths.map((truth) => givenAwayRows(world, truth.rows, truth.owners))
    const isExcused = rows.every((id) => given.some((some) => some.has(id)))
    return [{ kind: `lost a row of hers (${run.mode})`, detail, ...(isExcused && { excused: true as const }) }]
  })
}

/** Collections of which nothing is said, and undescribed tables that point to what was found of hers. */
function unnamed(
  run: WorldRun,
  truths: readonly Truth[],
  said: ReadonlyMap<string, Said>,
  delivered: ReadonlySet<string>,
): Violation[] {
  const { world, asked } = run
  const truth = truths[0] as Truth
  return world.tables.flatMap((table): Violation[] => {
    const address = addressOf(table)
    if (table.said !== 'no') return said.has(address) ? [] : [{ kind: 'said nothing of a collection', detail: address }]
    const pointsToHers = [...truth.rows.values()].some(
      (row) =>
        row.table === table.name &&
        table.references.some(({ name, to, role, onDelete }) => {
          const target = world.tables.find((each) => each.name === to) as WorldTable
          const id = row.points[name]
          return (
            onDelete !== undefined &&
            (role === 'owner' || role === 'party') &&
            isSearchable(target, world) &&
            id !== undefined &&
            id !== null &&
            isOwn(truth, id) &&
            target.targeted &&
            isDone(run, delivered, id)
          )
        }),
    )
    return pointsToHers && !namesTable(asked.at(-1) as Asked, table.name)
      ? [{ kind: 'did not name an undescribed table', detail: address }]
      : []
  })
}

/** Counts that are not those of what was done. */
function miscounted({ world, mode, phases }: WorldRun, last: Asked, said: ReadonlyMap<string, Said>): Violation[] {
  const handed = handedOut(last)
  return world.tables.flatMap((table): Violation[] => {
    const about = said.get(addressOf(table))
    if (!about || table.special === 'view' || (mode === 'access' && table.others)) return []
    const wrong = (what: string, told: number, was: number): Violation[] =>
      told === was
        ? []
        : [{ kind: `counted ${what} wrongly`, detail: `${addressOf(table)}: ${told}, and it were ${was}` }]
    if (mode === 'access') {
      return table.targeted ? wrong('delivered', about.delivered, handed.get(addressOf(table))?.length ?? 0) : []
    }
    const changes = phases.map((phase) => ({
      phase,
      tags: changedRows(phase).filter((tag) => phase.rows.get(tag)?.table === table.name),
    }))
    const count = (isGone: boolean) =>
      changes.reduce((sum, { phase, tags }) => sum + tags.filter((tag) => phase.after.has(tag) !== isGone).length, 0)
    return [...wrong('masked', about.masked, count(false)), ...wrong('erased', about.erased, count(true))]
  })
}
