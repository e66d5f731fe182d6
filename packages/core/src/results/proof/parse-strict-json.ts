import { PrivacyError } from '../../errors.js'

/** The open object with the names it has had so far, or the place in an open array. */
type Level = { readonly names: Set<string>; name: string; isNameNext: boolean } | { at: number }

/**
 * Parses a JSON text that means the same to every reader. `JSON.parse` takes the last of several members with one name,
 * other parsers the first; it rounds numbers, others do not. Throws a `SyntaxError` when the text is not JSON, and
 * `invalid_input`, with the place and without a value, when it can be read in more than one way.
 */
export function parseStrictJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  checkMembers(text)
  return value
}

/** Goes once through a text that is known to be JSON. */
function checkMembers(text: string): void {
  const levels: Level[] = []
  for (let at = 0; at < text.length; ) {
    const level = levels.at(-1)
    const character = text[at] as string
    const end = endOf(text, at, character)
    if (character === '{') levels.push({ names: new Set(), name: '', isNameNext: true })
    else if (character === '[') levels.push({ at: 0 })
    else if (character === '}' || character === ']') levels.pop()
    else if (character === ',' && level) {
      if ('at' in level) level.at++
      else level.isNameNext = true
    } else if (character === '"' && level && 'names' in level && level.isNameNext) {
      level.name = nameOf(text.slice(at, end))
      level.isNameNext = false
      if (level.name === '__proto__') throw ambiguous(levels, 'no member may have this name')
      if (level.names.has(level.name)) throw ambiguous(levels, 'there is more than one member of this name')
      level.names.add(level.name)
    } else if (isNumeric(character) && !isExact(text.slice(at, end))) {
      throw ambiguous(levels, 'not every reader can keep the digits of this number')
    }
    at = end
  }
}

function endOf(text: string, at: number, character: string): number {
  if (character === '"') return endOfText(text, at)
  let end = at + 1
  if (isNumeric(character)) while (end < text.length && inNumbers.has(text[end] as string)) end++
  return end
}

/**
 * The position after the closing quotation mark of the text that begins here. Backslashes before that mark stand in
 * pairs.
 */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let before = at
    while (text[before - 1] === '\\') before--
    if ((at - before) % 2 === 0) return at + 1
  }
}

/** One name may be written in several ways: `"\u0061"` is `"a"`. */
function nameOf(quoted: string): string {
  return quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1)
}

const inNumbers = new Set('0123456789+-.eE')

function isNumeric(character: string): boolean {
  return character === '-' || (character >= '0' && character <= '9')
}

/** Every number that JavaScript represents exactly fits into this length. */
const mostDigits = 400

/** Whether JavaScript keeps the number to the last digit. */
function isExact(text: string): boolean {
  const kept = String(Number(text))
  return kept === text || (text.length <= mostDigits && decimalOf(kept) === decimalOf(text))
}

/** A decimal number in one spelling: its digits without zeros at either end, and their power of ten. */
function decimalOf(text: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (!parts) return text
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts
  const digits = `${whole}${fraction}`.replace(/0+$/, '')
  const shift = whole.length - digits.length
  const significant = digits.replace(/^0+/, '')
  return significant === '' ? '0' : `${sign}${significant}e${Number(exponent) + shift}`
}

function ambiguous(levels: readonly Level[], why: string): PrivacyError {
  return new PrivacyError('invalid_input', `It can be read in more than one way: at ${placeOf(levels)}, ${why}.`, {
    issues: [],
  })
}

function placeOf(levels: readonly Level[]): string {
  const parts = levels.map((level) => {
    if ('at' in level) return `[${level.at}]`
    return /^[\w-]+$/.test(level.name) ? `.${level.name}` : `[${JSON.stringify(level.name)}]`
  })
  return parts.join('').replace(/^\./, '') || 'the root'
}
