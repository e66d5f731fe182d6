import type { Identity, Value } from '@habeas/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDataset } from '../../../core/src/model/dataset.js'
import { accessPlan } from '../../../core/src/rules/access-plan.js'
import { accessOnce } from './engine-run.js'
import { naiveAccess } from './naive-model.js'
import { type Shape, shapeArbitrary } from './random-world.js'
import { connectorsOf, worldOf } from './world-of-shape.js'

const policy = {
  service_key: 'everything',
  rules: [{ service_key: 'all', action_type: 'access', data_categories: { matches: 'ANY', values: ['user'] } }],
}
const runs = {
  numRuns: Number(process.env['HABEAS_RUNS'] ?? 200),
  ...(process.env['HABEAS_SEED'] && { seed: Number(process.env['HABEAS_SEED']) }),
}

/** Rows as texts that do not depend on the order of rows or members. */
function sorted(rows: readonly Value[]): string[] {
  const text = (value: Value): string =>
    JSON.stringify(value, (_, inner) =>
      inner && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    )
  return rows.map(text).sort()
}

/** What became of a request, or why it did not: counts of every collection that was searched, and the package. */
async function found(shape: Shape, world = worldOf(shape)) {
  const { request, rows, plan } = await accessOnce({ datasets: connectorsOf(shape, world), policy }, shape.identities)
  const problems = plan?.findings.filter(({ severity }) => severity === 'error') ?? []
  if (request.status !== 'complete') return { status: request.status, failure: request.failure, problems }
  const { not_searched, ...collections } = rows
  const searched = new Set(plan?.collections.map(({ address }) => address))
  return {
    rows: Object.fromEntries(Object.entries(collections).map(([address, each]) => [address, sorted(each)])),
    counts: (request.results ?? [])
      .flatMap(({ dataset, collection, outcomes, elementsLeft = 0, nearMatches = 0 }) => {
        if (!searched.has(`${dataset}:${collection}`)) return []
        const count = (name: string) => outcomes.find(({ outcome }) => outcome === name)?.rowCount ?? 0
        return countsText(
          shape,
          `${dataset}:${collection}`,
          count('delivered'),
          count('skipped'),
          elementsLeft,
          nearMatches,
        )
      })
      .sort(),
  }
}

/** Near matches are counted by the server, which knows nothing of elements and compares as forgivingly as it likes. */
function countsText(
  shape: Shape,
  address: string,
  delivered: number,
  others: number,
  left: number,
  near: number,
): string {
  const text = `${address} delivered ${delivered}, others ${others}, elements left ${left}`
  return address.startsWith('mongo') || shape.loose || shape.maxKeys < 10 ? text : `${text}, near ${near}`
}

function expected(shape: Shape) {
  const model = naiveAccess(worldOf(shape).model)
  if (!model) return undefined
  return {
    rows: Object.fromEntries(
      model.filter(({ rows }) => rows.length > 0).map(({ address, rows }) => [address, sorted(rows)]),
    ),
    counts: model
      .map(({ address, own, lookedUp, others, elementsLeft, nearMatches }) =>
        countsText(shape, address, own + lookedUp, others, elementsLeft, nearMatches),
      )
      .sort(),
  }
}

/** The same descriptions in another order: datasets, collections and fields. */
function reordered<Each>(list: readonly Each[], by: number): Each[] {
  const turned = [...list.slice(by % Math.max(1, list.length)), ...list.slice(0, by % Math.max(1, list.length))]
  return by % 2 === 0 ? turned : turned.reverse()
}

describe('the engine and the naive model of §7', () => {
  it('find the same rows of random worlds', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(shapeArbitrary, async (shape) => {
        const model = expected(shape)
        fc.pre(model !== undefined)
        expect(await found(shape)).toEqual(model)
      }),
      runs,
    )
  })

  it('a request whose identities no dataset knows is refused, naming those that are known', {
    timeout: 600_000,
  }, async () => {
    const strangers = fc.constantFrom<readonly Identity[]>(
      [{ passport: 'a' }],
      [{ phone: 'a' }],
      [{ phone: 'a' }, { uid: 1 }],
    )
    await fc.assert(
      fc.asyncProperty(shapeArbitrary, strangers, async (shape, identities) => {
        const given: Shape = { ...shape, identities: [...identities] as Shape['identities'] }
        fc.pre(expected(given) === undefined)
        expect(await found(given)).toMatchObject({ status: 'error', problems: [{ type: 'no_known_identity' }] })
      }),
      { ...runs, numRuns: runs.numRuns / 5 },
    )
  })

  it('the order of datasets, collections and fields changes neither the plan nor the package', {
    timeout: 600_000,
  }, async () => {
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
        expect(await found(shape, { ...world, documents })).toEqual(await found(shape))
        const [one, other] = [world.documents, reordered<(typeof world.documents)[number]>(documents, by)].map((all) =>
          planOf(shape, all),
        )
        expect(other).toEqual(one)
      }),
      { ...runs, numRuns: runs.numRuns / 2 },
    )
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
  const ways = plan.collections.flatMap(({ address, slots, links }) =>
    links.map(({ to, slot, fields, lookup, ownOnly }) => {
      const target = plan.collections.find((each) => each.address === to)?.slots[slot]?.fields.map(({ name }) => name)
      return JSON.stringify([address, fields.map(({ name }) => name), to, target, lookup, ownOnly, slots.length])
    }),
  )
  return {
    order: plan.collections.map(({ address }) => address),
    ways: ways.sort(),
    components: plan.components.map(({ members, cyclic }) => ({ members, cyclic })),
    unsearched: plan.unsearched.map((each) => JSON.stringify(each)).sort(),
    findings: plan.findings.map(({ message }) => message).sort(),
  }
}
