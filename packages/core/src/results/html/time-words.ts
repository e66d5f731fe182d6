import { dateText, timestampText } from '../../rules/time-text.js'

const months = 'January February March April May June July August September October November December'.split(' ')
const form = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(\.\d+)?(Z|[+-]\d\d:\d\d)?)?$/

/** A date or a time as people write it, at its full precision; undefined for any other text. */
export function timeWords(text: string): string | undefined {
  const match = form.exec(text)
  if (!match || (dateText(text) ?? timestampText(text)) === undefined) return undefined
  const [, year, month, day, time, fraction = '', zone = ''] = match
  const date = `${Number(day)} ${months[Number(month) - 1]} ${year}`
  if (time === undefined) return date
  return `${date}, ${time}${/[1-9]/.test(fraction) ? fraction : ''}${zone === '' ? '' : ` UTC${zone === 'Z' ? '' : zone}`}`
}
