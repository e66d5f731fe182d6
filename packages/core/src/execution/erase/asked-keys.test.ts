import { expect, test } from 'vitest'
import { objectId, type ValueKind } from '../../model/value.js'
import { keySet } from '../find/key-set.js'
import { askedKeys, isAskable } from './asked-keys.js'

const field = (kind: ValueKind | undefined) => ({
  name: 'f',
  path: ['f'],
  placeholders: [],
  caseInsensitive: false,
  filteredDepth: 1,
  ...(kind && { kind }),
})

const id = 'ab'.repeat(12)

test.each<[ValueKind | undefined, ValueKind | undefined, boolean, (string | number)[], unknown[][]]>([
  ['integer', 'decimal', true, ['5', '5.5'], [[5, [0]]]],
  ['decimal', 'integer', true, [5], [['5', [0]]]],
  ['string', 'integer', true, [5], [['5', [0]]]],
  [
    'integer',
    'string',
    true,
    ['5', 'x', '-7'],
    [
      [5, [0]],
      [-7, [2]],
    ],
  ],
  ['decimal', 'string', true, ['5', '5.0'], [['5', [0]]]],
  ['string', 'decimal', false, ['5'], [['5', [0]]]],
  ['float', 'integer', false, [5], [[5, [0]]]],
  ['string', 'timestamp', false, [], []],
  [
    undefined,
    'integer',
    true,
    [5],
    [
      [5, [0]],
      ['5', [0]],
    ],
  ],
  [undefined, 'string', false, [], []],
  [undefined, 'decimal', false, [], []],
  ['string', 'object_id', true, [id], [[id, [0]]]],
  [
    undefined,
    'object_id',
    true,
    [id],
    [
      [objectId(id), [0]],
      [id, [0]],
      [id.toUpperCase(), [0]],
    ],
  ],
  ['integer', undefined, true, ['n5', '"5"', '"x"'], [[5, [0, 1]]]],
])('values of %s that read as keys of %s', (kind, to, askable, held, expected) => {
  const keys = keySet([{ ...(to && { kind: to }) }])
  for (const key of held) keys.add(key)
  expect(isAskable([field(kind)], [field(to)])).toBe(askable)
  const asked = askedKeys([field(kind)], [field(to)], keys)
  const values = [...asked.keys.column(0, 0, asked.keys.size)]
  expect(values.map((value, at) => [value, asked.positionsOf(at)])).toEqual(expected)
})

test.each<[ValueKind, string]>([
  ['uuid', '00000000-0000-0000-0000-0000000000ab'],
  ['object_id', '65f0c0ffee0123456789abcd'],
])('an id of the kind %s is searched in a text column in upper and lower case', (kind, key) => {
  const keys = keySet([{ kind }])
  keys.add(key)
  const { fields } = askedKeys([field('string')], [field(kind)], keys)
  expect(fields).toEqual([{ ...field('string'), caseInsensitive: true }])
})

test.each([
  ['a UUID', '00000000-0000-0000-0000-0000000000ab'],
  ['an ObjectId', '65F0C0FFEE0123456789ABCD'],
])('%s of a field without a type is searched in a text column in upper and lower case', (_, id) => {
  const keys = keySet([{}])
  for (const key of [JSON.stringify(id), '"Ann"']) keys.add(key)
  const asked = askedKeys([field('string')], [field(undefined)], keys)
  expect(asked.fields).toEqual([{ ...field('string'), caseInsensitive: true }])
  expect(asked.positionsOf(asked.keys.find(id.toLowerCase()))).toEqual([0])
})

test('texts of a field without a type are searched as they are where none is an id', () => {
  const keys = keySet([{}])
  keys.add('"Ann"')
  expect(askedKeys([field('string')], [field(undefined)], keys).fields).toEqual([field('string')])
})

test('a UUID is searched for a text key in upper or lower case', () => {
  const keys = keySet([{ kind: 'string' }])
  for (const key of ['A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'no uuid']) keys.add(key)
  const asked = askedKeys([field('uuid')], [field('string')], keys)
  expect([asked.keys.size, asked.keys.at(0)]).toEqual([1, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'])
})

test.each([
  ['007', true],
  [' 7', true],
  ['x7', false],
  ['7', false],
])('a number may stand for the text %s, although no number reads as this text: %s', (key, isInPart) => {
  const keys = keySet([{ kind: 'string' }])
  keys.add(key)
  expect(askedKeys([field('integer')], [field('string')], keys).isInPart).toBe(isInPart)
})
