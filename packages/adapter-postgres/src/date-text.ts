const daysInMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const datePattern = /^([0-9]{4,6})-([0-9]{2})-([0-9]{2})(?: (BC))?$/
const timePattern =
  /^([01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?$/i

/** Whether the server takes the text for a date. `infinity` and years before Christ included, 30 February not. */
export function isCalendarDate(text: string): boolean {
  if (text === 'infinity' || text === '-infinity') return true
  const [, year, month, day, beforeChrist] = datePattern.exec(text) ?? []
  if (year === undefined) return false
  const ordinal = beforeChrist ? 1 - Number(year) : Number(year)
  if (Number(year) < 1 || ordinal > 294_000 || ordinal < -4700) return false
  const leap = (ordinal % 4 === 0 && ordinal % 100 !== 0) || ordinal % 400 === 0
  const days = Number(month) === 2 && !leap ? 28 : daysInMonth[Number(month) - 1]
  return days !== undefined && Number(day) >= 1 && Number(day) <= days
}

/** Whether the server takes the text for a date with or without a time of day. */
export function isDateTime(text: string): boolean {
  const [, date, time, era] = /^(-?[^T ]+)(?:[T ]([0-9][^ ]*))?( BC)?$/.exec(text) ?? []
  return date !== undefined && isCalendarDate(`${date}${era ?? ''}`) && (time === undefined || timePattern.test(time))
}
