import { createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../../errors.js'
import { type MaskingStrategy, maskedTexts, ruleMaskingSchema } from '../../model/masking-strategy.js'
import { objectId, type Value } from '../../model/value.js'
import { encryptText, hashText, hmacText, randomTexts } from './masked-value-text.js'
import { fitsInto, masker } from './masker.js'

const secret = new Uint8Array(32).fill(7)
const otherSecret = new Uint8Array(32).fill(8)

const read = (strategy: string, configuration: object = {}): MaskingStrategy =>
  ruleMaskingSchema.parse({ strategy, configuration })

const textStrategies = [
  read('string_rewrite', { rewrite_value: 'gone' }),
  ...['random_string_rewrite', 'hash', 'hmac', 'aes_encrypt'].map((name) => read(name)),
]
const named = (strategies: readonly MaskingStrategy[]) => strategies.map((each) => [each.strategy, each] as const)

describe('every strategy', () => {
  it.each(named([read('null_rewrite'), ...textStrategies]))('leaves NULL unchanged: %s', (_, strategy) => {
    expect(masker(strategy, { secret }).mask(null, 'c:1')).toBeNull()
    expect(masker(strategy, { secret }).mask(undefined as unknown as Value, 'c:1')).toBeUndefined()
  })

  it.each(named(textStrategies))('masks false, zero and empty values: %s', (_, strategy) => {
    const { mask, text } = masker(strategy, { secret })
    expect(text).toBe(true)
    for (const value of [0, false, '', 0n]) expect(mask(value, 'c:1')).toMatch(/^.+$/)
  })

  it.each(named(textStrategies))('gives the same value again: %s', (_, strategy) => {
    const first = masker(strategy, { secret }).mask('Ann', 'c:1')
    expect(masker(strategy, { secret }).mask('Ann', 'c:1')).toBe(first)
    expect(masker(structuredClone(strategy), { secret: secret.slice() }).mask('Ann', 'c:1')).toBe(first)
  })

  it.each(named(textStrategies.slice(1)))('gives another request another value: %s', (_, strategy) => {
    const first = masker(strategy, { secret }).mask('Ann', 'c:1')
    expect(masker(strategy, { secret: otherSecret }).mask('Ann', 'c:1')).not.toBe(first)
  })

  it('is constant only where neither value nor row matters', () => {
    const constants = [read('null_rewrite'), ...textStrategies].map((each) => masker(each, { secret }).constant?.to)
    expect(constants).toEqual([null, 'gone', undefined, undefined, undefined, undefined])
  })

  it.each(named([read('null_rewrite'), ...textStrategies]))(
    'writes the texts that the model says: %s',
    (name, each) => {
      const { constant, text } = masker(each, { secret })
      expect(maskedTexts[name]).toBe(text ? (constant ? 'same' : 'own') : 'none')
    },
  )
})

describe('hash, hmac and aes_encrypt', () => {
  const ofValues = [read('hash'), read('hmac'), read('aes_encrypt')]

  it.each(named(ofValues))('keep equal values equal everywhere: %s', (_, strategy) => {
    const { mask } = masker(strategy, { secret })
    expect(mask('Ann', 'customer:1')).toBe(mask('Ann', 'order:2'))
    expect(mask('Ann', 'customer:1')).not.toBe(mask('Bob', 'customer:1'))
  })

  it.each(named(ofValues))('use the shortest text of a number, and members in any order: %s', (_, strategy) => {
    const { mask } = masker(strategy, { secret })
    expect(mask(10002.0, '')).toBe(mask('10002', ''))
    expect(mask(5n, '')).toBe(mask(5, ''))
    expect(mask({ a: 1, b: 2n }, '')).toBe(mask({ b: 2n, a: 1 }, ''))
    expect(mask(objectId('0123456789abcdef01234567') as Value, '')).toBe(mask('0123456789abcdef01234567', ''))
  })

  it('share no salt with another configuration', () => {
    const digests = [read('hash'), read('hash', { algorithm: 'SHA-512' }), read('hmac')].map((each) =>
      String(masker(each, { secret, maxLength: 64 }).mask('Ann', '')),
    )
    expect(new Set(digests.map((digest) => digest.slice(0, 8))).size).toBe(3)
    const named = masker(read('hash', { algorithm: 'SHA-256' }), { secret }).mask('Ann', '')
    expect(named).toBe(masker(read('hash'), { secret }).mask('Ann', ''))
  })

  it('hash with the salt that HKDF derives from the secret', () => {
    const info = 'masking/hash/[["algorithm","SHA-256"]]/salt'
    const salt = Buffer.from(hkdfSync('sha256', secret, '', info, 32)).toString('base64url')
    expect(masker(read('hash'), { secret }).mask('Ann', '')).toBe(hashText('Ann', { algorithm: 'SHA-256', salt }))
  })

  it('encrypt so that the keys open the text', () => {
    const secrets = { key: Buffer.alloc(16, 1), keyHmac: 'key', saltHmac: 'salt' }
    const sealed = Buffer.from(encryptText('Añn', secrets), 'base64')
    const nonce = createHmac('sha256', 'key').update('Añnsalt').digest().subarray(0, 12)
    const opening = createDecipheriv('aes-128-gcm', secrets.key, nonce).setAAD(nonce).setAuthTag(sealed.subarray(-16))
    expect(opening.update(sealed.subarray(0, -16), undefined, 'utf8') + opening.final('utf8')).toBe('Añn')
  })

  it('hmac with a key that a hash does not need', () => {
    const of = (key: string) => hmacText('Ann', { algorithm: 'SHA-256', key, salt: 's' })
    expect(of('a')).not.toBe(of('b'))
  })
})

describe('random texts', () => {
  const strategy = read('random_string_rewrite')

  it('depend on the place alone', () => {
    const { mask } = masker(strategy, { secret })
    expect(mask('Ann', 'c:name:1')).toBe(mask('Bob', 'c:name:1'))
    expect(mask('Ann', 'c:name:1')).not.toBe(mask('Ann', 'c:name:2'))
  })

  it('have the requested length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.string(), (length, place) => {
        const { mask } = masker(read('random_string_rewrite', { length }), { secret })
        expect(mask('x', place)).toMatch(new RegExp(`^[a-z0-9]{${length}}$`))
      }),
    )
  })

  it('hold every symbol equally often', () => {
    const text = randomTexts({ key: secret, length: 360_000 })('place')
    const counts = new Map<string, number>()
    for (const symbol of text) counts.set(symbol, (counts.get(symbol) ?? 0) + 1)
    expect(counts.size).toBe(36)
    // With modulo bias the first four symbols would come 12,000 times or more.
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(600)
  })
})

