import { createSecretKey, hkdfSync } from 'node:crypto'
import { PrivacyError } from '../../errors.js'
import type { MaskingStrategy } from '../../model/masking-strategy.js'
import type { Value } from '../../model/value.js'
import { encryptText, hashText, hmacText, maskedValueText, randomTexts } from './masked-value-text.js'

/** How one field is masked in every row of a request. A retry gives the same values again (docs/erasure.md). */
export interface Masker {
  /** The new value, where it depends neither on the value nor on the row. NULL always stays NULL. */
  readonly constant?: { readonly to: Value }
  /** True for strategies with a text, which need a text field. */
  readonly text: boolean
  /**
   * `place` is a unique text for collection, field and row key. Random texts are derived from it. null and undefined
   * stay.
   */
  mask(value: Value, place: string): Value
}

export interface MaskerOptions {
  /** A secret of 32 bytes for this request alone. It is kept as long as a retry is possible. */
  readonly secret: Uint8Array
  /** The smaller of declared and live length, in UTF-16 units. A masked text is cut to it, its suffix is not. */
  readonly maxLength?: number
}

type TextStrategy = Exclude<MaskingStrategy, { strategy: 'null_rewrite' | 'preserve' | 'delete' }>

/**
 * The masker of a strategy for one request. Salts and keys are derived from the secret, the strategy and its
 * configuration, so equal values stay equal across rules, fields and retries. Throws `unsupported` for `preserve` and
 * `delete`, which have no masked values, and where the suffix alone is too long for the field.
 */
export function masker(strategy: MaskingStrategy, { secret, maxLength }: MaskerOptions): Masker {
  if (strategy.strategy === 'preserve' || strategy.strategy === 'delete') {
    const message = `The strategy '${strategy.strategy}' gives no masked values: leave the field, or delete the row.`
    throw new PrivacyError('unsupported', message, { feature: strategy.strategy })
  }
  if (strategy.strategy === 'null_rewrite')
    return { constant: { to: null }, text: false, mask: (value) => (value === undefined ? value : null) }
  if (!fitsInto(strategy, maxLength)) {
    const message = `The suffix of '${strategy.strategy}' is longer than the ${maxLength} characters of the field: shorten it.`
    throw new PrivacyError('unsupported', message, { feature: 'format_preservation' })
  }
  const suffix = suffixOf(strategy)
  const room = maxLength === undefined ? Number.POSITIVE_INFINITY : maxLength - suffix.length
  if (strategy.strategy === 'string_rewrite') {
    const to = rewrittenText(strategy, maxLength)
    return { constant: { to }, text: true, mask: (value) => (isNothing(value) ? value : to) }
  }
  const text = textOf(strategy, secret, room)
  return {
    text: true,
    mask: (value, place) => (isNothing(value) ? value : cut(text(value, place), room) + suffix),
  }
}

/** The text of `string_rewrite` in a field of this length. */
export function rewrittenText(
  strategy: Extract<MaskingStrategy, { strategy: 'string_rewrite' }>,
  maxLength = Number.POSITIVE_INFINITY,
): string {
  const suffix = suffixOf(strategy)
  return cut(strategy.configuration.rewrite_value, maxLength - suffix.length) + suffix
}

/** A missing member of a document stays missing, just as NULL stays NULL. */
function isNothing(value: Value | undefined): value is null | undefined {
  return value === null || value === undefined
}

/** Whether a field of this length can hold the suffix, which is never cut. */
export function fitsInto(strategy: MaskingStrategy, maxLength: number | undefined): boolean {
  return maxLength === undefined || suffixOf(strategy).length <= maxLength
}

function suffixOf({ configuration }: MaskingStrategy): string {
  return ('format_preservation' in configuration && configuration.format_preservation?.suffix) || ''
}

type MaskText = (value: Exclude<Value, null>, place: string) => string

function textOf(
  strategy: Exclude<TextStrategy, { strategy: 'string_rewrite' }>,
  secret: Uint8Array,
  room: number,
): MaskText {
  const derive = derivation(strategy, secret)
  switch (strategy.strategy) {
    case 'hash': {
      const secrets = { ...strategy.configuration, salt: derive('salt').toString('base64url') }
      return (value) => hashText(maskedValueText(value), secrets)
    }
    case 'hmac': {
      const salt = derive('salt').toString('base64url')
      const secrets = { ...strategy.configuration, key: createSecretKey(derive('key')), salt }
      return (value) => hmacText(maskedValueText(value), secrets)
    }
    case 'aes_encrypt': {
      const saltHmac = derive('salt_hmac').toString('base64url')
      const secrets = { key: derive('key'), keyHmac: createSecretKey(derive('key_hmac')), saltHmac }
      return (value) => encryptText(maskedValueText(value), secrets)
    }
    case 'random_string_rewrite': {
      const length = Math.min(strategy.configuration.length, room)
      const textOf = randomTexts({ key: createSecretKey(derive('key')), length })
      return (_, place) => textOf(place)
    }
  }
}

/** Derives a secret for one purpose. No other strategy or configuration shares it. */
function derivation({ strategy, configuration }: TextStrategy, secret: Uint8Array): (purpose: string) => Buffer {
  const members = Object.entries(configuration).sort(([left], [right]) => (left < right ? -1 : 1))
  const scope = `masking/${strategy}/${JSON.stringify(members)}`
  return (purpose) => Buffer.from(hkdfSync('sha256', secret, '', `${scope}/${purpose}`, 32))
}

/** Cuts a text without splitting a character. */
function cut(text: string, room: number): string {
  if (text.length <= room) return text
  const isHalved = /[\uD800-\uDBFF]/.test(text[room - 1] ?? '')
  return text.slice(0, isHalved ? room - 1 : room)
}
