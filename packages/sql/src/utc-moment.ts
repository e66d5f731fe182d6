/** Returns a moment of RFC 3339 in UTC, up to its seconds and without a zone. Undefined where its year has not four digits there. */
export function utcMoment(text: string): string | undefined {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) return undefined
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})/.exec(at.toISOString()) ?? []
  return day === undefined ? undefined : `${day} ${time}`
}

/** Returns whether the calendar has the day. Date takes February 30 for March 2. */
export function isDay(day: string): boolean {
  return utcMoment(`${day}T00:00:00Z`)?.slice(0, 10) === day
}
