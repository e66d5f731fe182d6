import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deriveKey, keySchema, optionalKeySchema } from './key.js'

describe('keySchema', () => {
  it.each(['a', 'A-b_c.9', '.hidden', 'a..b', 'x'.repeat(255)])('takes %s', (key) => {
    expect(keySchema.safeParse(key).success).toBe(true)
  })
  it.each(['', '.', '...', 'a b', 'a:b', 'ü', 'a\n', 'x'.repeat(256)])('refuses %j', (key) => {
    expect(keySchema.safeParse(key).success).toBe(false)
  })
  it('may be empty where a name can stand in', () => {
    expect(optionalKeySchema.safeParse('').success).toBe(true)
    expect(optionalKeySchema.safeParse('..').success).toBe(false)
  })
})

describe('deriveKey', () => {
  it.each([
    ['Application PostgreSQL DB', 'application_postgresql_db'],
    ['Word Word DB', 'word_word_db'],
    ['  spaced \t - out  ', 'spaced_out'],
    ['already_snake', 'already_snake'],
    ['Straße Nr. 5 (Köln)', 'strasse_nr_5_koln'],
    ['Ærø Łódź', 'aero_lodz'],
    ['Продажи', 'prodazhi'],
    ['Πελάτες', 'pelates'],
    ['ﬁnance', 'finance'],
    ['a/b', 'ab'],
  ])('%s gives %s', (name, key) => {
    expect(deriveKey(name)).toBe(key)
  })
  it.each(['', '   ', '???', '客户', '-_-'])('%j gives nothing', (name) => {
    expect(deriveKey(name)).toBeUndefined()
  })
  it('gives a valid key without hyphen and dot, or nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (name) => {
        const key = deriveKey(name)
        return key === undefined || (keySchema.safeParse(key).success && /^[a-z0-9_]+$/.test(key))
      }),
    )
  })
})
