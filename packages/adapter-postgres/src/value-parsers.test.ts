import { expect, it } from 'vitest'
import { valueParser } from './value-parsers.js'

const padded = 1042

it.each([
  ['ab   ', 'ab'],
  [' a b\t  ', ' a b\t'],
  ['   ', ''],
  ['', ''],
])('character(n): %j', (text, expected) => expect(valueParser(padded, false)?.(text)).toBe(expected))
