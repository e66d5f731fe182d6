import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { objectId, type Value, type ValueKind } from '../../model/value.js'
import { bindable, eachForm, formsOf, type Key, keyOf } from './key-of.js'
import { keySet } from './key-set.js'

const uuid = fc.uuid().map((text) => text.toLowerCase())
const field = (kind?: ValueKind) => ({ ...(kind && { kind }) })

const part = (kind?: ValueKind) => ({ ...(kind && { kind }) })

describe('keySet', () => {
  it.each<[string, (ValueKind | undefined)[], fc.Arbitrary<Key>]>([
    ['small integers', ['integer'], fc.integer({ min: -50, max: 50 })],
    ['safe integers', ['integer'], fc.maxSafeInteger()],
    [
      'integers beyond 2^53',
      ['integer'],
      fc.oneof(fc.integer(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }).map(String)),
    ],
    ['uuids', ['uuid'], uuid],
    ['texts', ['string'], fc.string({ unit: 'binary' })],
    [
      'tuples',
      ['integer', 'string'],
      fc.tuple(fc.integer(), fc.string()).map((pair) => JSON.stringify(pair.map(String))),
    ],
  ])('holds %s like a Set, in the order they were added', (_, kinds, key) => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 200 }), fc.array(key, { maxLength: 20 }), (keys, others) => {
        const packed = keySet(kinds.map(part))
        const model = new Set<string>()
        for (const each of keys) {
          expect(packed.add(each)).toBe(!model.has(String(each)))
          model.add(String(each))
        }
        const order = [...model]
        expect(packed.size).toBe(order.length)
        expect(order.map((_, at) => String(packed.at(at)))).toEqual(order)
        for (const each of [...keys, ...others]) expect(packed.find(each)).toBe(order.indexOf(String(each)))
      }),
      { numRuns: 100 },
    )
  })

  it('finds a key in any case where case does not count, and asks for the first spelling', () => {
    const texts = keySet([{ kind: 'string', caseInsensitive: true }, { kind: 'string' }])
    expect(texts.add(JSON.stringify(['ÉVA@x', 'K']))).toBe(true)
    expect(texts.add(JSON.stringify(['Éva@X', 'K']))).toBe(false)
    expect(texts.find(JSON.stringify(['Éva@x', 'K']))).toBe(0)
    expect(texts.find(JSON.stringify(['Éva@x', 'k']))).toBe(-1)
    expect(texts.column(0, 0, 1)).toEqual(['ÉVA@x'])
    // Only ASCII letters have two cases. The Kelvin sign is no other k.
    expect(texts.find(JSON.stringify(['éva@x', 'K']))).toBe(-1)
    const one = keySet([{ kind: 'string', caseInsensitive: true }])
    one.add('mark@x')
    expect([one.find('MARK@x'), one.find('mar\u212a@x')]).toEqual([0, -1])
  })

  it('gives UUIDs as their bytes as well', () => {
    const keys = keySet([part('uuid')])
    const list = ['00000000-0000-0000-0000-000000000000', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']
    for (const each of [...list, 'ffffffff-ffff-ffff-ffff-ffffffffffff']) keys.add(each)
    const bytes = Buffer.from(keys.uuids?.(0, 2) ?? [])
    expect(bytes.toString('hex')).toBe(list.join('').replaceAll('-', ''))
    expect(keySet([part('string')]).uuids).toBeUndefined()
  })

  it('gives the values of a range as a connector binds them', () => {
    const numbers = keySet([part('integer')])
    for (const value of [5, 7, 9]) numbers.add(value)
    expect(numbers.column(0, 1, 3)).toEqual(Int32Array.from([7, 9]))
    const pairs = keySet([part('integer'), part('boolean')])
    pairs.add(JSON.stringify(['12', 'true']))
    expect([pairs.column(0, 0, 1), pairs.column(1, 0, 1)]).toEqual([[12], [true]])
    const ids = keySet([part('uuid')])
    ids.add('0188d0f2-9c3e-7a11-8a54-0f1e2d3c4b5a')
    expect(ids.column(0, 0, 1)).toEqual(['0188d0f2-9c3e-7a11-8a54-0f1e2d3c4b5a'])
  })
})

