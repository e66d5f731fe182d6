import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../errors.js'
import { canonicalHash, canonicalText } from './canonical-hash.js'

const ofJson = (text: string) => canonicalText(JSON.parse(text))

describe('the vectors of RFC 8785', () => {
  it('the sample of sections 3.2.2 to 3.2.4, byte for byte', () => {
    const sample = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`
    expect(Buffer.from(ofJson(sample)).toString('hex')).toBe(
      [
        '7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b3333333333333333332e33333333333333',
        '2c31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d',
      ].join(''),
    )
  })

  it('the order of names of section 3.2.3', () => {
    const names = String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`
    expect(ofJson(names).match(/(?<=:")[^"]*/g)).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ])
  })

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('the number %s of appendix B', (bits, text) => {
    expect(canonicalText(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text)
  })

  it.each(['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])('no number %s', (bits) => {
    expect(() => canonicalText([Buffer.from(bits, 'hex').readDoubleBE()])).toThrow('Only JSON has a canonical form')
  })
})

it('sorts names that look like numbers as texts, at every depth', () => {
  const source =
    '{"1":{"f":{"f":"hi","F":5},"\\n":56.0},"10":{},"":"empty","a":{},"9":[{"e":"yes","10":1,"9":2}],"A":{}}'
  expect(ofJson(source)).toBe(
    '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"9":[{"10":1,"9":2,"e":"yes"}],"A":{},"a":{}}',
  )
})

it.each([['a\ud800b'], ['\udead'], [{ '\ud83d': 1 }], [[{ deep: '\ude00\ud83d' }]]])(
  'refuses the half of a surrogate pair in %j',
  (value) => {
    expect(() => canonicalHash(value)).toThrow(
      expect.toSatisfy((error: unknown) => isPrivacyError(error, 'invalid_input') && !/ud|DE/.test(error.message)),
    )
  },
)

it.each([new Date(0), new Map([['a', 1]]), 1n, Symbol('a'), () => 1])('refuses %o, which is not JSON', (value) => {
  expect(() => canonicalText([{ a: [value] }])).toThrow('Only JSON has a canonical form')
})

it('leaves undefined members out, and writes nothing else for an undefined item than for null', () => {
  expect(canonicalText({ b: undefined, a: [undefined, null] })).toBe('{"a":[null,null]}')
})

it('is JSON that says the same, in one form whatever the order of members', () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, inner]) => [name, reversed(inner)]),
    )
  }
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
      const text = canonicalText(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalText(reversed(value))).toBe(text)
    }),
  )
})
