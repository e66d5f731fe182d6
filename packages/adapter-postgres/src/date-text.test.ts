import { expect, it } from 'vitest'
import { isCalendarDate, isDateTime } from './date-text.js'

it.each([
  ['2024-02-29', true],
  ['2023-02-29', false],
  ['1900-02-29', false],
  ['2000-02-29', true],
  ['2024-04-31', false],
  ['2024-13-01', false],
  ['2024-00-10', false],
  ['2024-01-00', false],
  ['0000-01-01', false],
  ['0044-03-15 BC', true],
  ['0001-02-29 BC', true],
  ['12024-01-01', true],
  ['9999999-01-01', false],
  ['infinity', true],
  ['-infinity', true],
  ['24-1-1', false],
  ['today', false],
])('%s is a date: %s', (text, expected) => {
  expect(isCalendarDate(text)).toBe(expected)
  expect(isDateTime(text)).toBe(expected)
})

it.each([
  ['2024-01-31T12:00:00Z', true],
  ['2024-01-31 12:00', true],
  ['2024-01-31T12:00:00.123456+05:30', true],
  ['2024-01-31T12:00:00-0800', true],
  ['0044-03-15T12:00:00Z BC', true],
  ['294276-12-31T23:59:59.999999Z', true],
  ['294276-12-31T23:59:59+00', true],
  ['294276-12-31T23:59:59-01', false],
  ['294277-01-01T00:00:00Z', false],
  ['4714-11-24T00:00:00Z BC', true],
  ['4714-11-24T00:00:00+01 BC', false],
  ['2024-01-31T24:00:00Z', false],
  ['2024-01-31T12:60:00Z', false],
  ['2024-01-31T12:00:00+25:00', false],
  ['2023-02-29T12:00:00Z', false],
  ['2024-01-31Tnoon', false],
  ['now', false],
])('%s is a date with a time: %s', (text, expected) => expect(isDateTime(text)).toBe(expected))

it.each([
  ['5874897-12-31', true],
  ['5874898-01-01', false],
  ['4714-11-24 BC', true],
  ['4714-11-23 BC', false],
  ['4715-12-31 BC', false],
])('%s is a date: %s', (text, expected) => expect(isCalendarDate(text)).toBe(expected))
