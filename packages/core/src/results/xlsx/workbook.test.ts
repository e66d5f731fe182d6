import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import readXlsxFile from 'read-excel-file/node'
import { expect, test } from 'vitest'
import { workbook } from './workbook.js'

const sheet = {
  name: 'Data <map>',
  head: ['System', 'Lists', ...Array.from({ length: 30 }, (_, at) => `more ${at}`)],
  lines: [
    ['=1+1 <&>"', ['a', 'b'], true],
    [null, 'two\nlines', false],
  ],
}

test('a workbook has texts as they are, and never a formula', async () => {
  const read = await readXlsxFile(Buffer.from(await workbook(sheet)))
  const [first] = read as unknown as { sheet: string; data: unknown[][] }[]
  expect(first?.sheet).toBe('Data <map>')
  expect(first?.data.map((row) => row.slice(0, 3))).toEqual([
    ['System', 'Lists', 'more 0'],
    ['=1+1 <&>"', 'a; b', 'yes'],
    [null, 'two\nlines', 'no'],
  ])
})

test('a control character, which XML has no words for, is replaced', async () => {
  const bytes = await workbook({ ...sheet, lines: [['a\u0001b']] })
  expect(Buffer.from(bytes).toString()).toContain('a\ufffdb')
})

test('what a workbook would read as an escaped character is escaped itself', async () => {
  const lines = [['_x0041_x00e9_'], ['_x004_ _y0041_ a_b']]
  const text = Buffer.from(await workbook({ ...sheet, lines })).toString()
  expect(text).toContain('>_x005F_x0041_x005F_x00e9_<')
  expect(text).toContain('>_x004_ _y0041_ a_b<')
})

test('the same sheet gives the same bytes', async () => {
  expect(Buffer.compare(await workbook(sheet), await workbook(structuredClone(sheet)))).toBe(0)
})

test('the same sheet gives the same bytes in every time zone', async () => {
  const program = `
    import { workbook } from './workbook.js'
    console.log(Buffer.from(await workbook(${JSON.stringify(sheet)})).toString('base64'))
  `
  const node = ['--import', 'tsx', '--input-type=module', '--eval', program]
  const bytesIn = async (TZ: string) =>
    (await promisify(execFile)(process.execPath, node, { env: { ...process.env, TZ }, cwd: import.meta.dirname }))
      .stdout
  const [first, ...others] = await Promise.all(['UTC', 'America/Los_Angeles', 'Asia/Kolkata'].map(bytesIn))
  expect(first?.length).toBeGreaterThan(1_000)
  expect(others).toEqual([first, first])
})
