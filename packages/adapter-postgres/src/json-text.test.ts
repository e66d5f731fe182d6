import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseJson } from './json-text.js'

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

it('parses whatever loses nothing as JSON.parse does', () => {
  const exact = fc.json({ noUnicodeString: false }).filter((text) => !/[0-9]{16}|[0-9][eE]/.test(text))
  fc.assert(fc.property(exact, (text) => expect(parseJson(text)).toEqual(JSON.parse(text))))
})
