import { html, type Markup } from './markup.js'
import { timeWords } from './time-words.js'

/** Objects and lists deeper than this are shown as JSON: each step in takes room that a phone does not have. */
const maxDepth = 8
/** A longer text gets a box of its own to scroll in. */
const longCharacters = 1_200

/** A value as people read it: nested objects as definition lists, lists as lists. Every text is text, never a link. */
export function valueMarkup(value: unknown, depth = 0): Markup {
  if (typeof value === 'string') return textMarkup(value)
  if (value === null || value === undefined) return html`<span class="none">no value</span>`
  if (typeof value === 'boolean') return value ? html`yes` : html`no`
  if (typeof value !== 'object') return html`${String(value)}`
  if (depth >= maxDepth) return textMarkup(JSON.stringify(value, undefined, 1))
  if (Array.isArray(value)) return listMarkup(value, depth)
  const members = Object.entries(value)
  if (members.length === 0) return html`<span class="none">nothing</span>`
  return html`<dl>${members.map(([name, inner]) => memberMarkup(name, inner, depth + 1))}</dl>`
}

/** A name and its value, for a `dl`. `dir` keeps what the writing direction of a value does inside it. */
export function memberMarkup(name: string, value: unknown, depth = 0): Markup {
  return html`<div><dt dir="auto">${name}</dt><dd dir="auto">${valueMarkup(value, depth)}</dd></div>`
}

function textMarkup(text: string): Markup {
  if (text.trim() === '') return html`<span class="none">${text === '' ? 'empty text' : 'blank text'}</span>`
  const time = timeWords(text)
  if (time !== undefined) return html`<time datetime="${text}">${time}</time>`
  return text.length > longCharacters ? html`<div class="long" dir="auto" tabindex="0">${text}</div>` : html`${text}`
}

function listMarkup(list: readonly unknown[], depth: number): Markup {
  if (list.length === 0) return html`<span class="none">empty list</span>`
  const nested = list.some((element) => typeof element === 'object' && element !== null)
  const elements = list.map((element) => html`<li dir="auto">${valueMarkup(element, depth + 1)}</li>`)
  return nested ? html`<ol>${elements}</ol>` : html`<ul>${elements}</ul>`
}
