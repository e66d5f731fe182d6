import { memberChanges, type Value } from '@habeas/core'
import { parseJson } from '@habeas/sql'
import { expect, it } from 'vitest'
import { changedText } from './changed-text.js'

const changed = (text: string, to: Value) => changedText(text, memberChanges(parseJson(text), to))

it('writes members wherever they are, and keeps the digits of numbers and the order of the others', () => {
  const text = String.raw` { "2" : 1.10, "stra\u00dfe":"Main", "1":[ {"n":"a\"\\","x":-0.0}, {"x":1e400} ], "e":{}, "l":[] }`
  expect(changed(text, { '2': 1.1, straße: null, '1': [{ n: null, x: -0 }, { x: '1e400' }], e: {}, l: [] })).toBe(
    '{"2":1.10,"straße":null,"1":[{"n":null,"x":-0.0},{"x":1e400}],"e":{},"l":[]}',
  )
})

it('keeps the one that was read of several members of one name', () => {
  expect(changed('{"n":"Ann","k":1,"k":2,"n":"Bob"}', { n: null, k: 2 })).toBe('{"n":null,"k":2}')
})

it('takes members away, and writes lists of another length and whole documents', () => {
  expect(changed('{"n":"Ann","l":["a","b"]}', { l: ['b'] })).toBe('{"l":["b"]}')
  expect(changed('"Caf\\u00e9"', 'x')).toBe('"x"')
  expect(changed('["Caf\\u00e9",1]', [null, 1])).toBe('[null,1]')
})

it('writes no text that the server refuses', () => {
  expect(changed('{"n":"Ann"}', { n: '\0' })).toBeUndefined()
})
