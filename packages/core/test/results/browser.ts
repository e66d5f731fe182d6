import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']
const places = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome']
const bundles = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/**
 * A Chromium of this machine: CHROMIUM_PATH, or one found in PATH and the usual places. Where there is none, `what` is
 * said not to be tried, or the tests fail if REQUIRE_BROWSER is set.
 */
export function chromiumPath(what: string): string | undefined {
  const given = process.env['CHROMIUM_PATH']
  if (given) return given
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), ...places]
  const found = [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...bundles].find(isExecutable)
  if (found !== undefined) return found
  const missing = `${what} NOT opened in a browser: no Chromium was found. Install one or set CHROMIUM_PATH.`
  if (process.env['REQUIRE_BROWSER'] === '1') throw new Error(missing)
  console.log(missing)
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/*
 * What is asked inside a page. These are texts: they run in the browser, where the types of Node mean nothing.
 */

/** Kinds of text whose contrast with what lies behind them is less than WCAG AA asks for; one of each kind is looked at. */
export const lowContrast = `(() => {
  const channel = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  const parse = (color) => color.match(/[\\d.]+/g).map(Number)
  const luminance = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue)
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor)
      if (color.length === 3 || color[3] === 1) return color
    }
    return [255, 255, 255]
  }
  const found = []
  const seen = new Set()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement
    const kind = [element, element.parentElement].map((each) => each.tagName + '.' + each.className).join(' in ')
    if (seen.has(kind) || !walker.currentNode.data.trim() || element.closest('.hidden, .skip')) continue
    seen.add(kind)
    const [a, b] = [luminance(parse(getComputedStyle(element).color)), luminance(behind(element))]
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (ratio < 4.5) found.push(kind + ' ' + ratio.toFixed(2))
  }
  return found
})()`

/** What keeps people who do not see the page from finding their way. */
export const inaccessible = `(() => {
  const found = []
  const all = (selector) => [...document.querySelectorAll(selector)]
  const expect = (holds, sentence) => holds || found.push(sentence)
  expect(/^[a-z]{2}$/.test(document.documentElement.lang), 'no language')
  expect(document.title.length > 3, 'no title')
  for (const one of ['h1', 'header', 'main', 'footer']) expect(all(one).length === 1, all(one).length + ' ' + one)
  const levels = all('h1, h2, h3, h4').map((heading) => Number(heading.tagName[1]))
  expect(levels.every((level, at) => level <= (levels[at - 1] ?? 0) + 1), 'headings leave out a level')
  const ids = all('[id]').map(({ id }) => id)
  expect(new Set(ids).size === ids.length, 'an id twice')
  for (const label of all('[aria-labelledby]')) expect(document.getElementById(label.getAttribute('aria-labelledby')), 'a label that is not there')
  for (const nav of all('nav')) expect(nav.getAttribute('aria-label'), 'a nav without a name')
  for (const link of all('a')) expect(link.textContent.trim(), 'a link without a name')
  for (const link of all('a[href^="#"]')) expect(document.querySelector(link.getAttribute('href')), 'a link to nowhere')
  for (const table of all('table')) {
    expect(table.caption && table.caption.textContent.trim(), 'a table without a caption')
    for (const head of table.querySelectorAll('th')) expect(head.scope, 'a heading without a scope')
  }
  for (const small of all('nav.pages a')) expect(small.getBoundingClientRect().height >= 44 || getComputedStyle(small).display === 'none', 'a link too small for a finger')
  expect(document.activeElement === document.body, 'something takes the focus')
  return found
})()`

/** Elements and attributes that no page of a package has a use for. */
export const unexpected = `(() => {
  const elements = 'HTML HEAD META TITLE STYLE BODY A HEADER NAV MAIN FOOTER SECTION ARTICLE H1 H2 H3 P DIV SPAN B TIME UL OL LI DL DT DD TABLE CAPTION THEAD TBODY TR TH TD'.split(' ')
  const attributes = 'lang charset http-equiv content name class id href rel dir tabindex role scope datetime data-field aria-label aria-labelledby aria-current'.split(' ')
  const found = []
  for (const element of document.querySelectorAll('*')) {
    if (!elements.includes(element.tagName)) found.push(element.tagName)
    for (const { name } of element.attributes) if (!attributes.includes(name)) found.push(element.tagName + ' ' + name)
    const href = element.getAttribute('href')
    if (href !== null && !/^(#content|(\\.\\.\\/|data\\/)?[^/:?#]+\\.html)$/.test(href)) found.push('href ' + href)
  }
  if (document.querySelectorAll('style').length !== 1) found.push('styles')
  return found
})()`

/** How far a page is wider than the screen. */
export const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
