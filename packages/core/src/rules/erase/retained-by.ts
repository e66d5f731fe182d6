import type { Retain } from '../../model/field-meta.js'
import type { Value } from '../../model/value.js'
import { millisecondsOf } from '../value/time-text.js'

const period = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?$/

/**
 * Whether a reason to keep something still holds for a row at a moment (ISO 8601 in UTC). A row without a date that
 * tells is kept: nothing says that its time is over.
 */
export function retainedBy(
  { until }: Retain,
  valueAt: (path: readonly string[]) => Value | undefined,
  now: string,
): boolean {
  if (until === undefined) return true
  // The day itself belongs to the time.
  if (typeof until === 'string') return now.slice(0, 10) <= until
  const from = valueAt(until.after.split('.'))
  const start = typeof from === 'string' ? millisecondsOf(from) : undefined
  const ends = start === undefined ? Number.NaN : addPeriod(new Date(start), until.period)
  // What lies beyond all dates is not over either.
  return Number.isNaN(ends) || Date.parse(now) < ends
}

/** The moment a period after another, on the calendar of UTC; the last day of a month stays the last. */
function addPeriod(start: Date, text: string): number {
  const parts = period.exec(text)
  if (!parts) return Number.NaN
  const [years, months, weeks, days] = parts.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ]
  const month = start.getUTCMonth() + years * 12 + months
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const end = new Date(start)
  end.setUTCDate(1)
  end.setUTCMonth(month)
  end.setUTCDate(Math.min(start.getUTCDate(), lastDay) + weeks * 7 + days)
  return end.getTime()
}
