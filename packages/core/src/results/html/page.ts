import type { PackageText } from '../../rules/package/package-text.js'
import { type Content, html, type Markup } from '../../rules/value/html.js'
import { contentSecurityPolicy, style } from './style.js'

export interface Page {
  readonly texts: PackageText
  /** Without personal values: browsers store it in their history. */
  readonly title: string
  /** Pages above this one, outermost first. */
  readonly trail: readonly { readonly name: string; readonly href: string }[]
  readonly head: Content
  readonly main: Content
  /** Default: says that the file is personal. */
  readonly footer?: string
}

/** A whole page, complete in itself. */
export function pageText({ texts, title, trail, head, main, footer = texts.say('keep_safe') }: Page): string {
  return html`<!doctype html>
<html lang="${texts.language}" dir="${texts.direction}">
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
<a class="skip" href="#content">${texts.say('skip')}</a>
<header>
${trail.length > 0 && trailMarkup(trail, texts)}
${head}
</header>
<main id="content">
${main}
</main>
<footer><p>${footer}</p></footer>
</body>
</html>
`.markup
}

const trustedStyle: Markup = { markup: style }

function trailMarkup(trail: Page['trail'], texts: PackageText): Markup {
  const links = trail.map(({ name, href }) => html`<li><a href="${href}">${name}</a></li>`)
  return html`<nav class="trail" aria-label="${texts.say('where_you_are')}"><ol>${links}</ol></nav>`
}

/** A relative link to a file of the archive. */
export function fileHref(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
