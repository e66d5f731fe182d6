import { isTypedText, type Value } from '@habeas/core'

/** Fewer digits than this, without an exponent, always survive in a double. */
const suspicious = /[0-9.]{16}|[0-9][eE]/

const number = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g

/** Parses a document; a number that a double would change, or beyond 2^53, becomes its text. */
export function parseJson(text: string): Value {
  return JSON.parse(suspicious.test(text) ? withQuotedNumbers(text) : text)
}

/** Texts are passed over and not matched: a pattern would need a stack as deep as they are long. */
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

/** Whether a text, or one inside the value, may stand for a number that `parseJson` could not keep as one. */
export function mayHideNumbers(value: Value): boolean {
  if (typeof value === 'string') return isHiddenNumber(value)
  if (Array.isArray(value)) return value.some(mayHideNumbers)
  return typeof value === 'object' && value !== null && !isTypedText(value) && Object.values(value).some(mayHideNumbers)
}

/** A value as JSON; with `numbers`, texts that may stand for numbers become those. Undefined for what the server refuses. */
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

/** Where the quote stands that ends a text whose characters begin at `from`. */
function closingQuote(text: string, from: number): number {
  let at = from
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

/** A place inside a document in the words of SQL/JSON: members by name, elements by position. */
export function jsonPath(path: readonly (string | number)[]): string {
  return `$${path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${JSON.stringify(part)}`)).join('')}`
}
