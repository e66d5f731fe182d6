import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { objectId, type Value, type ValueKind } from '../model/value.js'
import { castValue, isBlank } from './value-cast.js'

const hex = '507f1f77bcf86cd799439011'
const id = objectId(hex) as Value
const uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'

/** Value, then what is bound; the canonical text where it differs from the value as text. */
const table: Record<ValueKind, readonly (readonly [value: Value, bound: Value | undefined, canonical?: string])[]> = {
  integer: [
    [1, 1],
    ['1', 1],
    ['-007', -7],
    [0, 0],
    [-0, 0],
    ['-0', 0],
    [10002.0, 10002],
    [5n, 5],
    [2n ** 63n, '9223372036854775808'],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740991', 9007199254740991],
    [1.9, undefined],
    [2 ** 53, undefined],
    ['1.0', undefined],
    ['+1', undefined],
    [' 1', undefined],
    ['1e3', undefined],
    ['A', undefined],
    ['9'.repeat(1_001), undefined],
    [true, undefined],
    [[1], undefined],
    [Number.NaN, undefined],
  ],
  decimal: [
    ['10.50', '10.5'],
    [10.5, '10.5'],
    ['007', '7'],
    ['-0.00', '0'],
    ['.5', undefined],
    ['5.', undefined],
    ['1.5e3', undefined],
    ['15e-1', undefined],
    [1e-7, '0.0000001'],
    [3n, '3'],
    ['123456789012345678901234567890.10', '123456789012345678901234567890.1'],
    ['.', undefined],
    ['1e9999', undefined],
    ['1,5', undefined],
    [true, undefined],
  ],
  float: [
    ['1.5', 1.5],
    [4, 4],
    ['0.1', 0.1],
    [-0, 0, '0'],
    [1e300, 1e300, `1${'0'.repeat(300)}`],
    ['0.10000000000000000001', undefined],
    ['9007199254740993', undefined],
    ['NaN', undefined],
    [Number.POSITIVE_INFINITY, undefined],
    ['x', undefined],
    [true, undefined],
  ],
  boolean: [
    [true, true],
    ['true', true],
    ['True', true],
    [1, true, 'true'],
    [false, false],
    ['False', false, 'false'],
    [0, false, 'false'],
    ['1', undefined],
    ['yes', undefined],
    [2, undefined],
  ],
  string: [
    ['x', 'x'],
    [' x ', ' x '],
    [10002.0, '10002'],
    [1.5, '1.5'],
    [1e-7, '0.0000001'],
    [12n, '12'],
    [0, '0'],
    [-0, '0'],
    [true, 'true'],
    [false, 'false'],
    [id, hex],
    [2 ** 53, undefined],
    [{ a: 1 }, undefined],
    [['x'], undefined],
  ],
  uuid: [
    [uuid, uuid],
    [uuid.toUpperCase(), uuid],
    [`{${uuid}}`, undefined],
    [uuid.replaceAll('-', ''), undefined],
    [1, undefined],
  ],
  date: [
    ['2024-02-29', '2024-02-29'],
    ['2023-02-29', undefined],
    ['2024-13-01', undefined],
    ['2024-02-29T00:00:00Z', undefined],
    ['29.02.2024', undefined],
    [20240229, undefined],
  ],
  timestamp: [
    ['2024-01-01T12:00:00Z', '2024-01-01T12:00:00Z'],
    ['2024-01-01 12:00:00.120+02:00', '2024-01-01T10:00:00.12Z'],
    ['2024-01-01T00:30:00+0100', '2023-12-31T23:30:00Z'],
    ['2024-01-01T00:30:00-05', '2024-01-01T05:30:00Z'],
    ['2024-01-01T12:00:00.123456789Z', '2024-01-01T12:00:00.123456789Z'],
    ['2024-01-01T12:00', '2024-01-01T12:00:00'],
    ['2024-01-01', undefined],
    ['2024-02-30T12:00:00Z', undefined],
    ['2024-01-01T24:00:00Z', undefined],
    ['2024-01-01T12:00:60Z', undefined],
    [0, undefined],
  ],
  object_id: [
    [id, id, hex],
    [hex.toUpperCase(), id, hex],
    [hex.slice(1), undefined],
    [{ type: 'object_id', text: hex }, undefined],
    [1, undefined],
  ],
  object: [
    [{ a: 1 }, { a: 1 }, '{"a":n1}'],
    [{ b: null, a: ['1', id] }, { b: null, a: ['1', id] }, `{"a":["1",i${hex}],"b":null}`],
    ['{}', undefined],
    [[{}], undefined],
    [id, undefined],
    [1, undefined],
  ],
}

