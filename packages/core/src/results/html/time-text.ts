import type { PackageText } from '../../rules/package/package-text.js'
import { dateText, timeText as plainTime } from '../../rules/value/time-text.js'

const form = /^((?!0000)\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(\.\d+)?(Z|[+-]\d\d:\d\d)?)?$/

/** A date or a time as people write it, at its full precision; undefined for any other text. */
export function timeText(texts: PackageText, text: string): string | undefined {
  const match = form.exec(text)
  if (!match || (dateText(text) ?? plainTime(text)) === undefined) return undefined
  const [, date = '', time, fraction = '', zone = ''] = match
  const day = texts.day(date)
  if (time === undefined) return day
  return `${day}, ${time}${/[1-9]/.test(fraction) ? fraction : ''}${zone === '' ? '' : ` UTC${zone === 'Z' ? '' : zone}`}`
}
