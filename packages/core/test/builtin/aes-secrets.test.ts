import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { type AesSecretsOptions, aesSecrets, isPrivacyError } from '@habeas/core'
import { describe, expect, it } from 'vitest'

const key = randomBytes(32).toString('base64')
const other = randomBytes(32).toString('base64')
const text = Buffer.from('content')

const failure = (options: AesSecretsOptions): { message: string; option: string; shown: string } => {
  try {
    aesSecrets(options)
  } catch (error) {
    if (isPrivacyError(error, 'misconfigured')) {
      return { message: error.message, option: error.details.option, shown: inspect(error, { depth: null }) }
    }
  }
  throw new Error('not misconfigured')
}

describe('aesSecrets', () => {
  it.each<[string, AesSecretsOptions, string]>([
    ['no key', { keys: '' }, 'aesSecrets keys'],
    ['an absent key', { keys: undefined as never }, 'aesSecrets keys'],
    ['a short key', { keys: randomBytes(16).toString('base64') }, 'aesSecrets keys'],
    ['a key in hexadecimal', { keys: randomBytes(32).toString('hex') }, 'aesSecrets keys'],
    ['a key that is no base64', { keys: 'correct horse battery staple' }, 'aesSecrets keys'],
    ['an empty ring', { keys: {} }, 'aesSecrets keys'],
    ['a bad key in a ring', { keys: { good: key, bad: 'c2hvcnQ=' }, current: 'good' }, 'aesSecrets keys.bad'],
  ])('with %s names the option and how to make a key', (_what, options, option) => {
    const { message, option: named } = failure(options)
    expect(named).toBe(option)
    expect(message).toContain(option)
    expect(message).toContain('openssl rand -base64 32')
  })

  it('never shows a key it refuses', () => {
    for (const secret of ['correct horse battery staple', randomBytes(31).toString('base64'), `${key}${key}`]) {
      expect(failure({ keys: secret }).shown).not.toContain(secret)
      expect(failure({ keys: { id: secret } }).shown).not.toContain(secret)
    }
  })

  it('requires the name of the current key when there are several, and lists them', () => {
    expect(failure({ keys: { a: key, b: other } })).toMatchObject({ option: 'aesSecrets current' })
    expect(failure({ keys: { a: key, b: other }, current: 'c' }).message).toContain('a, b')
    expect(failure({ keys: key, current: 'other' }).option).toBe('aesSecrets current')
  })

  it('refuses a key id that cannot be put in front', () => {
    expect(failure({ keys: { '': key } }).option).toBe('aesSecrets keys.')
    expect(failure({ keys: { ['x'.repeat(256)]: key } }).message).toContain('255')
  })

  it('takes a key with a line break behind it, and without padding', async () => {
    const sealed = await aesSecrets({ keys: key }).seal(text, 'context')
    for (const keys of [`${key}\n`, key.replace('=', ''), Buffer.from(key, 'base64').toString('base64url')]) {
      expect(Buffer.from(await aesSecrets({ keys }).open(sealed, 'context'))).toEqual(text)
    }
  })

  it('opens what a single key has sealed when that key joins a ring as `default`', async () => {
    const sealed = await aesSecrets({ keys: key }).seal(text, 'context')
    const ring = aesSecrets({ keys: { default: key, '2025': other }, current: '2025' })
    expect(Buffer.from(await ring.open(sealed, 'context'))).toEqual(text)
    const resealed = await ring.seal(text, 'context')
    expect(Buffer.from(await aesSecrets({ keys: { '2025': other } }).open(resealed, 'context'))).toEqual(text)
  })

  it('puts the key id in front, and a moved id does not open', async () => {
    const ring = aesSecrets({ keys: { a: key, b: key }, current: 'a' })
    const sealed = await ring.seal(text, 'context')
    expect(Buffer.from(sealed.subarray(0, 2)).toString('latin1')).toBe('\u0001a')
    sealed[1] = 'b'.charCodeAt(0)
    await expect(ring.open(sealed, 'context')).rejects.toThrow('cannot be opened')
  })
})
