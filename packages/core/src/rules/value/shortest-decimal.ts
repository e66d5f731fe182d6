/** More digits than any database stores in a number. A longer text is not read as one. */
const maxDigits = 1_000

/**
 * The shortest decimal form of a number in any usual notation (`007.50`, `1e3`), without an exponent. Undefined where
 * the text is not a number. Two texts are the same number exactly when their shortest forms are equal.
 */
export function shortestDecimal(text: string): string | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text)
  if (!match || text.length > maxDigits) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  if (whole === '' && fraction === '') return undefined
  const shift = Number(exponent)
  if (Math.abs(shift) > maxDigits) return undefined
  const digits = shift >= 0 ? whole + fraction.padEnd(shift, '0') : whole.padStart(-shift, '0') + fraction
  const point = shift >= 0 ? whole.length + shift : Math.max(whole.length, -shift) + shift
  const before = digits.slice(0, point).replace(/^0+/, '') || '0'
  const after = digits.slice(point).replace(/0+$/, '')
  const number = after === '' ? before : `${before}.${after}`
  return sign === '-' && number !== '0' ? `-${number}` : number
}

/** Whether a number is exact: an integer beyond 2^53 may have been rounded. */
export function isExact(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
}
