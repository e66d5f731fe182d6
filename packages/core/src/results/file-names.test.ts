import { expect, it } from 'vitest'
import { fileNames } from './file-names.js'

it.each([
  ['shop:customer', 'shop.customer.csv'],
  ['shop:public.customer', 'shop.public.customer.csv'],
  ['shop:Order Details', 'shop.Order_Details.csv'],
  ['shop:a/b\\c:d*?"<>|', 'shop.a_b_c_d______.csv'],
  ['../../etc:passwd', '__.._etc.passwd.csv'],
  ['..:x', '_x.csv'],
  ['.hidden:x', '_hidden.x.csv'],
  ['con:orders', '_con.orders.csv'],
  ['LPT1', '_LPT1.csv'],
  ['console:log', 'console.log.csv'],
  ['shop:顧客', 'shop.顧客.csv'],
  ['shop:u\u0308ber', 'shop.über.csv'],
  ['shop:txt\u202egpj.exe', 'shop.txt_gpj.exe.csv'],
  ['shop:a\nb~2', 'shop.a_b_2.csv'],
  ['', '_.csv'],
])('%j becomes %s', (name, file) => {
  expect(fileNames()(name, '.csv')).toBe(file)
})

it('no two names are one on a disk that ignores case', () => {
  const name = fileNames()
  const given = ['a:b', 'a.b', 'A:B', 'a:ß', 'a:SS', 'a:b-2']
  expect(given.map((each) => name(each, '.csv'))).toEqual([
    'a.b.csv',
    'a.b-2.csv',
    'A.B-3.csv',
    'a.ß.csv',
    'a.SS-2.csv',
    'a.b-2-2.csv',
  ])
})

it('a long name is cut between characters', () => {
  const name = fileNames()
  const file = name(`shop:${'顧'.repeat(500)}`, '.csv')
  expect(Buffer.byteLength(file)).toBeLessThan(130)
  expect(file).toMatch(/^shop\.顧+\.csv$/)
  expect(name(`shop:${'顧'.repeat(400)}`, '.csv')).toMatch(/顧-2\.csv$/)
})
