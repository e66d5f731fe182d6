import { memoryConnector } from '@habeas/testkit'
import fc from 'fast-check'
import { it } from 'vitest'
import { accessOnce } from '../engine/engine-run.js'
import { type Compared, expectAsTheModelSays, nothingSeen, noting } from './naive-comparison.js'
import { naiveErasure } from './naive-erasure.js'
import { type ErasureShape, erasureArbitrary, erasureWorldOf, randomRuns } from './random-erasure.js'

async function erase(given: ErasureShape): Promise<Compared | undefined> {
  const made = erasureWorldOf(structuredClone(given))
  const { shape, world, access, policy } = made
  const model = naiveErasure(made)
  if (!model) return undefined
  const expected = { ...model, rows: structuredClone(model.rows) }
  const { maxErased } = given
  const { batchSize, maxKeys, maxKeysWithoutIndex, loose } = shape
  const capabilities = {
    ...{ maxErased, maxKeys, nestedFields: true },
    ...(maxKeysWithoutIndex && { maxKeysWithoutIndex }),
  }
  const written: string[] = []
  const datasets = world.documents.map((document, at) => {
    const { type, database } = world.databases[at] as (typeof world.databases)[number]
    const connector = memoryConnector({ type, database, batchSize, loose, capabilities })
    return {
      document,
      connector: noting(connector, document.service_key, written),
      ...(access[at] && { access: access[at] }),
    }
  })
  const { request, plan, rows } = await accessOnce({ datasets, policy, acceptUnsearched: true }, shape.identities)
  const after = Object.fromEntries(
    world.documents.flatMap(({ service_key: key }, at) =>
      Object.entries(world.databases[at]?.database ?? {}).map(([name, { rows }]) => [`${key}:${name}`, rows]),
    ),
  )
  return { request, plan, rows, expected, after, written }
}

it('an erasure changes exactly what the naive model of §7.10–7.16 says, or nothing at all', {
  timeout: 3_600_000,
}, async () => {
  const seen = nothingSeen()
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
