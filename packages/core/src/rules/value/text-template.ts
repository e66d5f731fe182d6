import { PrivacyError } from '../../errors.js'
import { escapeHtml } from './html.js'

/** A value in each of the forms that mails need. */
export interface TextValue {
  readonly text: string
  readonly line: string
  readonly html: string
}

/** Undefined where there is no value: the part between `{#name}` and `{/name}` is then left out. */
export type TextValues = Readonly<Record<string, TextValue | undefined>>

/** The placeholders of a kind of mail. `required` ones must occur in the text, `optional` ones may have no value. */
export interface Placeholders {
  readonly required: readonly string[]
  readonly known: readonly string[]
  readonly optional: readonly string[]
}

/** The parts of a mail, which allow different forms of a value. */
export type TemplatePlace = 'subject' | 'text' | 'html'

type Part =
  | { readonly type: 'literal'; readonly text: string }
  | { readonly type: 'value'; readonly name: string }
  | { readonly type: 'section'; readonly name: string; readonly parts: readonly Part[] }

export type Compiled = readonly Part[]

const marker = /\{([#/]?)\s*([\w.-]+)\s*\}/g

/** Tags, comments, and elements without text content. Escaped values would not be safe there. */
const markup =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|xmp|iframe|noembed|noframes|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)|<[a-z/!?](?:"[^"]*"|'[^']*'|[^>"'])*>/gi

/** Prepares a text for a mail: well-formed, one kind of line break, no other control characters. */
export function textValue(given: string): TextValue | undefined {
  const text = given
    .replace(/\p{Cs}/gu, '\ufffd')
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '')
    .trim()
  if (text === '') return undefined
  return { text, line: text.replace(/\s+/g, ' '), html: escapeHtml(text).replaceAll('\n', '<br>') }
}

/**
 * Compiles a template. `option` is its name in errors. Throws `misconfigured` for a template that could not be filled
 * in.
 */
export function compileTemplate(
  template: string,
  place: TemplatePlace,
  { required, known, optional }: Placeholders,
  option: string,
): Compiled {
  const refuse = (problem: string): never => {
    throw new PrivacyError('misconfigured', `Option '${option}' ${problem}.`, { option })
  }
  const source = template.replace(/\r\n?/g, '\n')
  if (place === 'html') refuseUnsafeMarkup(source, refuse)

  const root: Part[] = []
  let section: { readonly name: string; readonly parts: Part[] } | undefined
  const seen = new Set<string>()
  let position = 0
  const literal = (end: number) => {
    if (end > position) (section?.parts ?? root).push({ type: 'literal', text: source.slice(position, end) })
  }
  for (const match of source.matchAll(marker)) {
    const [whole, sign, name = ''] = match
    literal(match.index)
    position = match.index + whole.length
    if (!known.includes(name)) refuse(`has the placeholder {${name}}, but knows only ${listOf(known)}`)
    if (sign === '#') {
      if (section) refuse(`has {#${name}} inside {#${section.name}}: close that one first`)
      section = { name, parts: [] }
    } else if (sign === '/') {
      if (section?.name !== name) refuse(`has {/${name}} without {#${name}} before it`)
      root.push({ type: 'section', name, parts: section?.parts ?? [] })
      section = undefined
    } else {
      if (optional.includes(name) && section?.name !== name) {
        refuse(`has {${name}}, which may have no value: put the part to leave out between {#${name}} and {/${name}}`)
      }
      if (name === 'links' && place === 'subject') refuse('must not have {links} in it')
      seen.add(name)
      const parts = section?.parts ?? root
      parts.push({ type: 'value', name })
    }
  }
  if (section) refuse(`has {#${section.name}} without {/${section.name}} after it`)
  literal(source.length)
  const missing = place === 'subject' ? [] : required.filter((name) => !seen.has(name))
  if (missing.length > 0) refuse(`lacks ${listOf(missing)}`)
  return root
}

const listOf = (names: readonly string[]): string => names.map((name) => `{${name}}`).join(', ')

function refuseUnsafeMarkup(html: string, refuse: (problem: string) => never): void {
  for (const [piece] of html.matchAll(markup)) {
    const [placeholder] = piece.match(marker) ?? []
    if (placeholder) refuse(`has ${placeholder} inside a tag, a comment, a script or a style: values are text`)
  }
  // A value or a section right after the bracket would form the name of a tag.
  if (/<\{/.test(html)) refuse('has a placeholder right after "<": write &lt; for the character')
  if (/<[a-z/!?]/i.test(html.replace(markup, ''))) refuse('has a tag that does not end')
}

/** Fills in a template. `literal` converts its own text to the form of the values. */
export function fillTemplate(
  parts: Compiled,
  values: TextValues,
  form: keyof TextValue,
  literal: (text: string) => string = (text) => text,
): string {
  return parts
    .map((part) => {
      if (part.type === 'literal') return literal(part.text)
      const value = values[part.name]
      if (part.type === 'value') return value?.[form] ?? ''
      return value ? fillTemplate(part.parts, values, form, literal) : ''
    })
    .join('')
}
