import { expect } from 'vitest'
import { type MaskingStrategy, ruleMaskingSchema } from '../../src/model/masking-strategy.js'
import type { Value } from '../../src/model/value.js'
import { encryptText, hashText, hmacText, maskedValueText } from '../../src/rules/erase/masked-value-text.js'
import { masker } from '../../src/rules/erase/masker.js'
import { type Case, readValue } from './bank.js'

interface Input {
  readonly strategy: string
  readonly configuration: object
  readonly values: readonly unknown[]
  readonly secrets: Secrets | null
  /** Of the case about the secrets of two requests. */
  readonly operations?: readonly { readonly strategy: string; readonly value: string }[]
}

export interface Secrets {
  readonly salt?: string
  readonly key?: string | { readonly hex: string }
  readonly key_hmac?: string
  readonly salt_hmac?: string
}

interface Expected {
  readonly masked?: readonly unknown[] | null
  readonly each_matches?: string
  readonly count?: number
  readonly same_request_same_value_equal?: boolean
  readonly other_request_equal?: boolean
}

const first = { secret: new Uint8Array(32).fill(1) }
const second = { secret: new Uint8Array(32).fill(2) }

export function checkMasking({ input, expected }: Case<Input, Expected>): void {
  if (input.operations) checkRequests(input.operations, expected)
  else {
    const strategy = ruleMaskingSchema.parse({ strategy: input.strategy, configuration: input.configuration })
    const masked = input.values.map(readValue).map((value, at) => maskWith(strategy, input.secrets, value, `row:${at}`))
    if (expected.masked) expect(masked).toEqual(expected.masked)
    if (expected.each_matches === undefined) return
    expect(masked).toHaveLength(expected.count ?? 0)
    for (const text of masked) expect(text).toMatch(new RegExp(expected.each_matches))
  }
}

/** The masker, but for the salts and keys that a case gives outright. */
export function maskWith(strategy: MaskingStrategy, secrets: Secrets | null, value: Value, place: string): Value {
  if (secrets === null || value === null) return masker(strategy, first).mask(value, place)
  const { salt = '', key = '', key_hmac: keyHmac = '', salt_hmac: saltHmac = '' } = secrets
  const suffix = 'format_preservation' in strategy.configuration && strategy.configuration.format_preservation?.suffix
  const keyBytes = Buffer.from(typeof key === 'string' ? key : key.hex, typeof key === 'string' ? 'utf8' : 'hex')
  const text = maskedValueText(value)
  const masked = () => {
    if (strategy.strategy === 'hash') return hashText(text, { ...strategy.configuration, salt })
    if (strategy.strategy === 'hmac') return hmacText(text, { ...strategy.configuration, key: keyBytes, salt })
    if (strategy.strategy === 'aes_encrypt') return encryptText(text, { key: keyBytes, keyHmac, saltHmac })
    throw new Error(`${strategy.strategy} takes no secrets`)
  }
  return masked() + (suffix || '')
}

function checkRequests(operations: NonNullable<Input['operations']>, expected: Expected): void {
  const [one, again] = operations.map(({ strategy, value }) => {
    const read = ruleMaskingSchema.parse({ strategy, configuration: {} })
    return { masked: masker(read, first).mask(value, ''), elsewhere: masker(read, second).mask(value, '') }
  })
  expect(one?.masked === again?.masked).toBe(expected.same_request_same_value_equal)
  expect(one?.masked === one?.elsewhere).toBe(expected.other_request_equal)
}
