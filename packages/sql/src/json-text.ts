import { isTypedText, sameValue, type Value } from '@habeas/core'

/** Fewer digits than this, without an exponent, always survive in a double. */
const suspicious = /[0-9.]{16}|[0-9][eE]/

const number = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g

/** Parses a document. A number that a double would change, or that is beyond 2^53, becomes its text. */
export function parseJson(text: string): Value {
  return JSON.parse(suspicious.test(text) ? withQuotedNumbers(text) : text)
}

/**
 * Parses the text of a document as it was written. Where a member is there several times it gives all values that differ and
 * hold something, as a list if they are several: a document in a form of its own (`jsonb`) has the last of them alone.
 */
export function parseWrittenJson(text: string): Value {
  const value = parseJson(text)
  return colonsOf(text) === membersOf(value) ? value : withoutRepeats(JSON.parse(numbered(text)))
}

/** Gives each member a name of its own, with a number behind its own name. */
function numbered(text: string): string {
  let members = 0
  const quoted = suspicious.test(text) ? withQuotedNumbers(text) : text
  return mapParts(
    quoted,
    (bare) => bare,
    (string, isName) => (isName ? `${string.slice(0, -1)}\\u0000${members++}"` : string),
  )
}

function withoutRepeats(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutRepeats)
  if (typeof value !== 'object' || value === null || isTypedText(value)) return value
  const held = new Map<string, Value[]>()
  for (const [name, member] of Object.entries(value as Readonly<Record<string, Value>>)) {
    const own = name.slice(0, name.lastIndexOf('\0'))
    held.set(own, [...(held.get(own) ?? []), withoutRepeats(member)])
  }
  return Object.fromEntries(Array.from(held, ([name, members]) => [name, togetherOf(members)]))
}

function togetherOf(members: readonly Value[]): Value {
  const different = members.filter((each, at) => !members.slice(0, at).some((other) => sameValue(each, other)))
  const holding = different.filter((each) => each !== null && !(typeof each === 'string' && each.trim() === ''))
  return holding.length > 1 ? holding : (holding[0] ?? members.at(-1)!)
}

function colonsOf(text: string): number {
  let colons = 0
  const counted = (bare: string) => {
    for (let at = bare.indexOf(':'); at !== -1; at = bare.indexOf(':', at + 1)) colons++
    return ''
  }
  mapParts(text, counted, () => '')
  return colons
}

function membersOf(value: Value): number {
  if (typeof value !== 'object' || value === null || isTypedText(value)) return 0
  const inside = Object.values(value).reduce<number>((sum, each) => sum + membersOf(each as Value), 0)
  return Array.isArray(value) ? inside : inside + Object.keys(value).length
}

/** Puts such numbers in quotes. */
function withQuotedNumbers(text: string): string {
  return mapParts(
    text,
    (bare) => bare.replace(number, (found) => (survives(found) ? found : `"${found}"`)),
    (string) => string,
  )
}

/** Maps the texts of a document and what is between them. They are found by hand: a pattern would need a stack as deep as they are long. */
function mapParts(
  text: string,
  ofBare: (bare: string) => string,
  ofString: (string: string, isName: boolean) => string,
): string {
  let written = ''
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const start = quote === -1 ? text.length : quote
    const end = quote === -1 ? start : closingQuote(text, quote + 1) + 1
    written += ofBare(text.slice(at, start))
    at = end
    if (quote === -1) continue
    let next = end
    while (' \t\r\n'.includes(text[next] ?? '-')) next++
    written += ofString(text.slice(start, end), text[next] === ':')
  }
  return written
}

/**
 * Writes the numbers of a JSON text with an exponent: `10.0` becomes `10.0e0`. Whole numbers of 17 digits and more stay as they
 * are, since a double would change them.
 */
export function withExponents(json: string): string {
  return mapParts(
    json,
    (bare) => bare.replace(number, (found) => (/[eE]|^-?[0-9]{17,}$/.test(found) ? found : `${found}e0`)),
    (string) => string,
  )
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
