import { PrivacyError } from '../../errors.js'

const dayMilliseconds = 24 * 60 * 60 * 1_000

/** A calendar date without a time zone, as the number of days since 1970-01-01. */
export type CalendarDay = number

const formats = new Map<string, Intl.DateTimeFormat>()

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const digits = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  const settings = {
    ...digits,
    second: 'numeric',
    hourCycle: 'h23',
    calendar: 'gregory',
    numberingSystem: 'latn',
  } as const
  try {
    const format = new Intl.DateTimeFormat('en', { ...settings, timeZone })
    formats.set(timeZone, format)
    return format
  } catch (cause) {
    const message = 'The time zone is not known here: give an IANA name such as Europe/Berlin.'
    throw new PrivacyError('misconfigured', message, { option: 'timeZone' }, { cause })
  }
}

/** The local time at an instant, expressed as the instant with the same time in UTC. */
function wallClock(instant: number, timeZone: string): number {
  const parts = new Map(
    formatIn(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
}

function offsetAt(instant: number, timeZone: string): number {
  const wholeSecond = Math.floor(instant / 1_000) * 1_000
  return wallClock(wholeSecond, timeZone) - wholeSecond
}

/** The local date at an instant. */
export function localDay(instant: number, timeZone: string): CalendarDay {
  return Math.floor(wallClock(instant, timeZone) / dayMilliseconds)
}

/**
 * The first instant of a local day. Of two midnights it is the earlier one. Where clocks skip midnight, it is the
 * moment of the jump.
 */
function startOfDay(day: CalendarDay, timeZone: string): number {
  const midnight = day * dayMilliseconds
  const before = offsetAt(midnight - dayMilliseconds, timeZone)
  const after = offsetAt(midnight + dayMilliseconds, timeZone)
  const isMidnight = (offset: number) => offsetAt(midnight - offset, timeZone) === offset
  return midnight - ([Math.max(before, after), Math.min(before, after)].find(isMidnight) ?? before)
}

/** The last millisecond of a local day. */
export function endOfDay(day: CalendarDay, timeZone: string): number {
  return startOfDay(day + 1, timeZone) - 1
}

/** The same date some months later, or the last day of a shorter month. */
export function addMonths(day: CalendarDay, months: number): CalendarDay {
  const date = new Date(day * dayMilliseconds)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months]
  const lastOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastOfMonth)) / dayMilliseconds
}

/** `YYYY-MM-DD`. */
export function dayText(day: CalendarDay): string {
  return new Date(day * dayMilliseconds).toISOString().slice(0, 10)
}
