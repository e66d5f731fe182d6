import { describe, expect, it } from 'vitest'
import { section } from '../../../test/results/sections.js'
import { rowPages, survey } from './row-pages.js'

async function sizes(rows: readonly object[]): Promise<number[]> {
  const pages: number[] = []
  for await (const page of rowPages(section('a:b', rows).rows())) pages.push(page.length)
  return pages
}
const rows = (count: number, width: number) =>
  Array.from({ length: count }, (_, id) => ({ id, text: 'x'.repeat(width) }))

it.each([
  ['short rows', rows(1234, 5), [500, 500, 234]],
  ['exactly a page', rows(500, 5), [500]],
  ['long rows', rows(5, 100_000), [2, 2, 1]],
  ['rows longer than a page', rows(3, 300_000), [1, 1, 1]],
  ['nothing', [], []],
])('%s make pages of %j', async (_, given, expected) => {
  expect(await sizes(given)).toEqual(expected)
  expect((await survey(section('a:b', given).rows())).pages).toBe(expected.length)
})

describe('rows are a table', () => {
  const isTable = async (given: readonly object[]) => (await survey(section('a:b', given).rows())).isTable

  it.each([
    [
      'that are short and plain',
      [
        { a: 1, b: null },
        { a: 'x', c: true },
      ],
      true,
    ],
    ['alone', [{ a: 1 }], false],
    ['with an object', [{ a: 1 }, { a: { b: 1 } }], false],
    ['with a list', [{ a: 1 }, { a: [1] }], false],
    ['with a long text', [{ a: 1 }, { a: 'word '.repeat(20) }], false],
    ['with many fields', [{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1 }, {}], false],
    ['with long words', [{ a: 'x'.repeat(60), b: 'y'.repeat(60) }, {}], false],
  ])('%s: %s', async (_, given, expected) => {
    expect(await isTable(given)).toBe(expected)
  })
})
