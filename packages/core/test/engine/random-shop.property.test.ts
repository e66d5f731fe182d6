import type { Value } from '@habeas/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { policy } from './described.js'
import { accessOnce } from './engine-run.js'
import { type RandomShop, shopArbitrary, shopOfShape } from './random-shop.js'

const runs = {
  numRuns: Number(process.env['HABEAS_RUNS'] ?? 100),
  ...(process.env['HABEAS_SEED'] && { seed: Number(process.env['HABEAS_SEED']) }),
}

const sorted = (rows: readonly Value[]) => rows.map((row) => JSON.stringify(row)).sort()

/** What the person must get, and what they got, by collection, as texts. */
async function accessTo(shape: RandomShop, { saysAll }: { saysAll: boolean }) {
  const { shop, identity, expected, columns } = shopOfShape(shape, saysAll)
  const { request, rows } = await accessOnce({ datasets: [shop], policy }, [identity])
  expect(request).toMatchObject({ status: 'complete' })
  const { not_searched: unsearched = [], ...found } = rows
  // Beside collections a package says what is not in it.
  const collections = Object.entries(found).filter(([address]) => address.includes(':'))
  const got = collections.map(([address, each]) => {
    const names = columns[address.replace('shop:', '')] as readonly string[]
    return [address, sorted(each.map((row) => names.map((name) => (row as Record<string, Value>)[name] as Value)))]
  })
  return {
    request,
    unsearched,
    got: Object.fromEntries(got) as Record<string, string[]>,
    due: Object.fromEntries(Object.entries(expected).map(([address, each]) => [address, sorted(each as Value[])])),
  }
}

it('where everything is described, a person gets all that is theirs or that their rows refer to, and nothing of anybody else', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(shopArbitrary, async (shape) => {
      const { got, due, request } = await accessTo(shape, { saysAll: true })
      expect(got).toEqual(due)
      expect(request.incomplete).toBeUndefined()
    }),
    runs,
  )
})

it('where not everything is described, a person gets nothing of anybody else, and learns when something may be missing', {
  timeout: 600_000,
}, async () => {
  const seen = { whole: 0, missing: 0 }
  await fc.assert(
    fc.asyncProperty(shopArbitrary, async (shape) => {
      const { got, due, request, unsearched } = await accessTo(shape, { saysAll: false })
      for (const [address, rows] of Object.entries(got))
        expect(due[address] ?? []).toEqual(expect.arrayContaining(rows))
      const count = (rows: Record<string, string[]>) => Object.values(rows).flat().length
      const isWhole = count(got) === count(due)
      if (!isWhole) expect(request.incomplete === true || unsearched.length > 0).toBe(true)
      seen[isWhole ? 'whole' : 'missing']++
    }),
    runs,
  )
  expect(seen.whole).toBeGreaterThan(0)
  expect(seen.missing).toBeGreaterThan(0)
})
