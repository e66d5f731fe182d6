import type { Value } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { documentForms, textBinders } from './key-binders.js'
import { decimalText, finiteText } from './number-text.js'

it.each([
  ['date', '2024-02-29', '2024-02-29'],
  ['date', '2026-02-30', undefined],
  ['timestamp', '2024-02-29T10:00:00Z', '2024-02-29 10:00:00.000000'],
  ['timestamp', '2026-03-01T00:30:00+02:00', '2026-02-28 22:30:00.000000'],
  ['timestamp', '2026-02-30T10:00:00Z', undefined],
  ['timestamp', '2025-02-29 10:00:00', undefined],
  ['timestamp', '2026-04-31T10:00:00+02:00', undefined],
  ['timestamp', '9999-12-31T23:59:59-08:00', undefined],
] as const)('binds a %s %s as %s', (kind, value, bound) => expect(textBinders[kind](value)).toBe(bound))

describe('the forms of a key inside of a document', () => {
  it.each<[value: Value, forms: readonly string[] | undefined, ofTexts: readonly string[] | undefined]>([
    ['ann', ['sann'], ['sann']],
    ['1e3', ['s1e3', 'n1000'], ['s1e3']],
    ['-0.0', ['s-0.0', 'n0'], ['s-0.0']],
    [5.5, ['n5.5'], ['s5.5']],
    [10n ** 20n, ['n100000000000000000000'], ['s100000000000000000000']],
    [true, ['ntrue'], undefined],
    ['a\0b', undefined, undefined],
    [null, undefined, undefined],
    [[1], undefined, undefined],
  ])('of %o', (value, forms, ofTexts) => {
    expect([documentForms(value, false), documentForms(value, true)]).toEqual([forms, ofTexts])
  })
})

it.each<[value: Value, text: string | undefined]>([
  ['1e-2', '0.01'],
  [' 1', undefined],
  ['0x10', undefined],
  ['Infinity', undefined],
  [`1${'0'.repeat(400)}`, undefined],
  [1e300, '1e+300'],
  [true, undefined],
])('a finite number: %o', (value, text) => {
  expect(finiteText(value, (number) => number)).toBe(text)
})

describe('a decimal has all of its digits', () => {
  it.each<[value: Value, precision: number, scale: number, text: string | undefined]>([
    ['007.50', 4, 2, '7.5'],
    ['-0.00', 4, 2, '0'],
    ['1e-2', 4, 2, '0.01'],
    [`${'9'.repeat(38)}.${'1'.repeat(38)}`, 76, 38, `${'9'.repeat(38)}.${'1'.repeat(38)}`],
    ['0.001', 4, 2, undefined],
    ['100', 4, 2, undefined],
    ['1e999999', 38, 9, undefined],
    ['a', 4, 2, undefined],
    [true, 4, 2, undefined],
    [Number.NaN, 4, 2, undefined],
  ])('%o in (%i, %i)', (value, precision, scale, text) => {
    expect(decimalText(value, precision, scale)).toBe(text)
  })
})
