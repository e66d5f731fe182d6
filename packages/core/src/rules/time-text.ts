const pattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,12}))?)?(Z|z|[+-]\d\d(?::?\d\d)?)?)?$/

/** A calendar date `YYYY-MM-DD` that exists, else undefined. A point in time is no date. */
export function dateText(text: string): string | undefined {
  const match = pattern.exec(text)
  return match && match[4] === undefined && existsInCalendar(match) ? text : undefined
}

/**
 * One spelling for each point in time: UTC where the text has an offset, the local time without `Z` where it has none,
 * fractions without trailing zeros and in full precision. A date is no point in time.
 */
export function timestampText(text: string): string | undefined {
  const match = pattern.exec(text)
  if (!match || match[4] === undefined || !existsInCalendar(match)) return undefined
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone] = match
  const instant = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (zone) instant.setUTCMinutes(instant.getUTCMinutes() - offsetMinutes(zone))
  const places = fraction.replace(/0+$/, '')
  return `${instant.toISOString().slice(0, -'.000Z'.length)}${places && `.${places}`}${zone ? 'Z' : ''}`
}

/** Milliseconds of a date, at its beginning, or of a point in time; what has no zone is taken for UTC. */
export function millisecondsOf(text: string): number | undefined {
  const date = dateText(text)
  if (date !== undefined) return Date.parse(`${date}T00:00:00Z`)
  const time = timestampText(text)
  return time === undefined ? undefined : Date.parse(time.endsWith('Z') ? time : `${time}Z`)
}

function existsInCalendar([, year, month, day]: RegExpExecArray): boolean {
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day)
}

function offsetMinutes(zone: string): number {
  if (/^z$/i.test(zone)) return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0)
  return zone.startsWith('-') ? -minutes : minutes
}
