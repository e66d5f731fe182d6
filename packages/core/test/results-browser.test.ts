import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type CountingText,
  englishPackageTexts,
  type PackageTexts,
  packageTextKeys,
} from '../src/model/package-texts.js'
import { type HtmlPackageOptions, htmlPackage } from '../src/results/html/html-package.js'
import type { PackageContent } from '../src/results/package-content.js'
import { packageText } from '../src/rules/package/package-text.js'
import { chromiumPath, inaccessible, lowContrast, overflow, unexpected } from './results/browser.js'
import { planted } from './results/planted.js'
import { content, section } from './results/sections.js'
import { shopPackage } from './results/shop.js'
import { bytesOf, unzip } from './results/unzip.js'

const executablePath = chromiumPath('HTML packages are')

/** Set to a folder to look at what a person sees. */
const screenshots = process.env['PACKAGE_SCREENSHOTS']
const desktop = { width: 1200, height: 900 }
const phone = { width: 360, height: 740 }
const views: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light', viewport: desktop },
  dark: { colorScheme: 'dark', viewport: desktop },
  phone: { colorScheme: 'light', viewport: phone, isMobile: true, hasTouch: true },
  'phone-dark': { colorScheme: 'dark', viewport: phone, isMobile: true, hasTouch: true },
}

