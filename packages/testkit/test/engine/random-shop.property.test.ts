import type { Value } from '@habeas/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { policy } from './described.js'
import { accessOnce } from './engine-run.js'
import { shopArbitrary, shopOfShape } from './random-shop.js'

const runs = {
  numRuns: Number(process.env['HABEAS_RUNS'] ?? 200),
  ...(process.env['HABEAS_SEED'] && { seed: Number(process.env['HABEAS_SEED']) }),
}

const sorted = (rows: readonly Value[]) => rows.map((row) => JSON.stringify(row)).sort()

it('a person gets all that is theirs or was looked up for them, and nothing of anybody else', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(shopArbitrary, async (shape) => {
      const { shop, identity, expected, columns } = shopOfShape(shape)
      const { request, rows } = await accessOnce({ datasets: [shop], policy }, [identity])
      expect(request.failure).toBeUndefined()
      const got = Object.entries(rows).map(([address, each]) => {
        const names = columns[address.replace('shop:', '')] as readonly string[]
        return [address, sorted(each.map((row) => names.map((name) => (row as Record<string, Value>)[name] as Value)))]
      })
      expect(Object.fromEntries(got)).toEqual(
        Object.fromEntries(Object.entries(expected).map(([address, each]) => [address, sorted(each as Value[])])),
      )
    }),
    runs,
  )
})
