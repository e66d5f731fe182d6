import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../../errors.js'
import { parseStrictJson } from './parse-strict-json.js'

function refusal(text: string): string {
  try {
    parseStrictJson(text)
  } catch (error) {
    if (isPrivacyError(error, 'invalid_input')) return error.message
    throw error
  }
  return 'none'
}

const twice = 'there is more than one member of this name.'

describe('a member that occurs twice', () => {
  it.each([
    ['{"status":"denied","status":"complete"}', 'status'],
    ['{"a":1,"b":{"a":1},"a":2}', 'a'],
    ['{"a":{"b":[0,{"c":1,"d":2,"c":1}]}}', 'a.b[1].c'],
    ['[[],[{"x":1}],{"y":{},"y":[]}]', '[2].y'],
    ['{"status":1,"st\\u0061tus":2}', 'status'],
    ['{"\\\\":1,"\\u005c":2}', '["\\\\"]'],
    ['{"a \\" b":1,"a \\u0022 b":2}', '["a \\" b"]'],
    ['{"":{"":1,"":2}}', '[""][""]'],
    ['{"hasOwnProperty":1, "hasOwnProperty":1}', 'hasOwnProperty'],
    ['{"a":"}","b":"\\\\","b":"{"}', 'b'],
  ])('%s is refused', (text, place) => {
    expect(refusal(text)).toBe(`It can be read in more than one way: at ${place}, ${twice}`)
  })

  it('is told apart from names in other objects, values, and names that differ in case', () => {
    for (const text of [
      '{"a":{"a":{"a":"a"}},"b":["a","a",{"a":1},{"a":1}]}',
      '{"a":"\\"a\\":1,\\"a\\":1","A":1}',
      '{"a":"\\\\","b":"\\\\\\"","c":1}',
      ' "a" ',
    ])
      expect(parseStrictJson(text)).toEqual(JSON.parse(text))
  })
})

it('no member is called __proto__, however it is written', () => {
  for (const text of ['{"a":[{"__proto__":{}}]}', '{"a":[{"\\u005f_proto__":{}}]}']) {
    expect(refusal(text)).toContain('at a[0].__proto__, no member may have this name')
  }
})

it('every number is kept to the last digit', () => {
  for (const number of [
    '0',
    '-0',
    '1.50',
    '1E3',
    '1e+3',
    '100e-2',
    '0.1',
    '1e21',
    '1000000000000000000000',
    '0e999999',
  ]) {
    expect(refusal(`{"n":[${number}]}`), number).toBe('none')
  }
  for (const number of [
    '9007199254740993',
    '1e400',
    '-1e400',
    '1e-400',
    '0.10000000000000001',
    `1.${'0'.repeat(2000)}`,
  ]) {
    expect(refusal(`{"n":[0,${number}]}`), number).toMatch(/at n\[1\], not every reader can keep/)
  }
})

it('a text that is not JSON is a syntax error', () => {
  for (const text of [
    '',
    '{',
    '{} {}',
    '{"a":1} x',
    '{"a":1,}',
    "{'a':1}",
    '[1,]',
    '{"a":01}',
    '// x\n{}',
    '\uFEFF{}',
    'NaN',
  ]) {
    expect(() => parseStrictJson(text), text).toThrow(SyntaxError)
  }
})

it('output of JSON.stringify is read as JSON.parse reads it', () => {
  const names = fc.string({ unit: 'binary' }).filter((name) => name !== '__proto__')
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: 'binary' }),
      fc.array(tie('value')),
      fc.dictionary(names, tie('value')),
    ),
  }))
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 2), (given, indent) => {
      const text = JSON.stringify(given, undefined, indent)
      expect(parseStrictJson(text)).toEqual(JSON.parse(text))
    }),
  )
})

it('a name given twice is found wherever it stands', () => {
  const objects = fc
    .dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
    .filter((each) => !JSON.stringify(each).includes('__proto__'))
  fc.assert(
    fc.property(objects, fc.nat(), (given, pick) => {
      const members = Object.entries(given).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
      const doubled = `[{"in":{${[...members, members[pick % members.length]].join(',')}}}]`
      expect(refusal(doubled)).toMatch(/at \[0\]\.in.*more than one member of this name\.$/)
    }),
  )
})

it('reads a bundle of many megabytes, and nesting of any depth', () => {
  const entry = JSON.stringify({
    collection: 'orders',
    rowCount: 12,
    message: 'read "12" rows \\ of orders'.repeat(20),
  })
  const large = `{"log":[${Array.from({ length: 40_000 }, () => entry).join(',')}]}`
  expect(large.length).toBeGreaterThan(20_000_000)
  expect((parseStrictJson(large) as { log: unknown[] }).log).toHaveLength(40_000)
  expect(refusal(`${large.slice(0, -1)},"log":[]}`)).toContain(`at log, ${twice}`)
  expect(refusal(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).toBe('none')
})
