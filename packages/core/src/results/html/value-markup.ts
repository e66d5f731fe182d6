import type { PackageTextKey } from '../../model/package-texts.js'
import type { PackageText } from '../../rules/package/package-text.js'
import { html, type Markup } from '../../rules/value/html.js'
import { timeText } from './time-text.js'

/** Objects and lists deeper than this are shown as JSON: each indentation takes space that a phone does not have. */
const maxDepth = 8
/** A longer text gets a box of its own to scroll in. */
const longCharacters = 1_200

/** A value as people read it: nested objects as definition lists, lists as lists. Every text is text, never a link. */
export function valueMarkup(texts: PackageText, value: unknown, depth = 0): Markup {
  if (typeof value === 'string') return textMarkup(texts, value)
  if (value === null || value === undefined) return absent(texts, 'no_value')
  if (typeof value === 'boolean') return html`${texts.say(value ? 'yes' : 'no')}`
  if (typeof value !== 'object') return html`${String(value)}`
  if (depth >= maxDepth) return textMarkup(texts, JSON.stringify(value, undefined, 1))
  if (Array.isArray(value)) return listMarkup(texts, value, depth)
  const members = Object.entries(value)
  if (members.length === 0) return absent(texts, 'nothing')
  return html`<dl>${members.map(([name, inner]) => memberMarkup(texts, name, inner, depth + 1))}</dl>`
}

/** A name and its value, for a `dl`. `dir` keeps the writing direction of a value inside its element. */
export function memberMarkup(texts: PackageText, name: string, value: unknown, depth = 0): Markup {
  return html`<div><dt dir="auto">${name}</dt><dd dir="auto">${valueMarkup(texts, value, depth)}</dd></div>`
}

function textMarkup(texts: PackageText, text: string): Markup {
  if (text.trim() === '') return absent(texts, text === '' ? 'empty_text' : 'blank_text')
  const time = timeText(texts, text)
  if (time !== undefined) return html`<time datetime="${text}">${time}</time>`
  return text.length > longCharacters ? html`<div class="long" dir="auto" tabindex="0">${text}</div>` : html`${text}`
}

function listMarkup(texts: PackageText, list: readonly unknown[], depth: number): Markup {
  if (list.length === 0) return absent(texts, 'empty_list')
  const nested = list.some((element) => typeof element === 'object' && element !== null)
  const elements = list.map((element) => html`<li dir="auto">${valueMarkup(texts, element, depth + 1)}</li>`)
  return nested ? html`<ol>${elements}</ol>` : html`<ul>${elements}</ul>`
}

function absent(texts: PackageText, key: PackageTextKey): Markup {
  return html`<span class="none">${texts.say(key)}</span>`
}
