import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { csvPackage } from '../src/results/csv/csv-package.js'
import type { PackageContent } from '../src/results/package-content.js'
import { decryptDocumented } from './results/documented.js'
import { content, section } from './results/sections.js'
import { bytesOf, unzip } from './results/unzip.js'

const preparedAt = new Date('2024-07-01T09:30:00Z')
const read = async (given: PackageContent, cipher?: Parameters<typeof csvPackage>[1]['cipher']) => {
  const files = await unzip(await bytesOf(csvPackage(given, { preparedAt, ...(cipher && { cipher }) })))
  return Object.fromEntries([...files].map(([name, bytes]) => [name, bytes.toString()]))
}

const customer = section('shop:customer', [
  { id: 1, email: 'a@example.com', address: { city: 'Köln', lines: ['x', 'y'] }, balance: '-12.50', note: '=1+1' },
  { id: 2, email: null, address: null, balance: '9007199254740993', note: '', score: -3 },
])

it('has one file per collection and webhook, with nested values flattened by dots', async () => {
  const files = await read(
    content([customer, section('shop:orders', []), section('crm:customer', [{ a: true }])], {
      manual: [
        { webhook: 'paper.archive', data: { 'contract no': 'A-1', pages: 12, letters: ['1991', '1993'] } },
        { webhook: 'cctv', data: {} },
      ],
      notSearched: [{ collection: 'web:visits', reason: 'behind: crm:person' }],
    }),
  )
  expect(files).toEqual({
    'shop.customer.csv': [
      'id,email,address.city,address.lines,balance,note,score',
      `1,a@example.com,Köln,"[""x"",""y""]",-12.50,'=1+1,`,
      '2,,,,9007199254740993,"",-3',
      '',
    ].join('\n'),
    'crm.customer.csv': 'a\ntrue\n',
    'paper.archive.csv': 'contract no,pages,letters\nA-1,12,"[""1991"",""1993""]"\n',
    'cctv.csv': '',
    'not_searched.csv': 'collection,reason\nweb:visits,behind: crm:person\n',
  })
})

it('names of nested members are neutralised as well', async () => {
  const files = await read(content([section('a:b', [{ '=1+1': 1, x: { '@y': 2 } }])]))
  expect(files).toEqual({ 'a.b.csv': "'=1+1,x.@y\n1,2\n" })
})

it('says so when there is nothing', async () => {
  const searched = ['a:b', 'a:c']
  expect(await read(content([section('a:b', [])], { searched }))).toEqual({
    'nothing_found.txt': 'No data about you was found.\n',
    'searched.csv': 'collection\na:b\na:c\n',
  })
  const notSearched = [{ collection: 'a:d', reason: 'disabled' }]
  expect(await read(content([], { searched, notSearched }))).toEqual({
    'nothing_found.txt': 'No data about you was found in what was searched.\n',
    'searched.csv': 'collection\na:b\na:c\n',
    'not_searched.csv': 'collection,reason\na:d,disabled\n',
  })
})

it('collections whose names become one file name each keep a file', async () => {
  const files = await read(content(['a:b', 'a.b:c', 'a:b.c', 'A:B'].map((address) => section(address, [{ address }]))))
  expect(Object.values(files).map((text) => text.split('\n')[1])).toEqual(['a:b', 'a.b:c', 'a:b.c', 'A:B'])
  expect(Object.keys(files)).toEqual(['a.b.csv', 'a.b.c.csv', 'a.b.c-2.csv', 'A.B-2.csv'])
})

it.each([16, 32])('each file is encrypted under a nonce of its own with a key of %i bytes', async (length) => {
  const key = randomBytes(length)
  const given = content([customer], { notSearched: [{ collection: 'a:b', reason: 'disabled' }] })
  const sealed = await read(given, { key, randomBytes })
  const open = await read(given)
  expect(Object.keys(sealed)).toEqual(Object.keys(open))
  expect(new Set(Object.values(sealed).map((text) => text.slice(0, 16))).size).toBe(2)
  for (const [name, text] of Object.entries(sealed)) expect(await decryptDocumented(text, key)).toBe(open[name])
})
