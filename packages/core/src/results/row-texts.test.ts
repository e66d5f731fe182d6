import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { section } from '../../test/results/sections.js'
import { rowTexts } from './row-texts.js'

async function read(rows: readonly unknown[], cutBytes: number): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const texts of rowTexts(section('a:b', rows, cutBytes).rows())) {
    for (const text of texts) found.push(JSON.parse(text))
  }
  return found
}

it.each([1, 2, 3, 7, 1000])('finds each row of a spool that arrives %i bytes at a time', async (cutBytes) => {
  const rows = [{ a: 1 }, { a: ',\n' }, { a: 'ä€𝄞' }, { a: [{ b: '},\n{' }] }, { a: null }]
  expect(await read(rows, cutBytes)).toEqual(rows)
})

it('finds nothing in an empty spool', async () => {
  expect(await read([], 8)).toEqual([])
})

it('finds rows of any text, cut anywhere', async () => {
  const rows = fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), { minLength: 1, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 64 }), async (given, cutBytes) => {
      const texts = given.map((row) => JSON.stringify(row))
      expect((await read(given, cutBytes)).map((row) => JSON.stringify(row))).toEqual(
        texts.map((text) => JSON.stringify(JSON.parse(text))),
      )
    }),
    { numRuns: 50 },
  )
})