describe.skipIf(executablePath === undefined)('an HTML package in Chromium', () => {
  let browser: Browser
  let folder: string
  let shop: string[]

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'habeas-html-'))
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
    browser = await chromium.launch({ executablePath: executablePath as string, args })
    const { content, options } = shopPackage()
    shop = await unpack('shop', content, options)
  })

  afterAll(async () => {
    await browser?.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** Unpacks it as a person would. The addresses of its pages. */
  async function unpack(name: string, given: PackageContent, options: HtmlPackageOptions): Promise<string[]> {
    const pages: string[] = []
    for (const [file, bytes] of await unzip(await bytesOf(htmlPackage(given, options)))) {
      const path = join(folder, name, file)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, bytes)
      pages.push(pathToFileURL(path).href)
    }
    return pages
  }

  /** Opens pages and hears of everything they do beyond showing. */
  async function open(view: BrowserContextOptions, visit: (page: Page, deeds: string[]) => Promise<void>) {
    const context = await browser.newContext(view)
    try {
      const deeds: string[] = []
      await context.exposeFunction('ran', () => void deeds.push('ran'))
      const page = await context.newPage()
      page.on('dialog', (dialog) => void dialog.dismiss().then(() => deeds.push('dialog')))
      page.on('popup', () => deeds.push('popup'))
      page.on('console', (message) => deeds.push(`console: ${message.text()}`))
      page.on('pageerror', (error) => deeds.push(`error: ${error.message}`))
      page.on('request', (request) => {
        if (!request.url().startsWith('file:') || request.resourceType() !== 'document') deeds.push(request.url())
      })
      await visit(page, deeds)
    } finally {
      await context.close()
    }
  }

  /** Finds nothing cut off, too faint, without a name or out of place on an open page, and keeps a picture where asked. */
  async function lookOver(page: Page, address: string, name: string) {
    expect({
      overflow: await page.evaluate(overflow),
      lowContrast: await page.evaluate(lowContrast),
      inaccessible: await page.evaluate(inaccessible),
      unexpected: await page.evaluate(unexpected),
    }).toEqual({ overflow: 0, lowContrast: [], inaccessible: [], unexpected: [] })
    const file = address.split('/').at(-1)?.replace('.html', '')
    if (screenshots) await page.screenshot({ path: join(screenshots, `${name}-${file}.png`), fullPage: true })
  }

  /** Clicks, and waits until the page it leads to is there as a whole: a click alone returns while it is still being read. */
  async function follow(page: Page, link: Locator, address: string | undefined) {
    await link.click()
    await page.waitForURL((url) => decodeURI(url.href) === decodeURI(address as string))
  }

  it.each(Object.entries(views))(
    'opens from disk, %s: nothing is loaded, cut off, too faint or without a name',
    async (name, view) => {
      await open(view, async (page, deeds) => {
        for (const address of shop) {
          await page.goto(address)
          await lookOver(page, address, name)
          expect(deeds).toEqual([])
        }
      })
    },
  )

  it.each(['light', 'phone'])('opens in a language that runs the other way, %s', async (view) => {
    const { content, options } = shopPackage()
    const pages = await unpack(`arabic-${view}`, content, { ...options, texts: packageText(arabic)('ar') })
    await open(views[view] ?? {}, async (page, deeds) => {
      for (const address of pages) {
        await page.goto(address)
        expect(
          await page.evaluate('[document.documentElement.lang, getComputedStyle(document.body).direction]'),
        ).toEqual(['ar', 'rtl'])
        await lookOver(page, address, `arabic-${view}`)
        expect(deeds).toEqual([])
      }
    })
  })

  it('can be read by its links, and by the keyboard', async () => {
    await open(views['light'] ?? {}, async (page) => {
      await page.goto(shop[0] as string)
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
      const pages = shop.filter((address) => address.includes('shop.orders'))
      expect(pages.length).toBe(3)
      await follow(page, page.getByRole('link', { name: 'orders' }), pages[0])
      const next = page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'Next' })
      await follow(page, next, pages[1])
      expect(await page.title()).toBe('orders in Web shop, page 2 of 3 – Your data')
      expect(await page.getByRole('table').getByRole('row').count()).toBe(501)
      await follow(page, page.getByRole('link', { name: 'Your data' }), shop[0])
    })
  })

  it('tables are tables to a screen reader on a phone as well', async () => {
    await open(views['phone'] ?? {}, async (page) => {
      await page.goto(shop.find((address) => address.endsWith('shop.returns.html')) as string)
      const table = page.getByRole('table', { name: 'Records' })
      expect(await table.getByRole('columnheader').allTextContents()).toEqual(['id', 'order_id', 'reason', 'refund'])
      expect(await table.getByRole('row').nth(1).getByRole('cell').allTextContents()).toEqual([
        '1',
        '3',
        'too small',
        '49.90',
      ])
    })
  })

  it('prints on white, without what is only for clicking, and with all of a long text', async () => {
    await open(views['dark'] ?? {}, async (page) => {
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      await page.goto(shop.find((address) => address.endsWith('orders.html')) as string)
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
      expect(await page.evaluate(lowContrast)).toEqual([])
      expect(await page.getByRole('navigation', { name: 'Pages' }).count()).toBe(0)
      await page.goto(shop.find((address) => address.endsWith('conversations.html')) as string)
      const hidden =
        "(() => { const box = document.querySelector('.long'); return box.scrollHeight - box.clientHeight })()"
      expect(await page.evaluate(hidden)).toBe(0)
    })
  })

  describe('with planted values', () => {
    let pages: string[]

    beforeAll(async () => {
      const groups = [0, 1, 2, 3, 4].map((first) => planted.filter((_, at) => at % 5 === first).join(''))
      const named = Object.fromEntries(planted.map((text, at) => [`${text}${at}`, text]))
      const sections = [
        section(
          'plain:table',
          planted.map((text, id) => ({ id, text: text.slice(0, 80) })),
        ),
        section(
          'plain:records',
          planted.map((text) => ({ text, list: [text], nested: { [text]: [{ [text]: text }] } })),
        ),
        section('plain:names', [named]),
        section(
          'plain:long',
          planted.map((text) => ({ text: text.repeat(100), deep: nested(text) })),
        ),
        section(planted.join(''), [{ a: 1 }]),
        ...groups.map((text) => section(`plain:${text}`, [{ a: text }])),
      ]
      const manual = groups.map((text, at) => ({ webhook: `hook${at}`, name: text, data: { [text]: text } }))
      const notSearched = planted.map((text) => ({ collection: `x:${text}`, reason: text }))
      pages = await unpack('planted', content(sections, { manual, notSearched }), {
        requestId: planted.join(' '),
        preparedAt: new Date(0),
        organization: planted.join(' '),
        datasets: [
          {
            key: 'plain',
            name: planted.join(' '),
            description: planted.join(' '),
            collections: [...planted, ...groups].map(described),
          },
        ],
      })
    })

    it.each([
      ['as they are', false],
      ['without their content security policy', true],
    ])('pages %s run nothing, load nothing and hold nothing but their own elements', async (_, bypassCSP) => {
      await open({ ...views['phone'], bypassCSP }, async (page, deeds) => {
        for (const address of pages) {
          await page.goto(address)
          const found = { overflow: await page.evaluate(overflow), unexpected: await page.evaluate(unexpected) }
          expect({ address, ...found }).toEqual({ address, overflow: 0, unexpected: [] })
        }
        await page.waitForTimeout(100)
        expect(deeds).toEqual([])
      })
    })

    it('every value is there to be read', async () => {
      await open({}, async (page) => {
        await page.goto(pages.find((address) => address.endsWith('plain.records.html')) as string)
        const texts = await page.locator('.record > dl > div:first-child > dd').allTextContents()
        // Control characters show as their pictures.
        expect(texts).toEqual(planted.map((text) => text.replace('\u0000', '␀').replace('\u001b', '␛')))
      })
    })

    it('a text that runs the other way stays in its place', async () => {
      await open({}, async (page) => {
        await page.goto(pages.find((address) => address.endsWith('plain.table.html')) as string)
        const isolated =
          "[...document.querySelectorAll('td > div')].every((each) => getComputedStyle(each).unicodeBidi === 'isolate')"
        expect(await page.evaluate(isolated)).toBe(true)
      })
    })

    it('the trap snaps when a page does take them for markup', async () => {
      const path = join(folder, 'trap.html')
      await writeFile(path, `<!doctype html><meta charset="utf-8">${planted.slice(0, 8).join('\n')}`)
      await open({}, async (page, deeds) => {
        await page.goto(pathToFileURL(path).href)
        await page.waitForTimeout(100)
        expect(deeds.filter((deed) => deed === 'ran').length).toBeGreaterThan(2)
        expect(await page.evaluate(unexpected)).not.toEqual([])
      })
    })
  })
})

/** Some words of Arabic for every text, with its values. */
const arabic: PackageTexts = {
  ar: Object.fromEntries(
    packageTextKeys.map((key) => {
      const text: string | CountingText = englishPackageTexts[key]
      const other = typeof text === 'string' ? text : text.other
      return [key, other.replace(/(?<![{#/\w])[A-Za-z]+(?![\w}])/g, 'بيانات')]
    }),
  ),
}

function nested(text: string): unknown {
  return Array.from({ length: 20 }).reduce((inner) => ({ [text]: [inner] }), text)
}

function described(text: string) {
  return {
    name: text,
    description: text,
    fields: [{ path: [text], description: text, categories: [text] }],
    uses: [{ system: text, use: text, name: text }],
  }
}