describe('keyOf', () => {
  it('is one for 0 and 1 of a field of whole numbers, since servers keep flags as such', () => {
    expect([0, 1, 2].map((value) => keyOf([value], [field('boolean')], [[]], [field('integer')]))).toEqual([
      'false',
      'true',
      undefined,
    ])
  })

  it.each<Value>([0, 1, 1n, '0', '1', 'true', 'False'])('is none for %o in a field of yes and no', (value) => {
    expect(keyOf([value], [field('boolean')], [[]])).toBeUndefined()
    expect(keyOf([true], [field('boolean')], [[]])).toBe('true')
    expect(keyOf([value], [field('boolean')], [[]], [field()])).toBeUndefined()
  })

  it.each([
    [5, 'integer', 5],
    ['5', 'integer', 5],
    [0, 'integer', 0],
    [1.5, 'integer', undefined],
    ['5x', 'integer', undefined],
    ['9007199254740993', 'integer', '9007199254740993'],
    [10002.0, 'string', '10002'],
    ['', 'string', undefined],
    ['   ', 'string', undefined],
    [null, 'string', undefined],
    [undefined, 'string', undefined],
    [false, 'boolean', 'false'],
    ['0188D0F2-9C3E-7A11-8A54-0F1E2D3C4B5A', 'uuid', '0188d0f2-9c3e-7a11-8a54-0f1e2d3c4b5a'],
    ['not a uuid', 'uuid', undefined],
    [{ $ne: null }, 'string', undefined],
    [{ $ne: null }, undefined, undefined],
  ] as const)('%j as %s is %j', (value, kind, expected) => {
    expect(keyOf([value as never], [field(kind)], [[]])).toBe(expected)
  })
  it('never equates values of different types in a field without a type', () => {
    expect(keyOf(['5'], [field()], [[]])).not.toBe(keyOf([5], [field()], [[]]))
  })
  it('accepts special values of number and time columns from such columns only', () => {
    expect(keyOf(['NaN'], [field('float')], [[]])).toBe('NaN')
    expect(keyOf(['NaN'], [field('float')], [[]], [field('string')])).toBeUndefined()
    expect(keyOf(['NaN'], [field('float')], [[]], [])).toBeUndefined()
    for (const [kind, text] of [
      ['float', '-Infinity'],
      ['decimal', 'NaN'],
      ['timestamp', 'infinity'],
    ] as const)
      expect(bindable(kind, keyOf([text], [field(kind)], [[]]) as string)).toBe(text)
  })
  it('drops placeholders, and a tuple that loses a value', () => {
    expect(keyOf(['n/a'], [field('string')], [['n/a']])).toBeUndefined()
    expect(keyOf([5, ''], [field('integer'), field('string')], [[], []])).toBeUndefined()
  })
})

const hex = 'ab'.repeat(12)
const someUuid = '0a0eebc9-9c0b-4ef8-bb6d-6bb9bd380a11'
const id = (text: string) => objectId(text) as Value

describe('the forms of keys', () => {
  it.each<[Value, ValueKind | undefined, readonly Value[]]>([
    [5, 'integer', [5, '5']],
    ['5', 'integer', [5, '5']],
    ['5.00', 'decimal', [5, '5']],
    ['-1.50', 'float', [-1.5, '-1.5']],
    ['9007199254740993', 'integer', [9007199254740993n, '9007199254740993']],
    [9007199254740993n, 'integer', [9007199254740993n, '9007199254740993']],
    ['0.12345678901234567891', 'decimal', ['0.12345678901234567891']],
    ['123456789012345678901234', 'decimal', [123456789012345678901234n, '123456789012345678901234']],
    ['NaN', 'float', ['NaN']],
    [id(hex), 'object_id', [id(hex), hex, hex.toUpperCase()]],
    [someUuid, 'uuid', [someUuid, someUuid.toUpperCase()]],
    ['391', 'string', [391, '391']],
    ['5.00', 'string', ['5.00']],
    ['007', 'string', ['007']],
    ['Ann', 'string', ['Ann']],
    [hex.toUpperCase(), 'string', [id(hex), hex.toUpperCase(), hex]],
    [someUuid.toUpperCase(), 'string', [someUuid, someUuid.toUpperCase()]],
    [true, 'string', [true]],
    [null, 'integer', [null]],
    ['7', undefined, ['7']],
    [7, undefined, [7]],
  ])('%o of a field of the kind %s is searched for as %o in a field without a type', (value, kind, forms) => {
    const found = formsOf(value, field(), field(kind))
    expect(new Set(found)).toEqual(new Set(forms))
    expect(found).toHaveLength(forms.length)
  })

  it.each<[Value, ValueKind | undefined, readonly Value[]]>([
    [someUuid, 'uuid', [someUuid, someUuid.toUpperCase()]],
    ['11111111-1111-4111-8111-111111111111', 'uuid', ['11111111-1111-4111-8111-111111111111']],
    [id(hex), 'object_id', [hex, hex.toUpperCase()]],
    [someUuid, 'string', [someUuid]],
    [id(hex), 'string', [hex, hex.toUpperCase()]],
    [id(hex), undefined, [hex, hex.toUpperCase()]],
    [5, 'integer', [5]],
  ])('%o of a field of the kind %s is searched for as %o in texts', (value, kind, forms) => {
    expect(formsOf(value, field('string'), field(kind))).toEqual(forms)
    expect(formsOf(value, { kind: 'string', caseInsensitive: true }, field(kind))).toEqual([value])
  })

  it('each value of a tuple may have several', () => {
    const kinds = [field('integer'), field('integer'), field('decimal')]
    expect(eachForm(['5', '7', '5.0'], [field(), field('integer'), field()], kinds)).toEqual([
      [5, '7', 5],
      [5, '7', '5'],
      ['5', '7', 5],
      ['5', '7', '5'],
    ])
  })
})
