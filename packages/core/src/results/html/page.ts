import { type Content, html, type Markup } from './markup.js'
import { contentSecurityPolicy, style } from './style.js'

export interface Page {
  /** Without values of the person's: it stands in the history of a browser. */
  readonly title: string
  /** Pages above this one, outermost first. */
  readonly trail: readonly { readonly name: string; readonly href: string }[]
  readonly head: Content
  readonly main: Content
}

/** A whole page, complete in itself. */
export function pageText({ title, trail, head, main }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${title}</title>
<style>${trustedStyle}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
${trail.length > 0 && trailMarkup(trail)}
${head}
</header>
<main id="content">
${main}
</main>
<footer><p>This file holds personal data and was made for one person alone. Keep it where only you can open it.</p></footer>
</body>
</html>
`.markup
}

const trustedStyle: Markup = { markup: style }

function trailMarkup(trail: Page['trail']): Markup {
  const links = trail.map(({ name, href }) => html`<li><a href="${href}">${name}</a></li>`)
  return html`<nav class="trail" aria-label="Where you are"><ol>${links}</ol></nav>`
}

/** `1,234`. */
export function grouped(count: number): string {
  return count.toLocaleString('en')
}

/** `1,234 records`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}

/** A relative link to a file of the archive. */
export function fileHref(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
