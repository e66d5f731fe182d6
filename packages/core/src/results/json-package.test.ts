import { expect, it } from 'vitest'
import { content, section } from '../../test/results/sections.js'
import { bytesOf } from '../../test/results/unzip.js'
import { packageText } from '../rules/package/package-text.js'
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

it('says that nothing was found, where was looked and where was not', async () => {
  const searched = ['shop:customer', 'shop:orders']
  const sections = [section('shop:customer', [])]
  expect(await read(sections, { searched })).toEqual({ nothing_found: 'No data about you was found.', searched })
  const notSearched = [{ collection: 'a:b', reason: 'disabled' }]
  expect(await read([], { searched, notSearched })).toEqual({
    nothing_found: 'No data about you was found in what was searched.',
    searched,
    not_searched: notSearched,
  })
  expect(await read([section('shop:customer', rows)], { searched })).toEqual({ 'shop:customer': rows })
})

it.each([
  [{}, { nothing_found: 'No data about you was found.', searched: ['shop:customer'] }],
  [{ searched: [] }, { nothing_found: 'No place was searched, so no data about you was found.', searched: [] }],
  [{ manual: [{ webhook: 'archive', data: {} }] }, { archive: [{}] }],
  [
    { notSearched: [{ collection: 'a:b', reason: 'disabled' }] },
    {
      nothing_found: 'No data about you was found in what was searched.',
      searched: ['shop:customer'],
      not_searched: [{ collection: 'a:b', reason: 'disabled' }],
    },
  ],
])('is JSON for any content: %j', async (more, expected) => {
  expect(await read([], more)).toEqual(expected)
})

it('says in a sentence that it is incomplete, and lists open decisions', async () => {
  const undecided = [{ collection: 'shop:parcel', reference: 'shop:parcel.courier_id', rowCount: 1, reason: 'open' }]
  const coverage = { columns: ['shop:customer.notes'], hidden: ['shop:customer'], tables: ['shop:basket'] }
  const given = { undecided, coverage, unconfirmed: ['phone_number'] }
  expect(await read([section('shop:customer', rows)], given)).toEqual({
    'shop:customer': rows,
    not_searched: [
      {
        collection: 'shop:parcel',
        reason: "1 row left out that may be this person's by shop:parcel.courier_id: open",
      },
    ],
    incomplete: expect.stringMatching(
      /^This may not be all: some records were left out .* a database may have hidden records .* by phone_number alone/,
    ),
    unconfirmed: ['phone_number'],
    coverage,
  })
})

it('is not incomplete because of an undescribed column, and lists it all the same', async () => {
  const coverage = { columns: ['shop:customer.notes'] }
  expect(await read([section('shop:customer', rows)], { coverage })).toEqual({ 'shop:customer': rows, coverage })
})

it('uses the given texts', async () => {
  const texts = packageText({ de: { incomplete_hidden: 'Vielleicht nicht alles.' } })('de')
  const given = content([], { coverage: { hidden: ['shop:customer'] } })
  expect(JSON.parse(String(await bytesOf(jsonPackage(given, texts)))).incomplete).toBe('Vielleicht nicht alles.')
})

it('loses nothing when a webhook has the name of a member of the package', async () => {
  const manual = [{ webhook: 'incomplete', data: { a: 1 } }]
  const coverage = { hidden: ['shop:customer'] }
  expect(await read([], { manual, coverage })).toEqual({
    incomplete: [{ a: 1 }],
    coverage,
    incomplete_: expect.stringContaining('a database may have hidden records'),
  })
})

it('loses nothing when a webhook has the name of the list of collections that were not searched', async () => {
  const manual = [{ webhook: 'not_searched', data: { a: 1 } }]
  const notSearched = [{ collection: 'a:b', reason: 'disabled' }]
  expect(await read([], { manual, notSearched })).toEqual({ not_searched: [{ a: 1 }], not_searched_: notSearched })
})
