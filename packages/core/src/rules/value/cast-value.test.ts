import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { objectId, type Value, type ValueKind } from '../../model/value.js'
import { castValue, isBlank } from './cast-value.js'

const hex = '507f1f77bcf86cd799439011'
const id = objectId(hex) as Value
const uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'

/** The value, then the value to bind, then the canonical text where it differs from the value as text. */
const table: Record<ValueKind, readonly (readonly [value: Value, bound: Value | undefined, canonical?: string])[]> = {
  integer: [
    [1, 1],
    ['1', 1],
    ['-7', -7],
    ['-007', undefined],
    ['007', undefined],
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
    ['10.5', '10.5'],
    ['10.50', undefined],
    [10.5, '10.5'],
    ['007', undefined],
    ['-0.00', undefined],
    ['.5', undefined],
    ['5.', undefined],
    ['1.5e3', undefined],
    ['15e-1', undefined],
    [1e-7, '0.0000001'],
    [3n, '3'],
    ['123456789012345678901234567890.1', '123456789012345678901234567890.1'],
    ['.', undefined],
    ['1e9999', undefined],
    ['1,5', undefined],
    [true, undefined],
  ],
  float: [
    ['1.5', 1.5],
    [4, 4],
    ['0.1', 0.1],
    ['0.10', undefined],
    ['007', undefined],
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
    ['1', true, 'true'],
    ['0', false, 'false'],
    ['01', undefined],
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
    ['2024-00-01', undefined],
    ['2024-01-00', undefined],
    ['0044-03-15 BC', '0044-03-15 BC'],
    ['0001-02-29 BC', '0001-02-29 BC'],
    ['0002-02-29 BC', undefined],
    ['0000-01-01 BC', undefined],
    ['10000-02-29', '10000-02-29'],
    ['5874897-12-31', '5874897-12-31'],
    ['02024-01-01', undefined],
    ['infinity', undefined],
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
    ['0044-03-15T12:00:00.50Z BC', '0044-03-15T12:00:00.5Z BC'],
    ['0044-03-15T12:00:00+00 BC', '0044-03-15T12:00:00Z BC'],
    ['294276-12-31T23:59:59.999999Z', '294276-12-31T23:59:59.999999Z'],
    ['10000-01-01T00:00:00+01', undefined],
    ['9999-12-31T23:30:00-01', undefined],
    ['-infinity', undefined],
    ['2024-01-01', undefined],
    ['2024-02-30T12:00:00Z', undefined],
    ['2024-01-01T24:00:00Z', undefined],
    ['2024-01-01T12:00:60Z', undefined],
    ['2024-01-01T12:00:00', undefined],
    [0, undefined],
  ],
  datetime: [
    ['2024-01-01T12:00', '2024-01-01T12:00:00'],
    ['2024-01-01 12:00:00.120', '2024-01-01T12:00:00.12'],
    ['0044-03-15 12:00:00 BC', '0044-03-15T12:00:00 BC'],
    ['10000-01-01T00:00:00', '10000-01-01T00:00:00'],
    ['2024-01-01T12:00:00Z', undefined],
    ['2024-01-01T12:00:00+00', undefined],
    ['2024-01-01', undefined],
    ['infinity', undefined],
    [0, undefined],
  ],
  object_id: [
    [id, id, hex],
    [hex.toUpperCase(), id, hex],
    [hex.slice(1), undefined],
    [{ type: 'object_id', text: hex }, undefined],
    [1, undefined],
  ],
  bytes: [
    ['AP8Q', 'AP8Q'],
    ['AA==', 'AA=='],
    ['AAA', undefined],
    ['ann@example.com', undefined],
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

describe('castValue of a value from a column of a known kind', () => {
  it.each([
    ['bytes', undefined],
    [undefined, 'bytes'],
  ] as const)('takes the base64 of a BSON Binary, which has no kind, for bytes: %s from %s', (kind, from) => {
    expect(castValue('AP8=', kind, from)?.value).toBe('AP8=')
  })

  it('takes no Binary with a subtype for bytes, and no UUID', () => {
    expect(castValue('5:AP8=', 'bytes')).toBeUndefined()
    expect(castValue('2d1ac2a5-6bcb-4f9e-8f0a-2f3f4c5d6e7f', 'bytes')).toBeUndefined()
    expect(castValue('AAAAAAAAAAAAAAAAAAAAAA==', 'uuid', 'bytes')).toBeUndefined()
  })

  it.each<[Value, ValueKind, ValueKind | undefined, Value | undefined, string?]>([
    ['5.00', 'decimal', 'integer', 5],
    ['-0.00', 'decimal', 'integer', 0],
    ['9007199254740993.0', 'decimal', 'integer', '9007199254740993'],
    ['5.01', 'decimal', 'integer', undefined],
    ['5.00', 'decimal', 'decimal', '5'],
    ['abcd', 'bytes', 'bytes', 'abcd'],
    ['abcd', 'string', 'bytes', undefined],
    ['abcd', 'bytes', 'string', undefined],
    ['abcd', 'bytes', 'uuid', undefined],
    ['5.00', 'decimal', 'float', 5],
    ['5.00', 'decimal', 'string', '5'],
    ['5.50', 'decimal', 'string', '5.5'],
    ['5.00', 'string', 'string', '5.00'],
    ['5.00', 'string', 'integer', undefined],
    ['007', 'string', 'decimal', undefined],
    ['5.0', 'string', 'decimal', undefined],
    ['5.5', 'string', 'decimal', '5.5'],
    ['007', 'string', 'float', undefined],
    ['5.0', 'string', 'float', undefined],
    ['5.5', 'string', 'float', 5.5],
    ['007', 'decimal', 'decimal', '7'],
    ['-0.00', 'decimal', 'decimal', '0'],
    ['123456789012345678901234567890.10', 'decimal', 'decimal', '123456789012345678901234567890.1'],
    ['1.50', 'float', 'float', 1.5],
    ['5.00', 'integer', 'integer', undefined],
    [5, 'integer', 'string', '5'],
    ['9007199254740993', 'integer', 'string', '9007199254740993'],
    ['NaN', 'decimal', 'decimal', 'NaN'],
    ['NaN', 'decimal', 'float', 'NaN'],
    ['-Infinity', 'float', 'decimal', '-Infinity'],
    ['NaN', 'float', 'string', 'NaN'],
    ['NaN', 'float', 'integer', undefined],
    ['NaN', 'string', 'float', undefined],
    ['Infinity', 'date', 'float', undefined],
    ['infinity', 'date', 'date', 'infinity'],
    ['-infinity', 'timestamp', 'timestamp', '-infinity'],
    ['infinity', 'timestamp', 'datetime', 'infinity'],
    ['infinity', 'string', 'date', undefined],
    ['0000-00-00', 'date', 'date', '0000-00-00'],
    ['2024-02-30T00:00:00', 'datetime', 'datetime', '2024-02-30T00:00:00'],
    ['0000-00-00T00:00:00Z', 'timestamp', 'timestamp', '0000-00-00T00:00:00Z'],
    ['0000-00-00', 'string', 'date', undefined],
    ['nothing', 'date', 'date', undefined],
    ['infinity', 'timestamp', 'integer', undefined],
    ['2024-01-01', 'date', 'timestamp', undefined],
    ['2024-01-01T00:00:00', 'datetime', 'date', undefined],
    ['2024-01-01T00:00:00', 'datetime', 'timestamp', undefined],
    ['2024-01-01T00:00:00Z', 'timestamp', 'datetime', undefined],
    ['2024-01-01T00:00:00', 'datetime', 'string', '2024-01-01T00:00:00'],
  ])('%o of %s as %s', (value, from, kind, bound, canonical = String(bound)) => {
    expect(castValue(value, kind, from)).toEqual(bound === undefined ? undefined : { value: bound, canonical })
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
  ])('leaves %o unchanged', (value, canonical) => {
    expect(castValue(value)).toEqual({ value, canonical })
  })
  it.each([[null], [''], [{ a: 1 }], [[1]], [Number.NaN]])('takes no %j', (value: Value) => {
    expect(castValue(value)).toBeUndefined()
  })
})

describe('casting loses nothing', () => {
  const scalars = fc.oneof(fc.integer(), fc.bigInt(), fc.double(), fc.string(), fc.boolean(), fc.integer().map(String))
  const numeric = ['integer', 'decimal', 'float', 'string'] as const

  it('a number that passes through a kind stays the same number', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.bigInt(), fc.double()), fc.constantFrom(...numeric), (value, kind) => {
        const cast = castValue(value, kind)
        if (!cast) return
        if (typeof value === 'bigint' && kind !== 'float') expect(BigInt(cast.canonical)).toBe(value)
        else expect(Number(cast.canonical)).toBe(Number(value) === 0 ? 0 : Number(value))
      }),
    )
  })

  it('a cast value casts to itself', () => {
    const kinds = fc.constantFrom(...(Object.keys(table) as ValueKind[]))
    const values = fc.oneof(scalars, fc.constantFrom('NaN', '-Infinity', 'infinity', '5.00', '0044-03-15 BC'))
    fc.assert(
      fc.property(values, kinds, kinds, (value, kind, from) => {
        const cast = castValue(value, kind, from)
        if (cast) expect(castValue(cast.value, kind, kind)).toEqual(cast)
      }),
    )
  })

  it('two integers are equal exactly when their canonical texts are', () => {
    const integers = fc.bigInt({ min: -99n, max: 99n })
    const spell = (number: bigint, how: number): Value =>
      [number, Number(number), `${number}`, `${number}.000`][how] as Value
    fc.assert(
      fc.property(integers, integers, fc.nat(3), fc.nat(3), (a, b, howA, howB) => {
        const [left, right] = [
          castValue(spell(a, howA), 'integer', 'decimal'),
          castValue(spell(b, howB), 'integer', 'decimal'),
        ]
        expect(left?.canonical === right?.canonical).toBe(a === b)
      }),
    )
  })
})

describe('isBlank', () => {
  it.each([[null], [undefined], [''], [' \n\u00a0']])('%j means none', (value: Value | undefined) => {
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
    [false, [0], true],
    [false, ['0'], true],
    [true, [0], false],
    [false, [false], true],
    [{}, ['x'], false],
  ])('%o among %j: %s', (value, placeholders, blank) => {
    expect(isBlank(value, placeholders)).toBe(blank)
  })
})
