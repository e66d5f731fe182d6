import type { Document } from 'mongodb'
import { expect, it } from 'vitest'
import { collatedText } from './collated-text.js'

it.each<[Document, string, boolean]>([
  [{ locale: 'en', strength: 2 }, 'A@X', true],
  [{ locale: 'en', strength: 2 }, 'á@x', false],
  [{ locale: 'en', strength: 1 }, 'Á@X', true],
  [{ locale: 'en', strength: 3 }, 'A@X', false],
  [{ locale: 'en' }, 'A@X', false],
  [{ locale: 'en_US', strength: 2, alternate: 'shifted' }, 'AX', true],
  [{ locale: 'de@collation=phonebook', strength: 2 }, 'A@X', true],
  [{ locale: 'no locale at all', strength: 2 }, 'A@X', true],
  [{ locale: 'en', strength: 2 }, 'b@x', false],
])('by %o, %s is the same text as a@x: %s', (collation, text, isSame) => {
  const known = ['z', 'a@x', 'm']
  expect(collatedText(collation, known)(text)).toBe(isSame ? 'a@x' : text)
  expect(known.map(collatedText(collation, known))).toEqual(known)
})

it('numbers in texts may be compared as numbers', () => {
  expect(collatedText({ locale: 'en', numericOrdering: true }, ['a1'])('a01')).toBe('a1')
})

it('keys that are equal have one text', () => {
  const textOf = collatedText({ locale: 'en', strength: 2 }, ['A', 'b', 'a', 'B'])
  expect(new Set(['a', 'A'].map(textOf)).size).toBe(1)
  expect(textOf('a')).not.toBe(textOf('b'))
})
