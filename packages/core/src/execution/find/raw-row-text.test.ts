import { expect, test, vi } from 'vitest'
import { objectId } from '../../model/value.js'
import type { Row } from '../../ports/connector.js'
import { rawRowText, readRawRows } from './raw-row-text.js'

async function readBack(rows: readonly Row[], partBytes: number) {
  const bytes = Buffer.from(rows.map(rawRowText).join(',\n'))
  const found: Row[] = []
  async function* parts() {
    for (let from = 0; from < bytes.length; from += partBytes) yield bytes.subarray(from, from + partBytes)
  }
  for await (const some of readRawRows(parts())) found.push(...some)
  return found
}

const rows: readonly Row[] = [
  ['7', '-7', '0012', '2024-01-31', '9223372036854775807', '', ' 7', 7, -7.5],
  ['#', '#7', '##########', '##########7', '###########', '"##########7'],
  [null, true, 2n ** 63n, objectId('0123456789abcdef01234567') as never, undefined],
  [
    ['1', ['2', '#']],
    { n: '3', '#': '#', deep: [{ n: '4' }] },
    JSON.parse('{"__proto__": "5", "a": {"__proto__": "#"}}'),
  ],
  ['\u0000', { '##########': '6' }],
]

test.each([1, 7, 64, 100_000])('rows are read back unchanged, in parts of %s bytes', async (partBytes) => {
  expect(await readBack(rows, partBytes)).toEqual(rows)
})

test('rows of numerals alone are read as they were', async () => {
  const numerals = Array.from({ length: 5000 }, (_, at) => [String(at), String(-at)])
  expect(await readBack(numerals, 256 * 1024)).toEqual(numerals)
})

test('a row of many parts is copied once, however many they are', async () => {
  const row = ['x'.repeat(1024 * 1024)]
  const put = vi.spyOn(Buffer, 'concat')
  try {
    expect(await readBack([row, row], 1024)).toEqual([row, row])
    const copied = put.mock.results.reduce((sum, { value }) => sum + value.length, 0)
    expect(copied).toBeLessThan(3 * 1024 * 1024)
  } finally {
    put.mockRestore()
  }
})
