const pattern =
  /^(\d{4}|[1-9]\d{4,6})-(\d\d)-(\d\d)(?:[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,12}))?)?(Z|z|[+-]\d\d(?::?\d\d)?)?)?( BC)?$/

/**
 * Returns a text that is an existing calendar date, `YYYY-MM-DD`, with ` BC` after it before Christ. Undefined
 * otherwise, also for a point in time.
 */
export function dateText(text: string): string | undefined {
  const match = pattern.exec(text)
  return match && match[4] === undefined && existsInCalendar(match) ? text : undefined
}

/**
 * One spelling for each point in time. It is in UTC where the text has an offset, and in local time without `Z` where
 * it has none. Fractions lose trailing zeros and keep full precision. Undefined for a date. Beyond the years 1 to 9999
 * only UTC and local times are read.
 */
export function timeText(text: string): string | undefined {
  const match = pattern.exec(text)
  if (!match || match[4] === undefined || !existsInCalendar(match)) return undefined
  const [, year = '', month, day, hour, minute, second = '00', fraction = '', zone, era = ''] = match
  const minutes = zone ? offsetMinutes(zone) : 0
  const time = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const utc = minutes === 0 ? time : year.length === 4 && era === '' ? shifted(time, minutes) : undefined
  const places = fraction.replace(/0+$/, '')
  return utc && `${utc}${places && `.${places}`}${zone ? 'Z' : ''}${era}`
}

/** `timeText` of a text with an offset. Only such a text says which point in time it is. */
export function timestampText(text: string): string | undefined {
  const time = timeText(text)
  return time?.includes('Z') ? time : undefined
}

/** `timeText` of a text without an offset. */
export function datetimeText(text: string): string | undefined {
  const time = timeText(text)
  return time?.includes('Z') ? undefined : time
}

/**
 * Milliseconds of a date, at its beginning, or of a point in time. A text without a zone counts as UTC. Undefined
 * beyond the years 0 to 9999.
 */
export function millisecondsOf(text: string): number | undefined {
  const date = dateText(text)
  const time = date === undefined ? timeText(text) : `${date}T00:00:00Z`
  if (time === undefined || !/^\d{4}-[^ ]*$/.test(time)) return undefined
  return Date.parse(time.endsWith('Z') ? time : `${time}Z`)
}

/** The time some minutes earlier. Undefined where its year does not have four digits. */
function shifted(time: string, minutes: number): string | undefined {
  const instant = new Date(`${time}Z`)
  instant.setUTCMinutes(instant.getUTCMinutes() - minutes)
  const text = instant.toISOString()
  return /^\d/.test(text) ? text.slice(0, -'.000Z'.length) : undefined
}

/**
 * Maps the year to one that JavaScript can check: the calendar repeats every 400 years, and the year before 1 is 1 BC.
 */
function existsInCalendar([, year, month, day, , , , , , era]: RegExpExecArray): boolean {
  if (era && Number(year) === 0) return false
  const ordinal = era ? 1 - Number(year) : Number(year)
  const alike = 2000 + (((ordinal % 400) + 400) % 400)
  const date = new Date(Date.UTC(alike, Number(month) - 1, Number(day)))
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
}

function offsetMinutes(zone: string): number {
  if (/^z$/i.test(zone)) return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0)
  return zone.startsWith('-') ? -minutes : minutes
}