describe.each(Object.keys(table) as ValueKind[])('castValue to %s', (kind) => {
  it.each(table[kind])('%o', (value, bound, canonical = String(bound)) => {
    expect(castValue(value, kind)).toEqual(bound === undefined ? undefined : { value: bound, canonical })
  })

  it.each([[null], [undefined], [''], [' \t'], [[]]])('never takes %j', (value: Value | undefined) => {
    expect(castValue(value, kind)).toBeUndefined()
  })
})

describe('castValue without a kind', () => {
  it.each<[Value, string]>([
    ['1', '"1"'],
    [1, 'n1'],
    [1n, 'n1'],
    [2n ** 70n, 'n1180591620717411303424'],
    [true, 'true'],
    ['true', '"true"'],
    [id, `i${hex}`],
    [hex, `"${hex}"`],
  ])('leaves %o as it is', (value, canonical) => {
    expect(castValue(value)).toEqual({ value, canonical })
  })
  it.each([[null], [''], [{ a: 1 }], [[1]], [Number.NaN]])('takes no %j', (value: Value) => {
    expect(castValue(value)).toBeUndefined()
  })
})

describe('casting loses nothing', () => {
  const scalars = fc.oneof(fc.integer(), fc.bigInt(), fc.double(), fc.string(), fc.boolean(), fc.integer().map(String))
  const numeric = ['integer', 'decimal', 'float', 'string'] as const

  it('a number that passes through a kind is the same number afterwards', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.bigInt(), fc.double()), fc.constantFrom(...numeric), (value, kind) => {
        const cast = castValue(value, kind)
        if (!cast) return
        if (typeof value === 'bigint' && kind !== 'float') expect(BigInt(cast.canonical)).toBe(value)
        else expect(Number(cast.canonical)).toBe(Number(value) === 0 ? 0 : Number(value))
      }),
    )
  })

  it('what was cast casts to itself', () => {
    const kinds = fc.constantFrom(...(Object.keys(table) as ValueKind[]))
    fc.assert(
      fc.property(scalars, kinds, (value, kind) => {
        const cast = castValue(value, kind)
        if (cast) expect(castValue(cast.value, kind)).toEqual(cast)
      }),
    )
  })

  it('two integers are equal exactly when their canonical texts are', () => {
    const integers = fc.bigInt({ min: -99n, max: 99n })
    const spell = (number: bigint, how: number): Value =>
      [number, Number(number), `${number}`, `${number < 0n ? '-' : ''}00${number < 0n ? -number : number}`][
        how
      ] as Value
    fc.assert(
      fc.property(integers, integers, fc.nat(3), fc.nat(3), (a, b, howA, howB) => {
        const [left, right] = [castValue(spell(a, howA), 'integer'), castValue(spell(b, howB), 'integer')]
        expect(left?.canonical === right?.canonical).toBe(a === b)
      }),
    )
  })
})

describe('isBlank', () => {
  it.each([[null], [undefined], [''], [' \n\u00a0']])('%j stands for none', (value: Value | undefined) => {
    expect(isBlank(value)).toBe(true)
  })
  it.each([[0], [false], ['x'], [{}], [[]]])('%j does not', (value: Value) => {
    expect(isBlank(value)).toBe(false)
  })
  it.each<[Value, (string | number | boolean)[], boolean]>([
    ['N/A', ['none', 'N/A'], true],
    ['n/a', ['N/A'], false],
    [0, [0], true],
    ['0', [0], true],
    ['0.00', [0], true],
    [0n, [0], true],
    [0, ['0'], true],
    [false, [0], false],
    [false, [false], true],
    [{}, ['x'], false],
  ])('%o among %j: %s', (value, placeholders, blank) => {
    expect(isBlank(value, placeholders)).toBe(blank)
  })
})
