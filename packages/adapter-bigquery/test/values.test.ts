import { describe, expect, it } from 'vitest'
import { formsIn, parameterValueOf, scalarBinder } from '../src/bound-values.js'
import { typeOf } from '../src/live-column.js'
import { rowDecoder } from '../src/row-values.js'

const bound = (type: string, ...values: (string | number | boolean | bigint)[]) =>
  values.map(scalarBinder(typeOf({ type })))

describe('a value that is bound', () => {
  it('is left out where the type cannot hold it', () => {
    expect(bound('INTEGER', 5, '5', 5n, '9223372036854775807', '9223372036854775808', 1.5, 'x')).toEqual([
      ...['5', '5', '5', '9223372036854775807', undefined, undefined, undefined],
    ])
    expect(bound('INTEGER', '01', ' 1', '1.0', '1e0', true)).toEqual(['1', undefined, undefined, undefined, undefined])
    expect(bound('NUMERIC', '01', ' 1', '1.0', true)).toEqual(['1', undefined, '1', undefined])
    expect(bound('DATE', '2024-02-29', '2023-02-29', '0000-01-01')).toEqual(['2024-02-29', undefined, undefined])
    expect(
      bound('TIMESTAMP', '2024-01-01T00:00:00.000001+02:00', '9999-12-31T23:59:59-08:00', '0001-01-01T00:00:00+02:00'),
    ).toEqual(['2023-12-31 22:00:00.000001+00:00', undefined, undefined])
    expect(bound('TIME', '12:00:00.5', '12:00')).toEqual(['12:00:00.5', undefined])
    expect(bound('BOOLEAN', true, 'false', 'yes')).toEqual(['true', 'false', undefined])
  })

  it('is a number in one spelling, with the digits that the type has', () => {
    expect(bound('NUMERIC', '12.500', '1e3', '-0.0', '1e-9', '1e-10', `1${'0'.repeat(29)}`)).toEqual([
      ...['12.5', '1000', '0', '0.000000001', undefined, undefined],
    ])
    expect(bound('BIGNUMERIC', `0.${'1'.repeat(38)}`, `0.${'1'.repeat(39)}`)).toEqual([
      `0.${'1'.repeat(38)}`,
      undefined,
    ])
    expect(bound('FLOAT64', 1.5, '-Infinity', 'NaN', 'inf')).toEqual(['1.5', '-Infinity', 'NaN', undefined])
    expect(bound('NUMERIC', 'NaN', 'Infinity')).toEqual([undefined, undefined])
    const most = '578960446186580977117854925043439539266'
    expect(bound('BIGNUMERIC', 2n ** 128n - 1n, `-${most}.34`, `${most}.35`, `1${'0'.repeat(39)}`)).toEqual([
      ...[String(2n ** 128n - 1n), `-${most}.34`, undefined, undefined],
    ])
  })

  it('has the forms it may have in a document', () => {
    expect(formsIn(false)('5')).toEqual(['s5', 'n5', 'n5.0'])
    expect(formsIn(false)(1.5)).toEqual(['n1.5'])
    expect(formsIn(false)(true)).toEqual(['ntrue'])
    expect(formsIn(true)(5)).toEqual(['s5'])
    expect(formsIn(false)('N/A')).toEqual(['sN/A'])
  })

  it('is a list or STRUCT whole', () => {
    const type = typeOf({ type: 'RECORD', fields: [{ name: 'a', type: 'INTEGER', mode: 'REPEATED' }] })
    expect(parameterValueOf(type, { a: [1, '2'] })).toEqual({
      structValues: { a: { arrayValues: [{ value: '1' }, { value: '2' }] } },
    })
    expect(parameterValueOf(type, { a: ['x'] })).toBeUndefined()
    expect(parameterValueOf(type, 'text')).toBeUndefined()
  })
})

describe('a value that is read', () => {
  const read = (type: string, ...cells: (string | null)[]) =>
    cells.map((v) => rowDecoder([{ name: 'a', type }])({ f: [{ v }] })[0])

  it('keeps its digits', () => {
    expect(read('INTEGER', '5', '9007199254740993', null)).toEqual([5, '9007199254740993', null])
    expect(read('BIGNUMERIC', '12345678901234567890.012345678900', '0', '0E-15')).toEqual([
      ...['12345678901234567890.0123456789', '0', '0'],
    ])
    expect(read('FLOAT', '0.1', 'NaN', '-Infinity')).toEqual([0.1, 'NaN', '-Infinity'])
    expect(read('JSON', '{"a":12345678901234567890}')).toEqual([{ a: '12345678901234567890' }])
  })

  it('is a time in microseconds, before 1970 as well', () => {
    expect(read('TIMESTAMP', '1', '-1', '-62135596800000000', '253402300799999999')).toEqual([
      '1970-01-01T00:00:00.000001Z',
      '1969-12-31T23:59:59.999999Z',
      '0001-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999999Z',
    ])
  })

  it('is a list or an object where the type is ARRAY or STRUCT', () => {
    const fields = [
      { name: 'sku', type: 'STRING' },
      { name: 'tags', type: 'STRING', mode: 'REPEATED' },
    ]
    const decode = rowDecoder([{ name: 'items', type: 'RECORD', mode: 'REPEATED', fields }])
    const item = { f: [{ v: 'a' }, { v: [{ v: 'x' }, { v: 'y' }] }] }
    expect(decode({ f: [{ v: [{ v: item }] }] })).toEqual([[{ sku: 'a', tags: ['x', 'y'] }]])
  })
})
