import type { Value } from '@habeas/core'

/** Fewer digits than this, without an exponent, always survive in a double. */
const suspicious = /[0-9.]{16}|[0-9][eE]/

const token = /"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g

/** Parses a document; a number that a double would change, or beyond 2^53, becomes its text. */
export function parseJson(text: string): Value {
  if (!suspicious.test(text)) return JSON.parse(text)
  return JSON.parse(text.replace(token, (found) => (found[0] === '"' || survives(found) ? found : `"${found}"`)))
}

function survives(number: string): boolean {
  const double = Number(number)
  if (Math.abs(double) > Number.MAX_SAFE_INTEGER) return false
  return normal(number) === normal(String(double))
}

/** Digits without zeros at either end, and the power of ten they stand at. */
function normal(number: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(
    number,
  )!
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}
