const daysInMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const datePattern = /^([0-9]{4,7})-([0-9]{2})-([0-9]{2})(?: (BC))?$/
const timePattern =
  /^([01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?$/i

/** The last year that the server takes for a date, and with a time of day. */
const lastYear = { date: 5_874_897, time: 294_276 }

/** Returns whether the server takes the text for a date. It takes `infinity` and years before Christ, but not 30 February. */
export function isCalendarDate(text: string, last = lastYear.date): boolean {
  if (text === 'infinity' || text === '-infinity') return true
  const [, year, month, day, beforeChrist] = datePattern.exec(text) ?? []
  if (year === undefined) return false
  const ordinal = beforeChrist ? 1 - Number(year) : Number(year)
  // the server's first day is 24 November 4714 BC
  const isFirst = ordinal === -4713 && Number(month) * 100 + Number(day) >= 1124
  if (Number(year) < 1 || ordinal > last || (ordinal < -4712 && !isFirst)) return false
  const leap = (ordinal % 4 === 0 && ordinal % 100 !== 0) || ordinal % 400 === 0
  const days = Number(month) === 2 && !leap ? 28 : daysInMonth[Number(month) - 1]
  return days !== undefined && Number(day) >= 1 && Number(day) <= days
}

/** Returns whether the server takes the text for a date with or without a time of day. */
export function isDateTime(text: string): boolean {
  const [, date, time, era] = /^(-?[^T ]+)(?:[T ]([0-9][^ ]*))?( BC)?$/.exec(text) ?? []
  if (date === undefined || (time !== undefined && !timePattern.test(time))) return false
  // an offset may lead beyond the last day, or before the first one
  const isShifted = time !== undefined && /[+-](?!00(?::?00)?$)/.test(time)
  if (isShifted && (date.length > 10 || era)) return false
  return isCalendarDate(`${date}${era ?? ''}`, lastYear.time)
}