describe('length', () => {
  const suffixed = (name: string, more: object = {}) =>
    read(name, { ...more, format_preservation: { suffix: '@masked.example' } })
  const names = ['random_string_rewrite', 'hash', 'hmac', 'aes_encrypt']

  it.each(names)('cuts the masked part and never the suffix: %s', (name) => {
    const whole = String(masker(suffixed(name), { secret }).mask('Ann', 'c:1'))
    const short = masker(suffixed(name), { secret, maxLength: 20 }).mask('Ann', 'c:1')
    expect(short).toBe(`${whole.slice(0, 5)}@masked.example`)
  })

  it('cuts a rewritten text too, without splitting a character', () => {
    const strategy = suffixed('string_rewrite', { rewrite_value: 'ab🦊cd' })
    expect(masker(strategy, { secret }).constant).toEqual({ to: 'ab🦊cd@masked.example' })
    expect(masker(strategy, { secret, maxLength: 18 }).constant).toEqual({ to: 'ab@masked.example' })
    expect(masker(strategy, { secret, maxLength: 19 }).constant).toEqual({ to: 'ab🦊@masked.example' })
  })

  it('refuses a field that is too short for the suffix', () => {
    expect(fitsInto(suffixed('hash'), 15)).toBe(true)
    expect(fitsInto(suffixed('hash'), 14)).toBe(false)
    expect(fitsInto(read('null_rewrite'), 0)).toBe(true)
    const make = () => masker(suffixed('hash'), { secret, maxLength: 14 })
    expect(make).toThrow(expect.toSatisfy((error) => isPrivacyError(error, 'unsupported')))
  })
})

it.each(['preserve', 'delete'])('%s has no masker', (name) => {
  expect(() => masker(read(name), { secret })).toThrow(`The strategy '${name}' gives no masked values`)
})
