import { describe, expect, it } from 'vitest'
import {
  type CountingText,
  englishPackageTexts,
  type PackageTexts,
  packageTextKeys,
} from '../src/model/package-texts.js'
import { htmlPackage } from '../src/results/html/html-package.js'
import { packageText } from '../src/rules/package/package-text.js'
import { content, section } from './results/sections.js'
import { shopPackage } from './results/shop.js'
import { bytesOf, unzip } from './results/unzip.js'

const options = { requestId: 'pri_1', preparedAt: new Date('2024-07-01T09:30:00Z'), datasets: [] }
const read = async (...[given, more]: Parameters<typeof htmlPackage>) => {
  const files = await unzip(await bytesOf(htmlPackage(given, more)))
  return new Map([...files].map(([name, bytes]) => [name, bytes.toString()]))
}
/** The text of a page as a person reads it, blanks aside. */
const wordsOf = (page: string | undefined) =>
  (page ?? '')
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

describe('an HTML package', () => {
  it('has an index, a page for each collection and webhook, and more where rows are many', async () => {
    const { content, options } = shopPackage()
    const files = await read(content, options)
    expect([...files.keys()]).toEqual([
      'index.html',
      'data/shop.customer.html',
      'data/shop.orders.html',
      'data/shop.orders~2.html',
      'data/shop.orders~3.html',
      'data/shop.returns.html',
      'data/support.conversations.html',
      'data/paper_archive.html',
      'data/cctv.html',
    ])
  })

  it('every link leads to a file of it', async () => {
    const { content, options } = shopPackage()
    const files = await read(content, options)
    for (const [name, text] of files) {
      for (const [, href = ''] of text.matchAll(/href="([^"]+)"/g)) {
        if (!href.startsWith('#'))
          expect(files.has(decodeURIComponent(new URL(href, `x:/${name}`).pathname.slice(1)))).toBe(true)
      }
    }
  })

  it('the index has counts, descriptions, purposes and systems, and what was not searched', async () => {
    const { content, options } = shopPackage()
    const index = wordsOf((await read(content, options)).get('index.html'))
    for (const text of [
      'Your data at Linden &amp; Sons',
      '1,240 records in 4 collections',
      'pri_0199d3c0-7c1e-7a52-b3a4-5f0c7d2f9a10',
      '1 July 2024',
      'Everything you see under',
      'orders 1,234 records What you ordered, and what became of it.',
      'Held by Shop backend for Providing the service (Fulfil orders)',
      'Held by Mailing list for Marketing by email',
      'Paper archive 4 fields',
      'Cameras at the store nothing found',
      'Warehouse: parcels The connection to this place is switched off.',
      'crm: person It can only be searched with information that the request did not give (phone_number).',
    ])
      expect(index).toContain(text)
  })

  it('the first page of a collection says what its fields mean, and every row is on one page', async () => {
    const { content, options } = shopPackage()
    const files = await read(content, options)
    expect(wordsOf(files.get('data/shop.customer.html'))).toContain(
      'birth_date Asked for when you buy spirits. Date of birth',
    )
    const pages = ['', '~2', '~3'].map((page) => files.get(`data/shop.orders${page}.html`) ?? '')
    const ids = pages.flatMap((page) =>
      [...page.matchAll(/data-field="id"><div dir="auto">(\d+)/g)].map(([, id]) => Number(id)),
    )
    expect(ids).toEqual(Array.from({ length: 1234 }, (_, at) => 1000 + at))
    expect(wordsOf(pages[2])).toContain('Records 1,001 to 1,234 of 1,234')
    expect(pages.map((page) => page.includes('What the fields mean'))).toEqual([true, false, false])
  })

  it('data that nobody described is shown under its own names', async () => {
    const files = await read(content([section('a.b:c:d', [{ x: 1 }])]), options)
    expect([...files.keys()]).toEqual(['index.html', 'data/a.b.c_d.html'])
    expect(wordsOf(files.get('index.html'))).toContain('a.b c:d 1 record')
  })

  it.each([
    [{}, 'No data about you was found.'],
    [
      { notSearched: [{ collection: 'a:b', reason: 'disabled' }] },
      'No data about you was found in what was searched. 1 place was not searched, listed below.',
    ],
    [{ manual: [{ webhook: 'x', data: { a: 1 } }] }, '1 part that people put together by hand.'],
  ])('says so where its collections are empty and %j', async (more, text) => {
    expect(wordsOf((await read(content([section('a:b', [])], more), options)).get('index.html'))).toContain(text)
  })

  it('every page forbids all but its own style and is whole in itself', async () => {
    const { content, options } = shopPackage()
    for (const text of (await read(content, options)).values()) {
      expect(text).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">\n<head>\n<meta charset="utf-8">/)
      expect(text).toContain('default-src &#39;none&#39;; style-src &#39;sha256-')
      expect(text).not.toMatch(/<script|<link|<img|https?:|style="/)
      expect(text.trimEnd().endsWith('</html>')).toBe(true)
    }
  })

  it('says everything in the words of the host, as text', async () => {
    const { content, options } = shopPackage()
    const texts = packageText(inBrackets)('sv')
    for (const [name, text] of await read(content, { ...options, texts })) {
      expect(text).toContain('<html lang="sv" dir="ltr">')
      expect(text).not.toMatch(/<i>|<script/)
      const said = wordsOf(text)
      // What is not between brackets is a value: of English texts none is left.
      const rest = said.replace(/\[[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\]/g, ' ')
      const left = english.filter((each) => rest.includes(each))
      expect({ name, left }).toEqual({ name, left: [] })
    }
  })
})

const english = packageTextKeys.flatMap((key) => {
  const text: string | CountingText = englishPackageTexts[key]
  const whole = typeof text === 'string' ? text : text.other
  return whole.split(/\{[^}]*\}/).filter((part) => part.trim().length > 7)
})

/** Every English text between brackets, with something in it that must not become markup. */
const inBrackets: PackageTexts = {
  sv: Object.fromEntries(
    packageTextKeys.map((key) => {
      const text: string | CountingText = englishPackageTexts[key]
      return [key, `[<i>${typeof text === 'string' ? text : text.other}]`]
    }),
  ),
}

it('says in words where was looked when nothing was found, and only then', async () => {
  const searched = ['shop:customer', 'crm:lead']
  const datasets = [{ key: 'shop', name: 'The shop', collections: [{ name: 'customer', fields: [], uses: [] }] }]
  const index = async (...sections: Parameters<typeof content>[0]) =>
    wordsOf((await read(content(sections, { searched }), { ...options, datasets })).get('index.html'))
  expect(await index()).toMatch(
    / No data about you was found\. .* Searched No record in these places is known to be yours\. .* The shop: customer crm: lead /,
  )
  expect(await index(section('shop:customer', [{ id: 1 }]))).not.toContain('Searched')
})
