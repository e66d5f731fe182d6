import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addMonths, dayText, endOfDay, localDay } from './time-zone.js'

const dayOf = (date: string) => Date.parse(date) / 86_400_000
const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')]
const instants = fc.integer({ min: Date.parse('1972-01-01'), max: Date.parse('2100-01-01') })

describe('localDay', () => {
  it.each([
    ['2024-03-01T04:59:59Z', 'America/New_York', '2024-02-29'],
    ['2024-03-01T05:00:00Z', 'America/New_York', '2024-03-01'],
    ['2024-02-29T10:00:00Z', 'Pacific/Kiritimati', '2024-03-01'],
    ['2024-03-01T11:00:00Z', 'Pacific/Pago_Pago', '2024-03-01'],
    ['2024-03-01T10:59:59Z', 'Pacific/Pago_Pago', '2024-02-29'],
    ['1969-12-31T23:59:59.999Z', 'UTC', '1969-12-31'],
  ])('at %s in %s is %s', (instant, zone, date) => {
    expect(dayText(localDay(Date.parse(instant), zone))).toBe(date)
  })
})

describe('endOfDay', () => {
  it.each([
    ['2024-06-30', 'UTC', '2024-06-30T23:59:59.999Z'],
    ['2024-06-30', 'Europe/Berlin', '2024-06-30T21:59:59.999Z'],
    ['2024-06-30', 'Asia/Kathmandu', '2024-06-30T18:14:59.999Z'],
    // These days have 23 and 25 hours.
    ['2024-03-31', 'Europe/Berlin', '2024-03-31T21:59:59.999Z'],
    ['2024-10-27', 'Europe/Berlin', '2024-10-27T22:59:59.999Z'],
    // Midnight does not exist on the next day.
    ['2018-11-03', 'America/Sao_Paulo', '2018-11-04T02:59:59.999Z'],
    ['2023-04-27', 'Africa/Cairo', '2023-04-27T21:59:59.999Z'],
    // The hour before midnight occurs twice.
    ['2018-02-17', 'America/Sao_Paulo', '2018-02-18T02:59:59.999Z'],
    // Midnight occurs twice. The first one ends the day.
    ['2010-11-06', 'America/St_Johns', '2010-11-07T02:29:59.999Z'],
    // The next day does not exist.
    ['2011-12-29', 'Pacific/Apia', '2011-12-30T09:59:59.999Z'],
  ])('of %s in %s is %s', (date, zone, instant) => {
    expect(new Date(endOfDay(dayOf(date), zone)).toISOString()).toBe(instant)
  })

  it('is the last millisecond that shows the day, in every zone', () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...zones), (instant, zone) => {
        const day = localDay(instant, zone)
        const end = endOfDay(day, zone)
        expect(localDay(end, zone)).toBe(day)
        expect(localDay(end + 1, zone)).toBeGreaterThan(day)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('addMonths', () => {
  it.each([
    ['2024-01-31', 1, '2024-02-29'],
    ['2023-01-31', 1, '2023-02-28'],
    ['2023-01-31', 3, '2023-04-30'],
    ['2023-08-31', 1, '2023-09-30'],
    ['2023-12-15', 1, '2024-01-15'],
    ['2023-11-30', 3, '2024-02-29'],
    ['2099-11-30', 3, '2100-02-28'],
  ])('to %s: %i gives %s', (date, months, later) => {
    expect(dayText(addMonths(dayOf(date), months))).toBe(later)
  })
})
