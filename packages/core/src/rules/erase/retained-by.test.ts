import { describe, expect, it } from 'vitest'
import type { Value } from '../../model/value.js'
import { retainedBy } from './retained-by.js'

const reason = 'tax law'
const after = (period: string, value: Value | undefined, now: string) =>
  retainedBy({ reason, until: { after: 'paid.at', period } }, (path) => (path.join() === 'paid,at' ? value : 'x'), now)

describe('a reason to keep', () => {
  it('without an end always holds', () => {
    expect(retainedBy({ reason }, () => null, '9999-12-31T00:00:00.000Z')).toBe(true)
  })

  it.each([
    ['2029-12-30T23:59:59.999Z', true],
    ['2029-12-31T00:00:00.000Z', true],
    ['2029-12-31T23:59:59.999Z', true],
    ['2030-01-01T00:00:00.000Z', false],
  ])('until a day holds on that day and no longer: %s', (now, kept) => {
    expect(retainedBy({ reason, until: '2029-12-31' }, () => null, now)).toBe(kept)
  })

  it.each([
    ['a day', 'P10Y', '2020-03-01', '2030-02-28T23:59:59.999Z', '2030-03-01T00:00:00.000Z'],
    ['a moment', 'P1D', '2020-03-01T12:00:00Z', '2020-03-02T11:59:59.999Z', '2020-03-02T12:00:00.000Z'],
    ['a moment without a zone', 'P1D', '2020-03-01T12:00:00', '2020-03-02T11:59:59.999Z', '2020-03-02T12:00:00.000Z'],
    ['a moment elsewhere', 'P1D', '2020-03-01T12:00:00+02:00', '2020-03-02T09:59:59.999Z', '2020-03-02T10:00:00.000Z'],
    ['the last day of a month', 'P1M', '2020-01-31', '2020-02-28T23:59:59.999Z', '2020-02-29T00:00:00.000Z'],
    ['several parts', 'P1Y1M1W1D', '2020-01-01', '2021-02-08T23:59:59.999Z', '2021-02-09T00:00:00.000Z'],
  ])('for a period after %s ends with it', (_, period, value, before, over) => {
    expect([after(period, value, before), after(period, value, over)]).toEqual([true, false])
  })

  it.each([
    ...[null, undefined, '', 'soon', 7, true, 'infinity', '-infinity', '0044-03-15 BC', '12345-01-01'],
    ...['invoice 3', 'n/a 7', '3', '1.5', '01.02.2020', '20200101', '2020', '2020-02-30', '2020-01-01T24:00'],
  ])('holds where the row says %s', (value) => {
    expect(after('P1D', value, '9999-01-01T00:00:00.000Z')).toBe(true)
  })

  it.each([
    ['P10Y', '9999-12-31'],
    ['P1D', '9999-12-31T23:59:59-12:00'],
    ['P9999Y', '2020-01-01'],
    ['P999999Y', '2020-01-01'],
  ])('holds for %s after %s, which ends after the year 9999', (period, value) => {
    expect(after(period, value, '9999-12-31T23:59:59.999Z')).toBe(true)
  })

  it('ends in the years before 1000 as in any other', () => {
    expect(after('P1Y', '0044-03-15', '0045-03-14T23:59:59.999Z')).toBe(true)
    expect(after('P1Y', '0044-03-15 12:00:00.123456+01', '2020-01-01T00:00:00.000Z')).toBe(false)
  })
})
