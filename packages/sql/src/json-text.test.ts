import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, parseWrittenJson, withExponents } from './json-text.js'

it.each([
  ['{"a":[1,-2.5,"x",null,true]}', { a: [1, -2.5, 'x', null, true] }],
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', '9007199254740992'],
  ['-9007199254740993', '-9007199254740993'],
  ['0.1234567890123456', 0.1234567890123456],
  ['0.12345678901234567891', '0.12345678901234567891'],
  ['1.00000000000000000000', 1],
  ['100000000000000000000.0', '100000000000000000000.0'],
  ['1e3', 1000],
  ['1E-7', 1e-7],
  ['1e400', '1e400'],
  ['1e-400', '1e-400'],
  ['0e5', 0],
  ['-0.0', -0],
  ['"9007199254740993"', '9007199254740993'],
  ['{"12345678901234567890":"1e5 \\" 12345678901234567890"}', { '12345678901234567890': '1e5 " 12345678901234567890' }],
  ['{"__proto__":12345678901234567890}', JSON.parse('{"__proto__":"12345678901234567890"}')],
])('%s', (text, expected) => expect(parseJson(text)).toEqual(expected))

it('keeps every number that JSON.parse reads, and writes those beyond 2^53 as text', () => {
  const large = (_: string, value: unknown) =>
    typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER ? String(value) : value
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text, large))
    }),
  )
})

it('reads texts that are longer than any stack is deep beside numbers of many digits', () => {
  const text = 'e1"\\'.repeat(5_000_000)
  const read = parseJson(`{"note":${JSON.stringify(text)},"n":12345678901234567890}`) as { note: string; n: string }
  expect(read.note === text).toBe(true)
  expect(read.n).toBe('12345678901234567890')
})

it.each(['{"id":12345678901234567,"name":"An', '"12345678901234567', '{"id":12345678901234567,"name":"An\\', '[1e5,"'])(
  'refuses a text that is cut off inside a string, as JSON.parse does: %s',
  (text) => expect(() => parseJson(text)).toThrow(SyntaxError),
)

describe('a document that was written by hand', () => {
  it.each([
    ['{"n":"Ann","keep":1,"n":null}', { n: 'Ann', keep: 1 }],
    ['{"n":null,"n":"Ann","n":" "}', { n: 'Ann' }],
    ['{"n":"Ann","n":"Ann"}', { n: 'Ann' }],
    ['{"n":"Ann Lee","n":"Ann","\\u006e":"A"}', { n: ['Ann Lee', 'Ann', 'A'] }],
    ['{"n":null,"n":""}', { n: '' }],
    ['[{"a":{"b":1,"b":2}}]', [{ a: { b: [1, 2] } }]],
    ['{"a":{"x":"Ann"},"a":{"x":null}}', { a: [{ x: 'Ann' }, { x: null }] }],
    [`{"n"${' '.repeat(99)}:\t"Ann","n":null, ":":"\\":"}`, { n: 'Ann', ':': '":' }],
    ['{"n":1e400,"n":9007199254740993}', { n: ['1e400', '9007199254740993'] }],
    ['{"b":1,"a":{":":[{},":"]}}', { b: 1, a: { ':': [{}, ':'] } }],
    ['"a:b"', 'a:b'],
    ['{"__proto__":1,"__proto__":2}', JSON.parse('{"__proto__":[1,2]}')],
  ])('%s gives every value of a member', (text, expected) => {
    expect(parseWrittenJson(text)).toEqual(expected)
  })
})

it.each([
  ['{"a":[10,-2.50,1e3,1E-7],"5":"5"}', '{"a":[10e0,-2.50e0,1e3,1E-7],"5":"5"}'],
  ['[1234567890123456,-12345678901234567]', '[1234567890123456e0,-12345678901234567]'],
  ['"1 \\" 2"', '"1 \\" 2"'],
])('%s has an exponent at each number that a double can be', (json, expected) => {
  expect(withExponents(json)).toBe(expected)
})
