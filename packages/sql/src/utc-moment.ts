/** Returns a moment of RFC 3339 in UTC, up to its seconds and without a zone. Undefined where its year has not four digits there. */
export function utcMoment(text: string): string | undefined {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) return undefined
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})/.exec(at.toISOString()) ?? []
  return day === undefined ? undefined : `${day} ${time}`
}
