import type { Value } from '@habeas/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accessOnce } from './engine-run.js'
import { naiveAccess } from './naive-model.js'
import { type Shape, shapeArbitrary } from './random-world.js'
import { connectorsOf, worldOf } from './world-of-shape.js'

const policy = { service_key: 'everything', rules: [{ service_key: 'all', action_type: 'access', data_categories: { matches: 'ANY', values: ['user'] } }] }
const runs = { numRuns: Number(process.env['HABEAS_RUNS'] ?? 200), ...(process.env['HABEAS_SEED'] && { seed: Number(process.env['HABEAS_SEED']) }) }

/** Rows as texts that do not depend on the order of rows or members. */
function sorted(rows: readonly Value[]): string[] {
  const text = (value: Value): string =>
    JSON.stringify(value, (_, inner) =>
      inner && typeof inner === 'object' && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
    )
  return rows.map(text).sort()
}

async function found(shape: Shape, world = worldOf(shape)) {
  const { request, rows, plan } = await accessOnce({ datasets: connectorsOf(shape, world), policy }, shape.identities)
  if (request.status !== 'complete') return { status: request.status, failure: request.failure, findings: plan?.findings.filter(({ severity }) => severity === 'error') }
  const { not_searched, ...collections } = rows
  const searched = (request.results ?? []).filter(({ outcomes }) => !outcomes.some(({ reason }) => outcomes.length === 1 && reason && reason !== "somebody else's"))
  return {
    rows: Object.fromEntries(Object.entries(collections).map(([address, each]) => [address, sorted(each)])),
    counts: searched
      .map(({ dataset, collection, outcomes, elementsLeft = 0 }) => {
        const delivered = outcomes.find(({ outcome }) => outcome === 'delivered')?.rowCount ?? 0
        const others = outcomes.find(({ outcome }) => outcome === 'skipped')?.rowCount ?? 0
        return `${dataset}:${collection} delivered ${delivered}, others ${others}, elements left ${elementsLeft}`
      })
      .sort(),
  }
}

function expected(shape: Shape) {
  const model = naiveAccess(worldOf(shape).model)
  if (!model) return undefined
  return {
    rows: Object.fromEntries(model.filter(({ rows }) => rows.length > 0).map(({ address, rows }) => [address, sorted(rows)])),
    counts: model.map(({ address, own, lookedUp, others, elementsLeft }) => `${address} delivered ${own + lookedUp}, others ${others}, elements left ${elementsLeft}`).sort(),
  }
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
})
