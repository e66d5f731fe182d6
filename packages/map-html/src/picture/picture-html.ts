import { createHash } from 'node:crypto'
import { html } from '@habeas/core'
import { pageProgram } from '../page-program.js'
import { jsonText } from './json-text.js'
import { legendMarkup } from './legend-markup.js'
import { pageStyle } from './page-style.js'
import type { Picture } from './picture.js'

/** The keys are named here, since nothing else on the page shows them. */
const keys = 'Arrow keys go from node to node, Enter opens the details, plus and minus zoom, 0 shows everything.'

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** A picture as a page that holds everything it needs. Its policy lets it load nothing and run only its own program. */
export function pictureHtml(picture: Picture): string {
  const program = pageProgram()
  const policy = [
    "default-src 'none'",
    `script-src ${hash(program)}`,
    `style-src ${hash(pageStyle)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${picture.title}</title>
<link rel="icon" href="data:,">
<style id="__________cytoscape_stylesheet">${{ markup: pageStyle }}</style>
</head>
<body>
<header id="top">
<div id="name"><h1>${picture.title}</h1><p>${picture.summary}</p></div>
<div id="find" role="search">
<label for="query" class="hidden">Search</label>
<input id="query" type="search" placeholder="Search" autocomplete="off" spellcheck="false" enterkeyhint="search">
<button type="button" id="open-filters" class="small" aria-expanded="false" aria-controls="filters">Filter</button>
<div id="filters"></div>
<button type="button" id="clear" hidden>Clear</button>
</div>
<button type="button" id="theme" aria-pressed="false">Dark</button>
</header>
<main>
<nav id="list" aria-label="Everything in the picture"><div id="entries"></div></nav>
<section id="picture" aria-label="Picture">
<div id="graph" tabindex="0" role="application" aria-label="Picture. ${keys} The list has everything as well."></div>
<button type="button" id="everything" hidden>Show everything again</button>
<p id="status" role="status"></p>
<div id="tools">
<button type="button" id="open-list" class="small" aria-expanded="false" aria-controls="list">List</button>
<button type="button" id="farther" aria-label="Zoom out">−</button>
<button type="button" id="closer" aria-label="Zoom in">+</button>
<button type="button" id="fit">Fit</button>
</div>
${legendMarkup(picture)}
</section>
<aside id="details" aria-label="Details" hidden></aside>
</main>
<noscript>This page needs JavaScript to be drawn. It loads nothing.</noscript>
<script type="application/json" id="data">${{ markup: jsonText(picture) }}</script>
<script>${{ markup: program }}</script>
</body>
</html>
`.markup
}
