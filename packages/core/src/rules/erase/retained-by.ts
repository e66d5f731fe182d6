import type { Retain } from '../../model/service-meta.js'
import type { Value } from '../../model/value.js'
import { millisecondsOf } from '../value/time-text.js'

const period = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?$/

/**
 * Whether a retention still applies to a row at a moment (ISO 8601 in UTC). A row without a readable date is retained,
 * since nothing shows that its time is over.
 */
export function retainedBy(
  { until }: Retain,
  valueAt: (path: readonly string[]) => Value | undefined,
  now: string,
): boolean {
  if (until === undefined) return true
  // The last day still counts.
  if (typeof until === 'string') return now.slice(0, 10) <= until
  const from = valueAt(until.after.split('.'))
  const start = typeof from === 'string' ? millisecondsOf(from) : undefined
  const ends = start === undefined ? Number.NaN : addPeriod(new Date(start), until.period)
  // A date beyond the calendar is not over either.
  return Number.isNaN(ends) || Date.parse(now) < ends
}

/** Adds a period to a moment, on the UTC calendar. The last day of a month stays the last. */
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
