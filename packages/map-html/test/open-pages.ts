import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'

const desktop = { width: 1440, height: 900 }
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

export const views = {
  light: { colorScheme: 'light', viewport: desktop },
  dark: { colorScheme: 'dark', viewport: desktop },
  phone: { colorScheme: 'light', ...phone },
  'phone-dark': { colorScheme: 'dark', ...phone },
} satisfies Readonly<Record<string, BrowserContextOptions>>

/** Set to a folder to look at what a person sees. */
const screenshots = process.env['MAP_SCREENSHOTS']

/** Nothing moves, so that what is seen does not depend on when it is looked at. */
const still: BrowserContextOptions = { reducedMotion: 'reduce' }

/** Opens pages as files, as a person does who was sent one. Each visit ends with nothing loaded and nothing said. */
export function openPages(executablePath: string) {
  let browser: Awaited<ReturnType<typeof chromium.launch>>
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'habeas-map-'))
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
    browser = await chromium.launch({ executablePath, args })
  })

  afterAll(async () => {
    await browser?.close()
    await rm(folder, { recursive: true, force: true })
  })

  return async (html: string, view: keyof typeof views, visit: (page: Page) => Promise<void>): Promise<void> => {
    const path = join(folder, 'page.html')
    await writeFile(path, html)
    const context = await browser.newContext({ ...views[view], ...still })
    try {
      const page = await context.newPage()
      const deeds: string[] = []
      page.on('dialog', (dialog) => void dialog.dismiss().then(() => deeds.push('dialog')))
      page.on('popup', () => deeds.push('popup'))
      page.on('console', (message) => deeds.push(`console: ${message.text()}`))
      page.on('pageerror', (error) => deeds.push(`error: ${error.message}`))
      page.on('request', (request) => {
        if (request.url() !== pathToFileURL(path).href && request.url() !== 'data:,') deeds.push(request.url())
      })
      await page.goto(pathToFileURL(path).href)
      await visit(page)
      expect(await page.evaluate(overflow)).toBe(0)
      expect(deeds).toEqual([])
    } finally {
      await context.close()
    }
  }
}

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** What axe finds on a page, in one line each. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = (await page.evaluate('axe.run()')) as axe.AxeResults
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`)
}

/** Keeps a picture where somebody asks for it. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.png`) })
}

/** The drawing itself, as its library holds it. These are texts: they run in the browser. */
const cy = `document.getElementById('graph')._cyreg.cy`

export const drawnLabels = (page: Page): Promise<string[]> =>
  page.evaluate(`${cy}.nodes('[at >= 0]').map((node) => node.data('label').split('\\n')[0])`)

export const zoomOf = (page: Page): Promise<number> => page.evaluate(`${cy}.zoom()`)

/** Where a node is drawn on the screen. */
export const placeOf = (page: Page, label: string): Promise<{ x: number; y: number }> =>
  page.evaluate(`(() => {
    const node = ${cy}.nodes().filter((each) => each.data('label').split('\\n')[0] === ${JSON.stringify(label)})[0]
    const { left, top } = document.getElementById('graph').getBoundingClientRect()
    const { x, y } = node.renderedPosition()
    return { x: left + x, y: top + y }
  })()`)
