import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { accessMessage, erasureMessage } from '../../core/test/fixtures/told-shop.js'
import { chromiumPath } from '../../core/test/results/browser.js'
import { dataMapPage, planPage } from '../src/index.js'
import { hostile, hostileDocuments } from './hostile-documents.js'
import { manyDocuments } from './many-documents.js'
import { axeFindings, drawnLabels, keepScreenshot, openPages, placeOf, views, zoomOf } from './open-pages.js'
import { shopDocuments } from './shop-documents.js'

const executablePath = chromiumPath('The data map and the plan are')

/** Opens it in the list, which is a sheet on a phone. */
async function choose(page: Page, name: string): Promise<void> {
  if (await page.locator('#open-list').isVisible()) await page.click('#open-list')
  await page.getByRole('navigation').getByRole('button', { name, exact: false }).first().click()
}

const heading = (page: Page) => page.locator('#details h2').textContent()
const listed = (page: Page) => page.locator('#entries li:not([hidden]) .label').allTextContents()
const status = (page: Page) => page.locator('#status').textContent()
const focused = (page: Page): Promise<string> =>
  page.evaluate(`document.activeElement.id || document.activeElement.querySelector('.label')?.textContent`)

describe.skipIf(executablePath === undefined)('a page in Chromium', () => {
  const open = openPages(executablePath as string)
  const pages = {
    map: async () => dataMapPage(await shopDocuments()),
    access: async () => planPage({ plan: accessMessage }),
    erasure: async () => planPage({ plan: erasureMessage }),
  }
  const named = { map: 'Web shop', access: 'customer', erasure: 'orders' }

  for (const view of Object.keys(views) as (keyof typeof views)[]) {
    it.each(['map', 'access', 'erasure'] as const)(`%s is accessible: ${view}`, async (kind) => {
      await open(await pages[kind](), view, async (page) => {
        await keepScreenshot(page, `${kind}-${view}`)
        expect(await axeFindings(page)).toEqual([])
        if (view.startsWith('phone')) {
          await page.click('#open-filters')
          expect(await axeFindings(page)).toEqual([])
          await page.click('#open-list')
          expect(await axeFindings(page)).toEqual([])
          await page.click('#open-list')
        }
        await page.click('#legend summary')
        await choose(page, named[kind])
        await keepScreenshot(page, `${kind}-${view}-details`)
        expect(await axeFindings(page)).toEqual([])
      })
    })
  }

  it('a search finds systems, tables and fields, and shows what they are connected with', async () => {
    await open(await pages.map(), 'light', async (page) => {
      expect(await status(page)).toBe('22 shown')
      await page.fill('#query', 'invoice')
      await expect.poll(() => listed(page)).toEqual(['Bookkeeping', 'Billing'])
      expect(await status(page)).toBe('2 of 22 shown')
      expect(await drawnLabels(page)).toEqual(
        expect.arrayContaining(['Bookkeeping', 'Billing', 'Web shop', 'Finances']),
      )
      await page.fill('#query', 'nothing like this')
      await expect.poll(() => listed(page)).toEqual([])
      expect(await page.locator('.none').isVisible()).toBe(true)
      await page.click('#clear')
      expect(await status(page)).toBe('22 shown')
      expect(await focused(page)).toBe('query')
    })
  })

  it('filters hold of one declaration together', async () => {
    await open(await pages.map(), 'light', async (page) => {
      await page
        .getByLabel('Use', { exact: true })
        .selectOption({ index: await optionAt(page, 'Use', 'Own advertising') })
      expect(await listed(page)).toEqual(
        expect.arrayContaining(['Mailing', 'Web shop', 'Newsletter lists', 'Analytics']),
      )
      expect(await listed(page)).not.toContain('Bookkeeping')
      await page
        .getByLabel('Category', { exact: true })
        .selectOption({ index: await optionAt(page, 'Category', 'Social activity') })
      expect(await listed(page)).toEqual([])
      await page.getByLabel('Use', { exact: true }).selectOption({ index: 0 })
      expect(await listed(page)).toEqual(['Customer support', 'Help desk', 'Social activity'])
      await page
        .getByLabel('Subject', { exact: true })
        .selectOption({ index: await optionAt(page, 'Subject', 'Employee') })
      expect(await listed(page)).toEqual(['Customer support', 'Help desk', 'Social activity'])
      expect((await drawnLabels(page)).sort()).toEqual(['Customer support', 'Help desk', 'Social activity'])
    })
  })

  it('a click shows declarations, flows and the tables behind, and links lead on', async () => {
    await open(await pages.map(), 'light', async (page) => {
      const { x, y } = await placeOf(page, 'Web shop')
      await page.mouse.click(x, y)
      await expect.poll(() => heading(page)).toBe('Web shop')
      const text = (await page.locator('#details').innerText()).replaceAll('\u00a0', ' ')
      for (const part of [
        '2 declarations',
        'Fulfil orders',
        'Sends to',
        'Tables behind it',
        'customer',
        'Postal address',
      ])
        expect(text).toContain(part)
      await page.locator('#details').getByRole('button', { name: 'Shop database' }).first().click()
      expect(await heading(page)).toBe('Shop database')
      await page.locator('#details summary', { hasText: 'customer' }).click()
      expect(await page.locator('#details details[open]').innerText()).toContain('identity: email')
      await page.mouse.click(400, 200)
      await expect.poll(() => page.locator('#details').isVisible()).toBe(false)
    })
  })

  it('shows only what a node is connected with, and everything again', async () => {
    await open(await pages.map(), 'light', async (page) => {
      await choose(page, 'Bookkeeping')
      await page.click('#around')
      expect((await drawnLabels(page)).sort()).toEqual([
        ...[
          'Billing',
          'Bookkeeping',
          'Device information',
          'Finances',
          'Name',
          'Payment details',
          'Web shop',
          'tax_office',
        ],
      ])
      await page.click('#everything')
      expect(await drawnLabels(page)).toHaveLength(22)
    })
  })

  it('answers to the keyboard alone', async () => {
    await open(await pages.map(), 'light', async (page) => {
      await page.keyboard.press('Tab')
      expect(await focused(page)).toBe('query')
      await page.keyboard.type('lists')
      await expect.poll(() => listed(page)).toEqual(['Newsletter lists'])
      await page.keyboard.press('ArrowDown')
      expect(await focused(page)).toBe('Newsletter lists')
      await page.keyboard.press('Enter')
      expect(await heading(page)).toBe('Newsletter lists')
      expect(await focused(page)).toBe('selected')
      await page.keyboard.press('Tab')
      expect(await focused(page)).toBe('around')
      await page.keyboard.press('Escape')
      expect(await page.locator('#details').isVisible()).toBe(false)
      expect(await focused(page)).toBe('Newsletter lists')
      await page.keyboard.press('ArrowUp')
      expect(await focused(page)).toBe('query')
      await page.keyboard.press('Escape')
      expect(await status(page)).toBe('22 shown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('End')
      expect(await focused(page)).toBe((await listed(page)).at(-1))
      await page.keyboard.press('Home')
      expect(await focused(page)).toBe('Bookkeeping')
      await page.keyboard.press('/')
      expect(await focused(page)).toBe('query')
    })
  })

  it('lets arrow keys go through the picture, which the details follow', async () => {
    await open(await pages.erasure(), 'light', async (page) => {
      await page.focus('#graph')
      await page.keyboard.press('ArrowRight')
      expect(await heading(page)).toBe('email')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      const [first] = [await heading(page)]
      await page.keyboard.press('ArrowDown')
      expect(await heading(page)).not.toBe(first)
      const before = await zoomOf(page)
      await page.keyboard.press('+')
      expect(await zoomOf(page)).toBeGreaterThan(before)
      await page.keyboard.press('0')
      expect(await zoomOf(page)).toBeCloseTo(before)
      await page.keyboard.press('Enter')
      expect(await focused(page)).toBe('selected')
    })
  })

  it('shows the way of a request, what is open, and what an erasure does', async () => {
    await open(await pages.erasure(), 'light', async (page) => {
      await choose(page, 'orders')
      const text = await page.locator('#details').innerText()
      for (const part of ['Shortest way here', 'email', 'customer', 'id → customer_id', 'Masked: note', 'Stays: total'])
        expect(text).toContain(part)
      await choose(page, 'review')
      expect(await page.locator('#details').innerText()).toContain('it may be empty')
      await page.getByLabel('Outcome', { exact: true }).selectOption({ label: 'Rows are deleted' })
      expect(await listed(page)).toEqual(['The whole request', 'email', 'visit'])
    })
  })

  it('stands on a phone with the list and the details as sheets, and buttons that a finger meets', async () => {
    await open(await pages.map(), 'phone', async (page) => {
      expect(await page.locator('#list').isVisible()).toBe(false)
      await page.tap('#open-list')
      expect(await page.locator('#list').isVisible()).toBe(true)
      await page.keyboard.press('Escape')
      expect(await page.locator('#list').isVisible()).toBe(false)
      expect(await focused(page)).toBe('open-list')
      await page.tap('#open-list')
      await page.getByRole('button', { name: 'Statistics' }).tap()
      expect(await page.locator('#list').isVisible()).toBe(false)
      expect(await heading(page)).toBe('Statistics')
      for (const button of await page.locator('#top button:visible, #details .deeds button, #details summary').all())
        expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44)
      await page.tap('#close')
      // The picture has the whole window again, once it has noticed.
      await expect
        .poll(async () => {
          const { x, y } = await placeOf(page, 'Web shop')
          await page.touchscreen.tap(x, y)
          return page.locator('#details h2').allTextContents()
        })
        .toEqual(['Web shop'])
    })
  })

  it('follows the theme of the system until somebody switches', async () => {
    await open(await pages.map(), 'dark', async (page) => {
      const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
      expect(await paper()).toBe('rgb(23, 22, 19)')
      await page.emulateMedia({ colorScheme: 'light' })
      await expect.poll(paper).toBe('rgb(250, 248, 243)')
      await page.click('#theme')
      expect(await paper()).toBe('rgb(23, 22, 19)')
      expect(await page.locator('#theme').getAttribute('aria-pressed')).toBe('true')
      expect(await axeFindings(page)).toEqual([])
    })
  })

  it('stays usable with 500 systems and 1,000 datasets', async () => {
    await open(dataMapPage(manyDocuments(500)), 'light', async (page) => {
      await keepScreenshot(page, 'many-light')
      expect(await status(page)).toBe('1512 shown')
      await page.fill('#query', 'payroll desk 127')
      await expect.poll(() => listed(page)).toEqual(['Payroll desk 127'])
      const { x, y } = await placeOf(page, 'Payroll desk 127')
      await page.mouse.click(x, y)
      await expect.poll(() => heading(page)).toBe('Payroll desk 127')
      await keepScreenshot(page, 'many-light-search')
      await page.click('#clear')
      await choose(page, 'Ticket desk 141')
      await expect.poll(() => zoomOf(page)).toBeGreaterThan(0.5)
      await keepScreenshot(page, 'many-light-details')
      await page.getByLabel('Use', { exact: true }).selectOption({ index: 1 })
      expect((await listed(page)).length).toBeLessThan(1512)
    })
  })

  it('shows texts of documents as texts', async () => {
    await open(dataMapPage(hostileDocuments()), 'light', async (page) => {
      expect(await page.title()).toBe(hostile)
      expect(await listed(page)).toEqual(expect.arrayContaining([hostile, '__proto__', 'constructor']))
      await page.locator('.entry:has(.label:text("alert"))').first().click()
      expect(await heading(page)).toBe(hostile)
      await page.locator('.entry', { hasText: '__proto__' }).first().click()
      expect(await heading(page)).toBe('__proto__')
      expect(await page.evaluate('document.querySelectorAll("script").length')).toBe(2)
    })
  })
})

/** The position of an option, whose text may be indented. */
async function optionAt(page: Page, label: string, text: string): Promise<number> {
  const texts = await page.getByLabel(label, { exact: true }).locator('option').allTextContents()
  return texts.findIndex((each) => each.trim() === text)
}
