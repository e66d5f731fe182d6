import { objectId, type Value } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { binderOf } from './key-binding.js'
import type { Family } from './live-column.js'

const bound = (family: Family, value: Value, path: string[] = [], caseInsensitive = false) => {
  const column = { name: 'c', family, cast: 'x', loose: false, indexed: false, inverted: false }
  return binderOf({ column, path, caseInsensitive })(value)
}
const id = objectId('0123456789abcdef01234567')!

describe('a key in the type of its column', () => {
  it.each<[Family, Value, unknown]>([
    ['integer', 7, 7],
    ['integer', '-0007', -7],
    ['integer', 7n, 7],
    ['integer', '9223372036854775807', '9223372036854775807'],
    ['integer', '9223372036854775808', undefined],
    ['integer', -(2n ** 63n), '-9223372036854775808'],
    ['integer', 2 ** 60, '1152921504606846976'],
    ['integer', 1e300, undefined],
    ['integer', 1.5, undefined],
    ['integer', '1.0', undefined],
    ['integer', true, undefined],
    ['integer', Number.NaN, undefined],
    ['decimal', 1e21, '1e+21'],
    ['decimal', '-1.50', '-1.50'],
    ['decimal', 'NaN', 'NaN'],
    ['decimal', '-Infinity', '-Infinity'],
    ['decimal', 'infinity', undefined],
    ['decimal', '1e999999', undefined],
    ['single', 0.1, String(Math.fround(0.1))],
    ['single', 1e300, undefined],
    ['double', '0.1', '0.1'],
    ['double', '1e400', undefined],
    ['double', 'NaN', 'NaN'],
    ['single', 'Infinity', 'Infinity'],
    ['integer', 'NaN', undefined],
    ['double', Number.POSITIVE_INFINITY, undefined],
    ['boolean', true, true],
    ['boolean', 'false', false],
    ['boolean', 1, undefined],
    ['text', 10002, '10002'],
    ['text', 5n, '5'],
    ['text', id, '0123456789abcdef01234567'],
    ['text', 'a\0b', undefined],
    ['text', '\ud800', undefined],
    ['text', { a: 1 }, undefined],
    ['text', null, undefined],
    ['uuid', 'A0EEBC999C0B4EF8BB6D6BB9BD380A11', 'A0EEBC999C0B4EF8BB6D6BB9BD380A11'],
    ['uuid', 'a0eebc99', undefined],
    ['bytes', 'AP8Q', '\\x00ff10'],
    ['bytes', 'no base64!', undefined],
    ['bytes', 'AA==', '\\x00'],
    ['bytes', 'AAA', undefined],
    ['bytes', 'A===', undefined],
    ['bytes', 'AA==AAAA', undefined],
    ['json', 5, ['5']],
    ['json', '5', ['"5"', '5']],
    ['json', '05', ['"05"']],
    ['json', true, ['true']],
    ['json', ['x'], undefined],
    ['json', 'NaN', ['"NaN"']],
    ['other', '10.0.0.1', '10.0.0.1'],
  ])('%s', (family, value, expected) => expect(bound(family, value)).toEqual(expected))

  it('may be bytes that are longer than any stack is deep', () =>
    expect((bound('bytes', 'AAAA'.repeat(7_000_000)) as string).length).toBe(42_000_002))

  it('does not exist inside a column without members', () => expect(bound('text', 'a', ['b'])).toBeUndefined())

  it('is text where case is ignored', () => {
    expect(bound('integer', 5, [], true)).toBe('5')
    expect(bound('json', 'A', ['b'], true)).toBe('A')
  })
})
