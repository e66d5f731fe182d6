import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharedServer } from '../../../adapter-postgres/test/shared-server.js'
import { buildWorld } from './build-world.js'
import type { Mode } from './describe-world.js'
import { judgeWorld, type Verdict } from './judge-world.js'
import { memoryWorld } from './memory-world.js'
import { noCaseCollation, postgresWorld } from './postgres-world.js'
import { runWorld, type WorldRun } from './run-world.js'
import { addFailure, addRun, emptyTally, tellTally } from './tally.js'
import { tellWorld } from './tell-world.js'
import { type WorldShape, worldArbitrary } from './world-shape.js'

/*
 * HABEAS_WORLDS says how many worlds of each kind are tried, others each time; HABEAS_SEED tries the one of that seed, and
 * HABEAS_PATH what it was shrunk to. HABEAS_SHRINK=0 leaves the first world that fails as it is.
 */
const { HABEAS_WORLDS: asked, HABEAS_SEED: seed, HABEAS_PATH: path, HABEAS_SHRINK: shrinks } = process.env
const usualSeed = 20_261_122
const worlds = seed ? 1 : Number(asked ?? 67)
const firstSeed = asked ? Math.floor(Math.random() * 2 ** 31) : usualSeed

/** Seeds far apart: generators that start close to one another draw alike. */
const seedOf = (mode: Mode, at: number) =>
  seed ? Number(seed) : Math.imul(firstSeed + 3 * at + modes.indexOf(mode), 0x9e3779b1) | 0

const modes = ['access', 'mask', 'delete'] as const

const server = sharedServer()
let client: pg.Client
let made = 0

beforeAll(async () => {
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(noCaseCollation)
})
afterAll(async () => {
  await client.end()
})

async function tried(shape: WorldShape, mode: Mode): Promise<{ run: WorldRun; verdict: Verdict }> {
  const world = buildWorld(shape)
  made += 1
  const store =
    world.store === 'memory' ? memoryWorld(world) : await postgresWorld(world, server.url, client, `world_${made}`)
  try {
    const run = await runWorld(world, mode, shape, store)
    return { run, verdict: judgeWorld(run) }
  } finally {
    await store.close()
  }
}

const one = { numRuns: 1, plugins: [fc.unbiased()], ...(path && { path }) }

/** Looks at one world of a seed, and never fails. */
const look = (at: number, see: (shape: WorldShape) => Promise<void>) =>
  fc.check(fc.asyncProperty(worldArbitrary, see), { ...one, seed: at, endOnFailure: true })

/** The smallest world like that of the seed in which the same goes wrong, for a reader. */
async function shrunk(mode: Mode, at: number, kind: string): Promise<string> {
  const property = fc.asyncProperty(worldArbitrary, async (shape) => {
    const { verdict } = await tried(shape, mode)
    const found = verdict.violations.find((each) => each.kind === kind && !each.excused)
    if (found) throw new Error(`${kind}: ${found.detail}`)
  })
  const { counterexample, counterexamplePath, errorInstance } = await fc.check(property, {
    ...one,
    seed: at,
    interruptAfterTimeLimit: 120_000,
    markInterruptAsFailure: false,
    ...(shrinks === '0' && { endOnFailure: true }),
  })
  const [shape] = (counterexample ?? []) as [WorldShape?]
  if (!shape) return `HABEAS_SEED=${at}: it did not happen again`
  const why = errorInstance instanceof Error ? errorInstance.message : kind
  return `HABEAS_SEED=${at} HABEAS_PATH=${counterexamplePath}: ${why}\n${tellWorld(buildWorld(shape), shape)}`
}

/** What is worst comes first. */
const gravity = ['delivered', 'deleted', 'changed', 'lost', 'complete', 'error', 'paused']
const graveness = (kind: string) => gravity.findIndex((word) => kind.startsWith(word)) >>> 0

describe.each(modes)('%s, in random worlds whose truth only the test knows', (mode) => {
  it('touches nothing of another person and leaves nothing out in silence', { timeout: 6 * 3_600_000 }, async () => {
    const tally = emptyTally(mode)
    for (let at = 0; at < worlds; at++) {
      const current = seedOf(mode, at)
      await look(current, async (shape) => {
        try {
          const { run, verdict } = await tried(shape, mode)
          addRun(tally, current, run, verdict)
        } catch (error) {
          addFailure(tally, current, error)
        }
      })
    }
    console.log(tellTally(tally))
    const [worst] = [...tally.violations].sort(([one], [other]) => graveness(one) - graveness(other))
    if (worst) expect.fail(`${tellTally(tally)}\n\n${await shrunk(mode, worst[1].seed, worst[0])}`)

    if (worlds < 50) return
    const complete = [...tally.statuses].reduce((sum, [status, n]) => (status.endsWith('complete') ? sum + n : sum), 0)
    expect(complete / tally.worlds, 'worlds in which a request completes').toBeGreaterThan(0.4)
    expect(tally.touched / tally.hers, 'rows handed out or changed').toBeGreaterThan(0.1)
    expect(tally.disturbed / tally.worlds, 'worlds that others change meanwhile').toBeGreaterThan(0.03)
    const excused = [...tally.excused.values()].reduce((sum, { count }) => sum + count, 0)
    expect(excused / tally.touched, 'rows of others to which the datasets mislead').toBeLessThan(0.01)
    expect(tally.excusedWhereDeclared, 'the same where ownership is declared').toBe(0)
    const undecided = tally.undecidedWhereComplete / tally.hersWhereComplete
    expect(undecided, 'rows undecided where every direction is given').toBeLessThan(0.05)
  })
})
