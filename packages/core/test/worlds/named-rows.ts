import type { Asked } from './run-world.js'

/* What a request says of itself: its record, its receipt, its packages. Whatever reads them stands here. */

/** What is said of the rows of one collection. */
export interface Said {
  readonly delivered: number
  readonly masked: number
  readonly erased: number
  /** Rows that were left, for a reason that may be true of the person's own; `Infinity` where nobody has looked. */
  readonly left: number
  /** Of these, the ones of which nobody knows whose they are. */
  readonly undecided: number
}

const nothing: Said = { delivered: 0, masked: 0, erased: 0, left: 0, undecided: 0 }

type Result = NonNullable<Asked['request']['results']>[number]

/** These are no news of the person's own rows. */
const othersRows = "somebody else's"

function saidBy({ outcomes, nearMatches = 0 }: Result): Said {
  const sum = (of: (each: Result['outcomes'][number]) => boolean) =>
    outcomes.reduce((all, each) => (of(each) ? all + each.rowCount : all), 0)
  const isDone = (outcome: string) => ['delivered', 'masked', 'erased', 'nothing_found'].includes(outcome)
  const isUnsearched = outcomes.some(
    ({ outcome, rowCount }) => rowCount === 0 && ['skipped', 'failed', 'unsupported'].includes(outcome),
  )
  const left = sum(({ outcome, reason }) => !isDone(outcome) && reason !== othersRows)
  return {
    delivered: sum(({ outcome }) => outcome === 'delivered'),
    masked: sum(({ outcome }) => outcome === 'masked'),
    erased: sum(({ outcome }) => outcome === 'erased'),
    left: isUnsearched ? Number.POSITIVE_INFINITY : left + nearMatches,
    undecided: nearMatches,
  }
}

/** By `dataset:collection`, everything a request says, whichever action says it. */
export function saidOf({ request }: Asked): ReadonlyMap<string, Said> {
  const all = new Map<string, Said>()
  for (const result of request.results ?? []) {
    const address = `${result.dataset}:${result.collection}`
    const [one, other] = [all.get(address) ?? nothing, saidBy(result)]
    const most = (of: keyof Said) => Math.max(one[of], other[of])
    all.set(address, {
      delivered: most('delivered'),
      masked: most('masked'),
      erased: most('erased'),
      left: most('left'),
      undecided: most('undecided'),
    })
  }
  return all
}

/** What a package holds, by address, each row as its text; beside its rows, what else it says. */
function contentsOf(text: string): { rows: Map<string, string[]>; notes: string } {
  const content = JSON.parse(text) as Record<string, unknown>
  const isRows = (name: string, value: unknown): value is object[] => name.includes(':') && Array.isArray(value)
  const entries = Object.entries(content)
  return {
    rows: new Map(
      entries.flatMap(([name, value]) =>
        isRows(name, value) ? [[name, value.map((row) => JSON.stringify(row))] as const] : [],
      ),
    ),
    notes: JSON.stringify(entries.filter(([name, value]) => !isRows(name, value))),
  }
}

/** Texts of the rows that a request hands out, by address. */
export function handedOut({ packages }: Asked): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, readonly string[]>()
  for (const text of packages) {
    for (const [address, rows] of contentsOf(text).rows) all.set(address, [...(all.get(address) ?? []), ...rows])
  }
  return all
}

/** Whether the record, the receipt or a package names a table that no dataset describes. */
export function namesTable({ request, receipt, packages }: Asked, table: string): boolean {
  const told = [
    JSON.stringify(request),
    JSON.stringify(receipt ?? null),
    ...packages.map((each) => contentsOf(each).notes),
  ]
  const name = new RegExp(`(?<![a-z_])${table}(?![a-z_])`)
  return told.some((text) => name.test(text))
}

/** Why it stopped before its end; undefined where it does not say. */
export function reasonOf({ request: { failure, actionRequired } }: Asked): string | undefined {
  return failure ?? (actionRequired ? JSON.stringify(actionRequired) : undefined)
}

/** Whether it says that nothing was changed. */
export function saysNothingChanged(asked: Asked): boolean {
  return asked.request.status === 'paused' || (reasonOf(asked) ?? '').startsWith('Nothing was erased')
}
