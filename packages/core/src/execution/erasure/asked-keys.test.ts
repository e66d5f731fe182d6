import { expect, test } from 'vitest'
import type { ValueKind } from '../../model/value.js'
import { keySet } from '../key-set.js'
import { askedKeys, isAskable } from './asked-keys.js'

const field = (kind: ValueKind | undefined) => ({
  ...{ name: 'f', path: ['f'], placeholders: [], caseInsensitive: false, filteredDepth: 1 },
  ...(kind && { kind }),
})

test.each<[ValueKind | undefined, ValueKind | undefined, boolean, (string | number)[], unknown[][]]>([
  ['integer', 'decimal', true, ['5', '5.5'], [[5, 0]]],
  ['decimal', 'integer', true, [5], [['5', 0]]],
  ['string', 'integer', true, [5], [['5', 0]]],
  [
    'integer',
    'string',
    true,
    ['5', '05', 'x', '-7'],
    [
      [5, 0],
      [-7, 3],
    ],
  ],
  ['decimal', 'string', true, ['5', '5.0'], [['5', 0]]],
  ['string', 'decimal', false, ['5'], [['5', 0]]],
  ['float', 'integer', false, [5], [[5, 0]]],
  ['string', 'timestamp', false, [], []],
  [
    undefined,
    'integer',
    true,
    [5],
    [
      [5, 0],
      ['5', 0],
    ],
  ],
  [
    undefined,
    'string',
    true,
    ['5', 'x', '05'],
    [
      ['5', 0],
      [5, 0],
      ['x', 1],
      ['05', 2],
    ],
  ],
  [undefined, 'decimal', false, [], []],
  ['integer', undefined, true, ['n5', '"5"', '"x"'], [[5, 0]]],
])('values of %s that read as keys of %s', (kind, to, askable, held, expected) => {
  const keys = keySet([{ ...(to && { kind: to }) }])
  for (const key of held) keys.add(key)
  expect(isAskable([field(kind)], [field(to)])).toBe(askable)
  const asked = askedKeys([field(kind)], [field(to)], keys)
  const values = [...asked.keys.column(0, 0, asked.keys.size)]
  expect(values.map((value, at) => [value, asked.positionOf(at)])).toEqual(expected)
})

test('a UUID is looked for in text whatever the case of its letters', () => {
  const keys = keySet([{ kind: 'uuid' }])
  keys.add('00000000-0000-0000-0000-0000000000ab')
  const { fields } = askedKeys([field('string')], [field('uuid')], keys)
  expect(fields).toEqual([{ ...field('string'), caseInsensitive: true }])
})
