import type { CollectionResult, Identity, Value } from '@habeas/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDataset } from '../../src/model/dataset.js'
import { accessPlan } from '../../src/rules/plan/access-plan.js'
import { policy } from './described.js'
import { accessOnce } from './engine-run.js'
import { type Shape, shapeArbitrary } from './random-world.js'
import { connectorsOf, worldOf } from './world-of-shape.js'

const runs = {
  numRuns: Number(process.env['HABEAS_RUNS'] ?? 100),
  ...(process.env['HABEAS_SEED'] && { seed: Number(process.env['HABEAS_SEED']) }),
}

/** Rows as texts that do not depend on the order of rows or members. */
function sorted(section: readonly Value[] | object): string[] {
  const rows = Array.isArray(section) ? (section as readonly Value[]) : [section as Value]
  const text = (value: Value): string =>
    JSON.stringify(value, (_, inner) =>
      inner && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    )
  return rows.map(text).sort()
}

/** What became of a request, or why it did not: the counts of every collection, and the package. */
async function found(shape: Shape, world = worldOf(shape)) {
  const { request, rows, plan } = await accessOnce({ datasets: connectorsOf(shape, world), policy }, shape.identities)
  const problems = plan?.findings.filter(({ severity }) => severity === 'error') ?? []
  const { status, failure, actionRequired } = request
  if (status !== 'complete') return { status, failure, problems, accept: actionRequired?.accept }
  return {
    status,
    rows: Object.fromEntries(Object.entries(rows).map(([address, each]) => [address, sorted(each)])),
    counts: (request.results ?? []).map(countsText).sort(),
  }
}

function countsText({ dataset, collection, outcomes, elementsLeft = 0, undecided = [] }: CollectionResult): string {
  const ended = outcomes.flatMap(({ outcome, rowCount }) => (outcome === 'skipped' ? [] : [`${outcome} ${rowCount}`]))
  const others = outcomes.flatMap(({ reason, rowCount }) => (reason === "somebody else's" ? [rowCount] : []))
  const open = undecided.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0)
  return `${dataset}:${collection} ${ended.join(', ')}, others ${others}, undecided ${open}, elements left ${elementsLeft}`
}

/** The same descriptions in another order: datasets, collections and fields. */
function reordered<Each>(list: readonly Each[], by: number): Each[] {
  const turned = [...list.slice(by % Math.max(1, list.length)), ...list.slice(0, by % Math.max(1, list.length))]
  return by % 2 === 0 ? turned : turned.reverse()
}

describe('in every random world', () => {
  it('a request whose identities no dataset knows is refused, naming those that are known', {
    timeout: 600_000,
  }, async () => {
    const strangers = fc.constantFrom<readonly Identity[]>([{ passport: 'a' }], [{ passport: 'a' }, { visa: 1 }])
    await fc.assert(
      fc.asyncProperty(shapeArbitrary, strangers, async (shape, identities) => {
        const given: Shape = { ...shape, identities: [...identities] as Shape['identities'] }
        const end = await found(given)
        expect(end.status).toBe('error')
        expect('problems' in end && end.problems).toContainEqual(expect.objectContaining({ type: 'no_known_identity' }))
      }),
      { ...runs, numRuns: runs.numRuns / 5 },
    )
  })

  it('the order of datasets, collections and fields changes neither the plan nor the package', {
    timeout: 600_000,
  }, async () => {
    let complete = 0
    await fc.assert(
      fc.asyncProperty(shapeArbitrary, fc.nat(9), async (shape, by) => {
        const world = worldOf(shape)
        const documents = world.documents.map((document) => ({
          ...document,
          collections: reordered(document.collections as { fields: object[] }[], by).map((collection) => ({
            ...collection,
            fields: reordered(collection.fields, by),
          })),
        }))
        const [one, other] = [world.documents, reordered<(typeof world.documents)[number]>(documents, by)].map((all) =>
          planOf(shape, all),
        )
        expect(other).toEqual(one)
        const [first, second] = [await found(shape), await found(shape, { ...world, documents })]
        expect(second).toEqual(first)
        if (first.status === 'complete') complete++
      }),
      { ...runs, numRuns: runs.numRuns / 2 },
    )
    // Worlds of which no request could be answered would show nothing.
    expect(complete).toBeGreaterThan(runs.numRuns / 10)
  })
})

/** What a plan decides, in its own order. */
function planOf(shape: Shape, documents: readonly object[]) {
  const plan = accessPlan({
    datasets: documents.map((document) => ({
      dataset: parseDataset(document).value,
      connection: { key: 'db', disabled: false },
    })),
    identities: shape.identities.map((identity) => Object.keys(identity)),
    targets: (_, field) => (field.categories.includes('user') ? ['all'] : []),
  })
  const names = (fields: readonly { readonly name: string }[]) => fields.map(({ name }) => name).sort()
  const ways = plan.collections.flatMap(({ address, entries, links }) =>
    links.map(({ to, entry, fields, kind, ambiguous }) => {
      const target = plan.collections
        .find((each) => each.address === to)
        ?.entries[entry]?.fields.map(({ name }) => name)
      return JSON.stringify([address, fields.map(({ name }) => name), to, target, kind, ambiguous, entries.length])
    }),
  )
  const whose = plan.collections.map(({ address, judging: { identities, owners, open, inferred } }) =>
    JSON.stringify([address, names(identities.map(({ field }) => field)), names(owners), names(open), inferred]),
  )
  return {
    order: plan.collections.map(({ address }) => address),
    ways: ways.sort(),
    whose: whose.sort(),
    components: plan.components.map(({ members, cyclic }) => ({ members, cyclic })),
    unsearched: plan.unsearched.map((each) => JSON.stringify(each)).sort(),
    open: plan.open.map(({ name, kind, address, by, why }) => JSON.stringify([name, kind, address, by, why])).sort(),
    findings: plan.findings.map(({ message }) => message).sort(),
  }
}
