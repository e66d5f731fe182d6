import { castValue, PrivacyError, type Value, type ValueKind } from '@habeas/core'

interface Span {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** A new value of a member. `current` gives the value that it has. */
export type NewValue = (current: () => Value) => Value

const numbers: ReadonlySet<ValueKind | undefined> = new Set(['integer', 'decimal', 'float'])

/**
 * The line with new values for some members of its object. All other text stays as it is, digit by digit: a number may
 * have more of them than a double keeps. Members that are null or absent stay so.
 */
export function rewrittenLine(text: string, changes: ReadonlyMap<string, NewValue>, kinds: Kinds): string {
  let written = ''
  let at = 0
  for (const { name, from, to } of memberSpans(text)) {
    const change = changes.get(name)
    const raw = text.slice(from, to)
    if (!change || raw === 'null') continue
    const value = change(() => currentOf(name, raw))
    written += text.slice(at, from) + valueText(value, kinds.get(name), raw)
    at = to
  }
  return written + text.slice(at)
}

type Kinds = ReadonlyMap<string, ValueKind | undefined>

/** A document is taken apart, so it must hold no number that would change. */
function currentOf(name: string, raw: string): Value {
  if (/[0-9.]{16}|[0-9][eE]/.test(withoutTexts(raw))) {
    const message = `'${name}' holds a number with more digits than can be kept: erase the whole row, or keep the column with 'retain'.`
    throw new PrivacyError('unsupported', message, { feature: 'exact_numbers' })
  }
  return JSON.parse(raw) as Value
}

/** The JSON without its texts. They are skipped by hand: a pattern would need a stack as deep as they are long. */
function withoutTexts(raw: string): string {
  let rest = ''
  let at = 0
  for (let quote = raw.indexOf('"'); quote !== -1; quote = raw.indexOf('"', at)) {
    rest += raw.slice(at, quote)
    at = afterText(raw, quote)
  }
  return rest + raw.slice(at)
}

/** The JSON of a value. What was a number stays one, and what was a text stays a text. */
function valueText(value: Value, kind: ValueKind | undefined, raw: string): string {
  const isNumber = numbers.has(kind) && value !== null
  const text = isNumber ? castValue(value, kind)?.canonical : undefined
  if (text !== undefined) return raw.startsWith('"') ? JSON.stringify(text) : text
  return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? String(member) : member))
}

/** Where the values of an object stand in its JSON. A name that stands there twice is given twice. */
function memberSpans(text: string): Span[] {
  const spans: Span[] = []
  let at = afterSpace(text, text.indexOf('{') + 1)
  while (text[at] === '"') {
    const end = afterText(text, at)
    const name = JSON.parse(text.slice(at, end)) as string
    const from = afterSpace(text, afterSpace(text, end) + 1)
    const to = afterValue(text, from)
    spans.push({ name, from, to })
    at = afterSpace(text, to)
    if (text[at] === ',') at = afterSpace(text, at + 1)
  }
  return spans
}

function afterSpace(text: string, from: number): number {
  let at = from
  while (/\s/.test(text[at] ?? '')) at++
  return at
}

/** The position after a text that begins here. */
function afterText(text: string, from: number): number {
  let at = from + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function afterValue(text: string, from: number): number {
  if (text[from] === '"') return afterText(text, from)
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const character = text[at] as string
    if (character === '"') at = afterText(text, at) - 1
    else if (character === '{' || character === '[') depth++
    else if (depth > 0 && (character === '}' || character === ']')) {
      if (--depth === 0) return at + 1
    } else if (depth === 0 && /[\s,}]/.test(character)) return at
  }
  return text.length
}
