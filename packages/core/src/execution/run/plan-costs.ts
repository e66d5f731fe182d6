import type { Connection } from '../../ports/connector.js'
import type { Estimate, Estimated } from '../../ports/estimate.js'
import type { Plan, PlannedCollection } from '../../rules/plan/plan.js'
import type { PlanCost } from '../../rules/plan/plan-cost.js'
import { columnOf, ownColumns } from '../../rules/plan/spelled-column.js'
import { withFilters } from '../connect/filtered-connection.js'
import type { OpenConnection, OpenConnections } from '../connect/open-connections.js'

export interface CostOptions {
  readonly connections: Pick<OpenConnections, 'get'>
  readonly now: Date
  readonly signal?: AbortSignal | undefined
}

/**
 * What the statements of a plan are billed, where a server bills by what it reads and can say so beforehand. Makes no
 * statement. A server that cannot be asked costs an unknown amount, which is no failure of a preview.
 */
export async function planCosts(plan: Plan, options: CostOptions): Promise<PlanCost[]> {
  const filtered = withFilters(plan, options.now)
  const opened = new Map<string, Promise<OpenConnection | undefined>>()
  const open = (key: string) => {
    const known = opened.get(key) ?? options.connections.get(key).then(filtered, () => undefined)
    opened.set(key, known)
    return known
  }
  const asked = new Map<string, Promise<Estimate | undefined>>()
  const estimate = (key: string, estimated: Estimated): Promise<Estimate | undefined> => {
    const name = JSON.stringify([key, estimated])
    const known = asked.get(name) ?? open(key).then((opened) => estimateOf(opened, estimated, options.signal))
    asked.set(name, known)
    return known
  }
  const costs = await Promise.all(
    plan.collections.map(async (collection): Promise<PlanCost | undefined> => {
      const { address, connectionKey } = collection
      if ((await open(connectionKey))?.connection.estimate === undefined) return undefined
      const find = await estimate(connectionKey, findingOf(collection))
      const counts = countsOf(plan, collection)
      const count = await sum(counts.map(({ key, ...each }) => estimate(key, each)))
      const writing = writingOf(collection)
      const write = writing && (await sum(writing.map(({ key, ...each }) => estimate(key, each))))
      const again = writing && (await estimate(connectionKey, againOf(collection)))
      const most = find?.most
      return {
        address,
        find: find?.bytes ?? null,
        ...(counts.length > 0 && { count }),
        ...(writing && { write: write ?? null, readAgain: again?.bytes ?? null }),
        ...(most !== undefined && { most }),
      }
    }),
  )
  return costs.filter((cost) => cost !== undefined)
}

async function estimateOf(
  open: OpenConnection | undefined,
  estimated: Estimated,
  signal: AbortSignal | undefined,
): Promise<Estimate | undefined> {
  const ask: Connection['estimate'] = open?.connection.estimate
  if (!open || !ask) return undefined
  using _permit = await open.permit(signal ?? new AbortController().signal)
  return ask.call(open.connection, estimated, signal ? { signal } : {}).catch(() => undefined)
}

/** Null where one of them is not known. */
async function sum(estimates: readonly Promise<Estimate | undefined>[]): Promise<number | null> {
  const all = await Promise.all(estimates)
  return all.every((each) => each !== undefined) ? all.reduce((bytes, each) => bytes + each.bytes, 0) : null
}

type Asked = Estimated & { readonly key: string }

/** A read for keys names the columns that it reads, and those by which it enters. */
function findingOf({ collection, columns, entries }: PlannedCollection): Estimated {
  return { collection, columns: listedOnce([...ownColumns(columns), ...entries.flatMap(namedBy)]) }
}

/** Undecided rows that are counted beside the own rows of a collection. */
function countsOf({ open }: Plan, { address }: PlannedCollection): Asked[] {
  return open
    .filter(({ by }) => by === address)
    .map(({ connectionKey, collection, fields, when, undecidedWhileEmpty }) => ({
      ...{ key: connectionKey, collection },
      columns: listedOnce([...namedBy({ fields, when }), ...undecidedWhileEmpty.map(columnOf)]),
    }))
}

/** A batch: the write, and the counts of rows that refer to what is written. Undefined where nothing is written. */
function writingOf(planned: PlannedCollection): Asked[] | undefined {
  const { collection, connectionKey, erasure } = planned
  if (!erasure) return undefined
  const pointers = erasure.pointedToBy
    .filter(({ schema, fields }) => schema === undefined && fields.length > 0)
    .map(({ connectionKey: key, collection: from, fields, when }) => ({
      ...{ key, collection: from, columns: listedOnce(namedBy({ fields, when })) },
    }))
  return [{ key: connectionKey, collection, columns: writtenColumns(planned), writes: true }, ...pointers]
}

/** Rows are read again by their keys, with what was written. */
function againOf(planned: PlannedCollection): Estimated {
  return { collection: planned.collection, columns: writtenColumns(planned) }
}

function writtenColumns({ entries, erasure }: PlannedCollection): readonly string[] {
  const key = erasure?.key.map(({ column }) => column) ?? []
  const masked = erasure?.masks.flatMap(({ path: [column] }) => column ?? []) ?? []
  return listedOnce([...key, ...masked, ...entries.flatMap(namedBy)])
}

function namedBy({ fields, when }: Pick<PlannedCollection['entries'][number], 'fields' | 'when'>): string[] {
  return [...fields.map(columnOf), ...when.flatMap(({ path: [column] }) => column ?? [])]
}

function listedOnce(names: readonly string[]): readonly string[] {
  return [...new Set(names)]
}
