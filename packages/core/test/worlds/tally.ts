import type { Mode } from './describe-world.js'
import type { Verdict } from './judge-world.js'
import type { WorldRun } from './run-world.js'

/** How often something happened, and the seed of the first world in which it did. */
interface Seen {
  count: number
  readonly seed: number
  readonly detail: string
}

/** What many worlds have come to. */
export interface Tally {
  readonly mode: Mode
  worlds: number
  readonly statuses: Map<string, number>
  readonly violations: Map<string, Seen>
  /** What the datasets mislead to; never where ownership is declared. */
  readonly excused: Map<string, Seen>
  excusedWhereDeclared: number
  hers: number
  touched: number
  /** Of worlds where every direction is given. */
  hersWhereComplete: number
  undecidedWhereComplete: number
  /** Worlds that others changed while the request ran. */
  disturbed: number
}

export const emptyTally = (mode: Mode): Tally => ({
  mode,
  worlds: 0,
  excusedWhereDeclared: 0,
  hers: 0,
  touched: 0,
  hersWhereComplete: 0,
  undecidedWhereComplete: 0,
  disturbed: 0,
  statuses: new Map(),
  violations: new Map(),
  excused: new Map(),
})

function see(seen: Map<string, Seen>, kind: string, seed: number, detail: string): void {
  const known = seen.get(kind)
  if (known) known.count += 1
  else seen.set(kind, { count: 1, seed, detail })
}

export function addRun(tally: Tally, seed: number, run: WorldRun, verdict: Verdict): void {
  const { world, asked, phases } = run
  const statuses = asked.map(({ request }) => request.status).join(', then ')
  tally.worlds += 1
  tally.statuses.set(statuses, (tally.statuses.get(statuses) ?? 0) + 1)
  tally.hers += verdict.hers
  tally.touched += verdict.touched
  if (phases.length > 1) tally.disturbed += 1
  if (world.complete) {
    tally.hersWhereComplete += verdict.hers
    tally.undecidedWhereComplete += verdict.undecided
  }
  for (const { kind, detail, excused } of verdict.violations) {
    see(excused ? tally.excused : tally.violations, kind, seed, detail)
    if (excused && world.declared) tally.excusedWhereDeclared += 1
  }
}

/** A world that could not be judged, since the engine or the test itself broke. */
export function addFailure(tally: Tally, seed: number, error: unknown): void {
  tally.worlds += 1
  const [message] = String(error instanceof Error ? error.message : error).split('\n')
  see(tally.violations, `broke: ${(message as string).replace(/\d+/g, 'n').slice(0, 120)}`, seed, String(message))
}

const lines = (title: string, seen: ReadonlyMap<string, Seen>) =>
  [...seen]
    .sort(([, one], [, other]) => other.count - one.count)
    .map(([kind, { count, seed, detail }]) => `  ${title} ${count}x ${kind} (HABEAS_SEED=${seed}: ${detail})`)

export function tellTally(tally: Tally): string {
  const { mode, worlds, hers, touched, disturbed, hersWhereComplete, undecidedWhereComplete } = tally
  const statuses = [...tally.statuses].sort(([, one], [, other]) => other - one)
  return [
    `${mode}: ${worlds} worlds, ${hers} rows of subjects, ${touched} handed out or changed, ${disturbed} changed by others meanwhile`,
    `  ended ${statuses.map(([status, count]) => `${status}: ${count}`).join('; ')}`,
    `  where every direction is given: ${undecidedWhereComplete} rows undecided beside ${hersWhereComplete} of subjects`,
    ...lines('violated', tally.violations),
    ...lines('misled', tally.excused),
  ].join('\n')
}
