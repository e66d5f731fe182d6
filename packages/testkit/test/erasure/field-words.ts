import fc from 'fast-check'

/* What a dataset may say of a field about its erasure. */

/** Longer than the shorter of the live columns. */
const longText = 'a longer text'
export const suffix = '@x.y'

const words = [
  ...['hash', 'suffix', 'hmac', 'string_rewrite', 'long_rewrite', 'random_string_rewrite'],
  ...['null_rewrite', 'preserve', 'read_only', 'retain', 'retain_past', 'retain_future', 'retain_since'],
] as const
const texts: readonly (string | undefined)[] = words.slice(0, 6)

/** Most fields say nothing of themselves. */
export const wordArbitrary = fc.oneof(
  { weight: 9, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(...words) },
)

export const dates = ['2001-02-03', '2999-01-01', null] as const

/** Why something stays, for good or until a day, that of a row included. */
export const reasons = {
  retain: { reason: 'a law' },
  retain_past: { reason: 'an old law', until: '2020-01-01' },
  retain_future: { reason: 'a long law', until: '2999-12-31' },
  retain_since: { reason: 'a law for a while', until: { after: 'since', period: 'P1Y' } },
}

/** The `service_meta` of a word. A text for what holds none is left unsaid, but where `anywhere` says so. */
export function metaOf(word: string | undefined, holdsText: boolean, anywhere: boolean): object {
  if (word === undefined || (texts.includes(word) && !holdsText && !anywhere)) return {}
  if (word === 'read_only') return { read_only: true }
  if (word in reasons) return { retain: reasons[word as keyof typeof reasons] }
  return { masking_strategy: namedStrategy(word) }
}

/** A strategy with its configuration, by its word. */
export function namedStrategy(word: string): { readonly strategy: string; readonly configuration?: object } {
  if (word === 'suffix') return { strategy: 'hash', configuration: { format_preservation: { suffix } } }
  if (word === 'string_rewrite') return { strategy: word, configuration: { rewrite_value: 'x' } }
  if (word === 'long_rewrite') return { strategy: 'string_rewrite', configuration: { rewrite_value: longText } }
  return { strategy: word }
}
