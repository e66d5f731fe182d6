/** Text that is HTML already; only `html` makes it. */
export interface Markup {
  readonly markup: string
}

/** Values of a template: text is escaped, a list is joined, undefined and false leave nothing. */
export type Content = string | number | Markup | readonly Content[] | undefined | false

/**
 * Markup with values in it, each escaped unless it is markup; safe as text and inside quoted attributes.
 *
 * Own code: `escape-html` and `html-escaper` escape five characters and leave the control characters that pages must not
 * have, so that this template would remain and call them.
 */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  let markup = parts[0] as string
  for (let at = 0; at < contents.length; at++) markup += written(contents[at]) + (parts[at + 1] as string)
  return { markup }
}

function written(content: Content): string {
  if (typeof content === 'string') return escapeHtml(content)
  if (content === undefined || content === false) return ''
  if (typeof content === 'number') return String(content)
  if ('markup' in content) return content.markup
  let markup = ''
  for (const each of content) markup += written(each)
  return markup
}

const special = /[&<>"'`\p{Cc}]/u
const specials = new RegExp(special, 'gu')
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
  '\n': '\n',
  '\t': '\t',
  // A browser would turn it into a line feed.
  '\r': '\u240d',
}

/** A text as it is written in HTML. Prefer `html`, which cannot forget it. */
export function escapeHtml(text: string): string {
  if (!special.test(text)) return text
  return text.replaceAll('\r\n', '\n').replace(specials, (character) => entities[character] ?? picture(character))
}

/** Control characters cannot be written in HTML; Unicode has pictures of most. */
function picture(control: string): string {
  const code = control.charCodeAt(0)
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd'
}
