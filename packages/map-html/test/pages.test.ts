import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { erasureMessage } from '../../core/test/fixtures/told-shop.js'
import { dataMapPage, planPage } from '../src/index.js'
import { dataMapPicture } from '../src/map/data-map-picture.js'
import { pageProgram } from '../src/page-program.js'
import { pageStyle } from '../src/picture/page-style.js'
import { hostile, hostileDocuments } from './hostile-documents.js'
import { manyDocuments } from './many-documents.js'

const scripts = (html: string) =>
  [...html.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)].map(([, attributes, text]) => ({ attributes, text }))
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

it('gives the same bytes for the same documents, in any order', () => {
  const given = manyDocuments(12)
  const turned = { systems: [...given.systems].reverse(), datasets: [...given.datasets].reverse() }
  expect(dataMapPage(turned)).toBe(dataMapPage(given))
  expect(planPage({ plan: erasureMessage })).toBe(planPage({ plan: structuredClone(erasureMessage) }))
})

it('lets a browser run its own program, use its own style, and load nothing', () => {
  const html = planPage({ plan: erasureMessage })
  const policy = /content="(default-src[^"]*)"/.exec(html)?.[1]?.replaceAll('&#39;', "'")
  const style = /<style[^>]*>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? ''
  const [, program] = scripts(html)
  expect(policy).toBe(
    `default-src 'none'; script-src ${hashOf(program?.text ?? '')}; style-src ${hashOf(style)}; img-src data:; base-uri 'none'; form-action 'none'`,
  )
  expect(style).not.toMatch(/url\(|@import/)
  expect(html).not.toMatch(/\s(?:src|srcset|href)="(?!data:,")/)
})

it('keeps texts of documents from becoming markup or script', () => {
  const html = dataMapPage(hostileDocuments())
  expect(scripts(html).map(({ attributes }) => attributes)).toEqual([' type="application/json" id="data"', ''])
  expect(html).not.toContain('<img')
  const [data] = scripts(html)
  expect(data?.text).not.toMatch(/[<>&\u2028\u2029]/)
  const parsed = JSON.parse(data?.text ?? '')
  expect(parsed).toEqual(JSON.parse(JSON.stringify(dataMapPicture(hostileDocuments()))))
  expect(parsed.nodes.map(({ label }: { label: string }) => label)).toEqual(
    expect.arrayContaining([hostile, '__proto__']),
  )
  expect(Object.getPrototypeOf({})).not.toHaveProperty('label')
})

it('holds a program that ends nowhere but at its end, with the terms of the library in it', () => {
  const program = pageProgram()
  expect(program).not.toMatch(/<\/script|<!--/i)
  // A browser would hash other characters than these.
  expect(program + pageStyle).not.toMatch(/[\r\0]/)
  expect(program).toContain('The Cytoscape Consortium')
  expect(program).not.toMatch(/\beval\(|new Function\(|https?:\/\/(?!www\.w3\.org)/)
  expect(pageProgram()).toBe(program)
})
