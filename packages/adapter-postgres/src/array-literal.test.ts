import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseArrayLiteral } from './array-literal.js'
import { textArray } from './key-array.js'

const read = (literal: string) => parseArrayLiteral(literal, (text) => text)

it.each([
  ['{}', []],
  ['{a}', ['a']],
  ['{a,NULL,"NULL"}', ['a', null, 'NULL']],
  [
    '{{1,2},{3,4}}',
    [
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  ['[0:1]={5,6}', ['5', '6']],
  ['[1:1][-2:-1]={{5,6}}', [['5', '6']]],
  ['{"","with, comma","quo\\"te","back\\\\slash","{}"}', ['', 'with, comma', 'quo"te', 'back\\slash', '{}']],
])('%s', (literal, expected) => expect(read(literal)).toEqual(expected))

it('reads back what is written', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
      expect(read(textArray('text', texts).encoded as string)).toEqual(texts)
    }),
  )
})
