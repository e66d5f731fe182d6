import { memoryConnector } from '@habeas/testkit'
import fc from 'fast-check'
import { it } from 'vitest'
import { accessOnce } from '../engine/engine-run.js'
import { type Compared, expectAsTheModelSays, policy } from './naive-comparison.js'
import { naiveErasure } from './naive-erasure.js'
import { type ErasureShape, erasureArbitrary, erasureWorldOf, randomRuns } from './random-erasure.js'

async function erase(given: ErasureShape): Promise<Compared | undefined> {
  const { shape, world, live } = erasureWorldOf(structuredClone(given))
  const expected = naiveErasure(world.model, live)
  if (!expected) return undefined
  const before = structuredClone(expected.rows)
  const { maxErased } = given
  const { batchSize, maxKeys, maxKeysWithoutIndex, loose } = shape
  const capabilities = { maxErased, maxKeys, ...(maxKeysWithoutIndex && { maxKeysWithoutIndex }) }
  const datasets = world.documents.map((document, at) => ({
    document,
    connector: memoryConnector({ database: world.databases[at]?.database ?? {}, batchSize, loose, capabilities }),
  }))
  const { request, plan } = await accessOnce(
    { datasets, policy, access: 'write', acceptUnsearched: true },
    shape.identities,
  )
  const after = Object.fromEntries(
    world.documents.flatMap(({ service_key: key }, at) =>
      Object.entries(world.databases[at]?.database ?? {}).map(([name, { rows }]) => [`${key}:${name}`, rows]),
    ),
  )
  return { request, plan, expected: { ...expected, rows: before }, after }
}

it('an erasure changes exactly what the naive model of §7.10–7.16 says, or nothing at all', {
  timeout: 3_600_000,
}, async () => {
  const seen = { complete: 0, impossible: 0, partly: 0 }
  await fc.assert(
    fc.asyncProperty(erasureArbitrary, async (given) => {
      const run = await erase(given)
      fc.pre(run !== undefined)
      expectAsTheModelSays(run as Compared, seen)
    }),
    randomRuns(200),
  )
  if (process.env['HABEAS_RUNS']) console.log(seen)
})
