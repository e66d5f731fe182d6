import type { PrivacyRequest } from '@habeas/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildWorld } from './build-world.js'
import type { Mode } from './describe-world.js'
import { judgeWorld } from './judge-world.js'
import type { Asked, WorldRun } from './run-world.js'
import { ownersOf, subject, type World } from './world.js'
import { worldArbitrary } from './world-shape.js'
import type { Dump } from './world-store.js'

/* What an engine might do, and whether it would be noticed: in many worlds, for one of them may have no place for it. */

const worlds = fc.sample(worldArbitrary, { seed: 20_261_122, numRuns: 40 }).map(buildWorld)

const dumpOf = (world: World): Dump => new Map([...world.rows.values()].map(({ id, values }) => [id, values]))

interface Deed {
  readonly mode?: Mode
  readonly status?: PrivacyRequest['status']
  readonly failure?: string
  /** Whether a row is handed out, or deleted, depending on whether it is the subject's. */
  readonly touches?: (isHers: boolean) => boolean
  /** What it says of each collection; nothing where left out. */
  readonly outcomes?: readonly { readonly outcome: string; readonly rowCount: number; readonly reason?: string }[]
}

function kindsOf(deed: Deed): string[] {
  const { mode = 'access', status = 'complete', failure, touches = () => false, outcomes } = deed
  const violations = worlds.flatMap((world) => {
    const owners = ownersOf(world, world.rows)
    const before = dumpOf(world)
    const touched = new Set([...before.keys()].filter((id) => touches(owners.get(id)?.has(subject) === true)))
    const after = mode === 'access' ? before : new Map([...before].filter(([id]) => !touched.has(id)))
    const rowsIn = (name: string) =>
      [...world.rows.values()].filter((row) => row.table === name && touched.has(row.id)).map(({ values }) => values)
    const tables = world.tables.filter(({ said }) => said !== 'no')
    const content = tables.map(({ dataset, name }) => [`${dataset}:${name}`, rowsIn(name)] as const)
    const results = outcomes
      ? tables.map(({ dataset, name }) => ({ dataset, collection: name, actionType: 'access', outcomes }))
      : []
    const request = { id: 'pri_1', status, results, ...(failure !== undefined && { failure }) }
    const asked: Asked = {
      request: request as unknown as PrivacyRequest,
      plan: undefined,
      receipt: undefined,
      accepted: true,
      packages: mode === 'access' ? [JSON.stringify(Object.fromEntries(content))] : [],
      changed: mode === 'access' ? [] : [...touched],
    }
    const run: WorldRun = { world, mode, asked: [asked], phases: [{ rows: world.rows, before, after }] }
    return judgeWorld(run).violations.filter(({ excused }) => !excused)
  })
  return [...new Set(violations.map(({ kind }) => kind))]
}

const nothingFound = [{ outcome: 'nothing_found', rowCount: 0 }]
const notSearched = [{ outcome: 'skipped', rowCount: 0, reason: 'no connection' }]

describe('the judge of random worlds', () => {
  it('reports rows of others in a package', () => {
    expect(kindsOf({ touches: (isHers) => !isHers, outcomes: notSearched })).toContain("delivered another's row")
  })

  it('reports rows of others, and shared ones, that were erased', () => {
    const kinds = kindsOf({ mode: 'delete', touches: () => true, outcomes: notSearched })
    expect(kinds).toContain("deleted another's row")
    expect(kinds).toContain('deleted a shared row')
  })

  it('reports rows of hers that are neither handed over nor named', () => {
    expect(kindsOf({ outcomes: nothingFound })).toContain('lost a row of hers (access)')
    expect(kindsOf({ mode: 'mask', outcomes: nothingFound })).toContain('lost a row of hers (mask)')
  })

  it('does not take a count of other people’s rows for a statement about hers', () => {
    const outcomes = [{ outcome: 'skipped', rowCount: 99, reason: "somebody else's" }]
    expect(kindsOf({ outcomes })).toContain('lost a row of hers (access)')
  })

  it('is content where the record says that nothing was searched', () => {
    expect(kindsOf({ outcomes: notSearched })).toEqual([])
  })

  it('reports collections about which nothing is said, and undescribed tables', () => {
    expect(kindsOf({})).toContain('said nothing of a collection')
    const all = kindsOf({ touches: (isHers) => isHers, outcomes: notSearched })
    expect(all).toContain('did not name an undescribed table')
  })

  it('reports counts that differ from what was done', () => {
    const outcomes = [{ outcome: 'erased', rowCount: 99 }]
    expect(kindsOf({ mode: 'delete', outcomes })).toContain('counted erased wrongly')
  })

  it('requires a reason, and no change where none is claimed', () => {
    expect(kindsOf({ mode: 'mask', status: 'paused' })).toEqual(['paused without a reason'])
    expect(kindsOf({ mode: 'delete', status: 'paused', failure: 'Why.', touches: (isHers) => isHers })).toContain(
      'paused, and something was changed',
    )
    expect(kindsOf({ mode: 'mask', status: 'error', failure: 'Why.' })).toEqual([])
  })
})
