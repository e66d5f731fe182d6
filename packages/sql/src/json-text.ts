import { isTypedText, type Value } from '@habeas/core'

/** Fewer digits than this, without an exponent, always survive in a double. */
const suspicious = /[0-9.]{16}|[0-9][eE]/

const number = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g

/** Parses a document. A number that a double would change, or that is beyond 2^53, becomes its text. */
export function parseJson(text: string): Value {
  return JSON.parse(suspicious.test(text) ? withQuotedNumbers(text) : text)
}

/** Puts such numbers in quotes. Texts are skipped by hand, because a pattern would need a stack as deep as they are long. */
function withQuotedNumbers(text: string): string {
  let written = ''
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const end = quote === -1 ? text.length : quote
    written += text.slice(at, end).replace(number, (found) => (survives(found) ? found : `"${found}"`))
    at = quote === -1 ? end : closingQuote(text, quote + 1) + 1
    written += text.slice(end, at)
  }
  return written
}

/** Returns whether the value is or contains a text that may stand for a number which `parseJson` could not keep. */
export function mayHideNumbers(value: Value): boolean {
  if (typeof value === 'string') return isHiddenNumber(value)
  if (Array.isArray(value)) return value.some(mayHideNumbers)
  return typeof value === 'object' && value !== null && !isTypedText(value) && Object.values(value).some(mayHideNumbers)
}

/** Writes a value as JSON; undefined where a server refuses it. With `numbers`, texts that may be numbers become numbers. */
export function writeJson(value: Value, numbers = false): string | undefined {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'string') {
    if (/[\0\p{Surrogate}]/u.test(value)) return undefined
    return numbers && isHiddenNumber(value) ? value : JSON.stringify(value)
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isTypedText(value)) return JSON.stringify(value.text)
  if (Array.isArray(value)) {
    const elements = value.map((element: Value) => writeJson(element, numbers))
    return elements.includes(undefined) ? undefined : `[${elements.join(',')}]`
  }
  const members = Object.entries(value).map(([name, member]) => {
    const [key, written] = [writeJson(name), writeJson(member as Value, numbers)]
    return key === undefined || written === undefined ? undefined : `${key}:${written}`
  })
  return members.includes(undefined) ? undefined : `{${members.join(',')}}`
}

function isHiddenNumber(text: string): boolean {
  return /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text) && !survives(text)
}

function survives(number: string): boolean {
  const double = Number(number)
  if (Math.abs(double) > Number.MAX_SAFE_INTEGER) return false
  return normal(number) === normal(String(double))
}

/** Returns the digits without zeros at either end, and their power of ten. */
function normal(number: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(
    number,
  )!
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

/** Returns the position of the quote that ends the text beginning at `from`. Where it is cut off, the end of all. */
function closingQuote(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

/** Returns a place inside a document as a path of SQL/JSON, with members by name and elements by position. */
export function jsonPath(path: readonly (string | number)[]): string {
  return `$${path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${JSON.stringify(part)}`)).join('')}`
}
