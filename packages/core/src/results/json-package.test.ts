import { expect, it } from 'vitest'
import { content, section } from '../../test/results/sections.js'
import { bytesOf } from '../../test/results/unzip.js'
import { jsonPackage } from './json-package.js'

const read = async (...given: Parameters<typeof content>) =>
  JSON.parse(String(await bytesOf(jsonPackage(content(...given)))))

const rows = [{ id: '9007199254740993', at: '2020-04-01T11:47:42' }]

it('has rows by collection, uploads by webhook, and what was not searched', async () => {
  const manual = [{ webhook: 'archive', data: { pages: 12, letters: ['a', 'b'], none: null } }]
  const notSearched = [{ collection: 'web:visits', reason: 'disabled' }]
  expect(await read([section('shop:customer', rows), section('shop:orders', [])], { manual, notSearched })).toEqual({
    'shop:customer': rows,
    archive: [{ pages: 12, letters: ['a', 'b'], none: null }],
    not_searched: notSearched,
  })
})

it.each([
  [{}, {}],
  [{ manual: [{ webhook: 'archive', data: {} }] }, { archive: [{}] }],
  [
    { notSearched: [{ collection: 'a:b', reason: 'disabled' }] },
    { not_searched: [{ collection: 'a:b', reason: 'disabled' }] },
  ],
])('is JSON whatever there is: %j', async (more, expected) => {
  expect(await read([], more)).toEqual(expected)
})

it('loses nothing when a webhook is called as the list of what was not searched', async () => {
  const manual = [{ webhook: 'not_searched', data: { a: 1 } }]
  const notSearched = [{ collection: 'a:b', reason: 'disabled' }]
  expect(await read([], { manual, notSearched })).toEqual({ not_searched: [{ a: 1 }], not_searched_: notSearched })
})
